"""What the embedding duty remembers from one tick to the next, and the record of what each did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from company.writes.ledger import News, publish
from knowledge.embedding.rules.backoff import retry_at
from knowledge.embedding.rules.coverage import Coverage
from knowledge.embedding.rules.isolation import Source
from knowledge.models import EmbeddingPass, EmbeddingSpace, EmbeddingState, SemanticIndex, SignCode
from knowledge.writes.embedding.holding import forget_held
from knowledge.writes.semantic_index import drop_index
from knowledge.writes.vectors import drop_vectors, make_space

log = structlog.get_logger(__name__)

_ONLY = 1


@dataclass(kw_only=True)
class Figures:
    """What one tick did. `provider_seconds` is how long it waited for answers."""

    requests: int = 0
    embedded: int = 0
    restamped: int = 0
    removed: int = 0
    held: int = 0
    provider_seconds: float = 0.0

    @property
    def is_nothing(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.requests or self.restamped or self.removed)


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a tick ended: what is left to do, and what went wrong, if anything did."""

    revision: int
    position: int | None
    is_caught_up: bool
    was_sweep: bool
    halves: Mapping[str, Sequence[Sequence[Source]]]
    has_accepted: bool
    is_blamed: bool
    failure: str = ""
    wish: float | None = None


def open_state() -> EmbeddingState:
    """The duty's memory. One query, once it is there."""
    state = EmbeddingState.objects.select_related("space").filter(pk=_ONLY).first()
    return state or EmbeddingState.objects.get_or_create(pk=_ONLY)[0]


def begin_tick(
    state: EmbeddingState, *, configuration: str, model: str, dimensions: int, revision: int
) -> EmbeddingSpace:
    """Make the memory that of this configuration, and answer the space it embeds into. No query where it was so before.

    Another configuration forgets what was refused and what failed under the one before: it may be the cure. So does
    another document for what failed, since a key may have been the matter.
    """
    if state.configuration != configuration:
        forgotten = forget_held()
        if forgotten:
            log.info("search_embed_refusals_forgotten", sources=forgotten)
        state.configuration, state.halves = configuration, {}
        state.has_accepted = state.is_blamed = state.is_caught_up = False
    if state.revision != revision:
        state.failures, state.failure, state.retry_at = 0, "", None
        state.is_caught_up = False  # it may say otherwise which documents are embedded
    space = state.space
    if space is None or (space.model, space.dimensions) != (model, dimensions):
        space = state.space = make_space(model=model, dimensions=dimensions)
        state.is_caught_up = False
    return space


def end_tick(
    state: EmbeddingState, *, ending: Ending, figures: Figures, coverage: Coverage | None, started_at: datetime
) -> None:
    """Keep how a tick ended, with its figures where it did anything; `coverage` is None where nothing can have moved.

    A space that is full for the first time ends the ones before it: nothing searches them any more.
    """
    now, space = timezone.now(), state.space
    assert space is not None  # noqa: S101 (`begin_tick` gave it one)
    _remember(state, ending=ending, now=now)
    if coverage is None:
        state.save(update_fields=["revision", "position", "is_caught_up", "failures", "ticked_at"])
        return
    with transaction.atomic():
        state.save()
        _measured(space, coverage, now=now)
        if ending.is_caught_up and space.filled_at is None:
            space.filled_at = now
            log.info("search_embedding_filled", model=space.model, dimensions=space.dimensions, sources=space.sources)
        space.save(update_fields=["filled_at", "measured_at", "sources", "current", "is_alarmed"])
        if not figures.is_nothing or ending.failure:
            _record(space, figures=figures, ending=ending, started_at=started_at, now=now)
    if ending.was_sweep and ending.is_caught_up:
        drop_spaces(but=space)


def count_embedded(space: EmbeddingSpace, *, number: int) -> None:
    """Count sources as current that have just been given their vectors, for whoever watches a fill."""
    EmbeddingSpace.objects.filter(pk=space.pk).update(current=F("current") + number)


def drop_spaces(*, but: EmbeddingSpace) -> int:
    """Drop the vectors of every other space; answers how many."""
    dropped = drop_vectors(SignCode.objects.exclude(space=but))
    for index in SemanticIndex.objects.select_related("space").exclude(space=but):
        drop_index(index)
    EmbeddingSpace.objects.exclude(pk=but.pk).delete()
    if dropped:
        log.info("search_embed_space_dropped", vectors=dropped)
    return dropped


def forget_passes(*, before: datetime) -> int:
    """Drop the records of passes that ended before a moment; answers how many."""
    return EmbeddingPass.objects.filter(ended_at__lt=before).delete()[0]


def _remember(state: EmbeddingState, *, ending: Ending, now: datetime) -> None:
    state.revision, state.position, state.is_caught_up = ending.revision, ending.position, ending.is_caught_up
    state.halves = {
        kind: [[[source.key, source.size, source.digest] for source in half] for half in halves]
        for kind, halves in ending.halves.items()
    }
    state.has_accepted, state.is_blamed, state.ticked_at = ending.has_accepted, ending.is_blamed, now
    state.failures = state.failures + 1 if ending.failure else 0
    state.failure = ending.failure
    state.retry_at = retry_at(now, failures=state.failures, wish=ending.wish) if ending.failure else None
    if ending.was_sweep and ending.is_caught_up:
        state.swept_at = now


def _measured(space: EmbeddingSpace, coverage: Coverage, *, now: datetime) -> None:
    space.measured_at, space.sources, space.current = now, coverage.sources, coverage.current
    if coverage.is_alarming and not space.is_alarmed:
        said = {"coverage": round(coverage.share, 4), "sources": coverage.sources, "current": coverage.current}
        log.warning("recall_below_floor", model=space.model, **said)
        publish(News(type="alarm.recall_below_floor", payload={**said, "model": space.model}))
    space.is_alarmed = coverage.is_alarming


def _record(space: EmbeddingSpace, *, figures: Figures, ending: Ending, started_at: datetime, now: datetime) -> None:
    said: dict[str, Any] = {**asdict(figures), "provider_seconds": round(figures.provider_seconds, 3)}
    EmbeddingPass.objects.create(
        started_at=started_at,
        ended_at=now,
        model=space.model,
        dimensions=space.dimensions,
        failure=ending.failure,
        **said,
    )
    publish(News(type="duty.embedding", payload={**said, "model": space.model, "failure": ending.failure}))
    log.info(
        "search_embed_pass",
        **said,
        seconds=round((now - started_at).total_seconds(), 3),
        current=space.current,
        sources=space.sources,
        failure=ending.failure or None,
    )
