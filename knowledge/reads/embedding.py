"""Reads of search by meaning, for whoever operates it: how much is covered, what it waits for, what is held back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Count
from django.utils import timezone

from company import live
from company.rules.actors import Actor, Scope
from company.rules.chart import Backend, Company
from company.rules.permissions import require_admin
from knowledge.embedding.rules.coverage import Coverage
from knowledge.embedding.rules.holding import HELD_FOR
from knowledge.models import EmbeddingPass, EmbeddingSpace, EmbeddingState, HeldSource, SemanticIndex, SignCode
from knowledge.search import corpora
from knowledge.search.rules.recall import FEWEST_SOURCES

PASSES_SHOWN = 10
HELD_SHOWN = 50

#: Over how long a fill's speed is taken.
_LATELY = timedelta(minutes=10)


class Status(StrEnum):
    """What the embedding duty is at."""

    OFF = "off"
    WAITING = "waiting"
    FILLING = "filling"
    FAILING = "failing"
    REFUSED = "refused"
    UP_TO_DATE = "up_to_date"


@dataclass(frozen=True, kw_only=True)
class PassView:
    """What one tick did. `busy` is the share of its time that it waited for the provider."""

    ended_at: datetime
    seconds: float
    requests: int
    embedded: int
    restamped: int
    removed: int
    held: int
    busy: float
    failure: str

    @property
    def busy_percent(self) -> int:
        """The same in per cent."""
        return round(self.busy * 100)


@dataclass(frozen=True, kw_only=True)
class HeldView:
    """A source that is held back, why, and when it is offered again; `title` is empty for one that has gone."""

    kind: str
    object_id: int
    title: str
    size: int
    reason: str
    is_unusable: bool
    attempts: int
    first_refused_at: datetime
    offered_at: datetime
    asked_again: bool


@dataclass(frozen=True, kw_only=True)
class SpaceView:
    """One model at one width that there are vectors of."""

    model: str
    dimensions: int
    vectors: int
    is_current: bool


@dataclass(frozen=True, kw_only=True)
class IndexView:
    """How searches of one corpus read its sign codes, and what that finds of the exact ranking."""

    kind: str
    is_installed: bool
    is_small: bool
    lists: int
    probes: int
    recall: float
    floor: float
    head_misses: int
    is_alarmed: bool
    trained_at: datetime | None
    measured_at: datetime | None
    measured_on: int


@dataclass(frozen=True, kw_only=True)
class EmbeddingView:
    """All of it. `coverage` is None before the first measure, `left_minutes` unless a fill goes on at a known speed."""

    status: Status
    model: str = ""
    dimensions: int = 0
    coverage: Coverage | None = None
    measured_at: datetime | None = None
    filled_at: datetime | None = None
    is_alarmed: bool = False
    a_minute: int | None = None
    left_minutes: int | None = None
    ticked_at: datetime | None = None
    failure: str = ""
    failures: int = 0
    retry_at: datetime | None = None
    passes: tuple[PassView, ...] = ()
    held: tuple[HeldView, ...] = ()
    held_total: int = 0
    spaces: tuple[SpaceView, ...] = ()
    indexes: tuple[IndexView, ...] = ()


def embedding_view(*, actor: Actor) -> EmbeddingView:
    """The embedding duty and what it has made, for an administrator (`forbidden` for others). At most nine queries."""
    require_admin(actor, Scope.READ)
    company = live.current()
    state = EmbeddingState.objects.select_related("space").first()
    if not is_on(company):
        return EmbeddingView(status=Status.OFF)
    space = state.space if state is not None else None
    if state is None or space is None:
        return EmbeddingView(status=Status.WAITING)
    coverage = Coverage(space.sources, space.current) if space.measured_at else None
    held_total = HeldSource.objects.count()
    passes = tuple(map(_pass_view, EmbeddingPass.objects.all()[:PASSES_SHOWN]))
    left = max(0, space.sources - space.current - held_total)
    a_minute = _a_minute(space)
    status = _status(state, space, left=left)
    return EmbeddingView(
        status=status,
        model=space.model,
        dimensions=space.dimensions,
        coverage=coverage,
        measured_at=space.measured_at,
        filled_at=space.filled_at,
        is_alarmed=space.is_alarmed,
        a_minute=a_minute,
        left_minutes=-(-left // a_minute) if a_minute and left and status is Status.FILLING else None,
        ticked_at=state.ticked_at,
        failure=state.failure,
        failures=state.failures,
        retry_at=state.retry_at,
        passes=passes,
        held=_held(company, limit=HELD_SHOWN) if held_total else (),
        held_total=held_total,
        spaces=_spaces(space),
        indexes=_indexes(space),
    )


def is_on(company: Company) -> bool:
    """Whether the document asks for search by meaning."""
    return company.backend is Backend.NATIVE and company.vectors and company.embeddings is not None


def _status(state: EmbeddingState, space: EmbeddingSpace, *, left: int) -> Status:
    if state.is_blamed:
        return Status.REFUSED
    if state.failure:
        return Status.FAILING
    return Status.UP_TO_DATE if space.filled_at is not None and not left else Status.FILLING


def _a_minute(space: EmbeddingSpace) -> int | None:
    """How many sources a minute were embedded lately; None where none were."""
    lately = EmbeddingPass.objects.filter(model=space.model, dimensions=space.dimensions)
    rows = list(lately.filter(ended_at__gte=timezone.now() - _LATELY).values_list("started_at", "ended_at", "embedded"))
    embedded = sum(row[2] for row in rows)
    if not embedded:
        return None
    seconds = (max(row[1] for row in rows) - min(row[0] for row in rows)).total_seconds()
    return max(1, round(embedded * 60 / max(seconds, 1.0)))


def _pass_view(one: EmbeddingPass) -> PassView:
    seconds = (one.ended_at - one.started_at).total_seconds()
    return PassView(
        ended_at=one.ended_at,
        seconds=seconds,
        requests=one.requests,
        embedded=one.embedded,
        restamped=one.restamped,
        removed=one.removed,
        held=one.held,
        busy=min(1.0, one.provider_seconds / seconds) if seconds > 0 else 0.0,
        failure=one.failure,
    )


def _held(company: Company, *, limit: int) -> tuple[HeldView, ...]:
    rows = list(HeldSource.objects.order_by("refused_at", "pk")[:limit])
    titles = _titles(company, rows)
    return tuple(
        HeldView(
            kind=row.kind,
            object_id=row.object_id,
            title=titles.get((row.kind, row.object_id), ""),
            size=row.size,
            reason=row.reason,
            is_unusable=row.is_unusable,
            attempts=row.attempts,
            first_refused_at=row.first_refused_at,
            offered_at=row.refused_at + HELD_FOR,
            asked_again=row.asked_again,
        )
        for row in rows
    )


def _titles(company: Company, rows: Sequence[HeldSource]) -> dict[tuple[str, int], str]:
    titles: dict[tuple[str, int], str] = {}
    for corpus in corpora.registered():
        ids = [row.object_id for row in rows if row.kind == corpus.kind]
        if ids:
            found = corpus.sources(company=company).filter(pk__in=ids).values_list("pk", "source_title")
            titles.update({(corpus.kind, object_id): title for object_id, title in found})
    return titles


def _indexes(space: EmbeddingSpace) -> tuple[IndexView, ...]:
    return tuple(
        IndexView(
            kind=one.kind,
            is_installed=one.is_installed,
            is_small=one.measured_on < FEWEST_SOURCES,
            lists=one.lists,
            probes=one.probes,
            recall=one.recall,
            floor=one.floor,
            head_misses=one.head_misses,
            is_alarmed=one.is_alarmed,
            trained_at=one.trained_at,
            measured_at=one.measured_at,
            measured_on=one.measured_on,
        )
        for one in SemanticIndex.objects.filter(space=space).order_by("kind")
    )


def _spaces(current: EmbeddingSpace) -> tuple[SpaceView, ...]:
    """Every space there are vectors of, the one in use first."""
    numbers = dict(SignCode.objects.order_by().values_list("space").annotate(number=Count("pk")))
    spaces = [
        SpaceView(
            model=space.model,
            dimensions=space.dimensions,
            vectors=numbers.get(space.pk, 0),
            is_current=space.pk == current.pk,
        )
        for space in EmbeddingSpace.objects.order_by("pk")
    ]
    return tuple(sorted(spaces, key=lambda space: not space.is_current))
