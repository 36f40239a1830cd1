"""The embedding duty: one tick reads what is due, asks the provider, and keeps what it answered.

A singleton by an advisory lock of the database. What is due follows from the rows (`selecting`), what to send next and
what an answer means from the state machines (`rules`); here they are joined. A tick whose change log holds nothing new,
after one that left nothing undone, ends after a handful of queries.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db.models import QuerySet
from django.utils import timezone

from company import live
from company.reads.changes import ChangeReader, News
from company.rules.chart import Company
from company.rules.refusals import Refused
from company.writes import locks
from knowledge.embedding import selecting
from knowledge.embedding.current import provider_for
from knowledge.embedding.providers.protocol import (
    REQUEST_SECONDS,
    SINGLE_SECONDS,
    EmbeddingProvider,
    InputNotAccepted,
    ProviderUnavailable,
)
from knowledge.embedding.rules.coverage import Coverage
from knowledge.embedding.rules.holding import Held, Holding
from knowledge.embedding.rules.isolation import (
    Accepted,
    Answer,
    Effect,
    Embedded,
    Ended,
    Failed,
    HoldBack,
    InputRefused,
    Request,
    Source,
    Suspicion,
    Tick,
    Work,
)
from knowledge.embedding.rules.turns import TICK_SOURCES, Turns
from knowledge.embedding.rules.vectors import Usable, Vector, judged
from knowledge.embedding.selecting import Loaded
from knowledge.embedding.training import tend_index
from knowledge.models import EmbeddingState, HeldSource
from knowledge.search import corpora
from knowledge.search.corpora import Corpus
from knowledge.writes import embedding as memory
from knowledge.writes import vectors
from knowledge.writes.embedding.memory import Ending, Figures

LOCK = "knowledge.embedding"

#: How long ticks of a provider that nobody pays for follow each other within one run of the duty.
RUN_SECONDS = 45.0

#: How often every document is looked at, for a change that the log did not tell of.
SWEEP_EVERY = timedelta(days=1)

#: Held that an administrator wants offered again: as if they had been refused long ago.
_LONG_AGO = timedelta(days=36_500)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Ticked:
    """What a tick did. `goes_on` says that there is more to do and nobody to be spared by waiting a minute."""

    figures: Figures
    failure: str = ""
    goes_on: bool = False


def embed_sources(*, now: datetime | None = None, seconds: float = RUN_SECONDS) -> list[Ticked]:
    """Run a tick; with a provider that is not metered, ticks until nothing is left or the time is up.

    Answers what each did: none where another process is at it, or where the company has no search by meaning. `now` is
    when the first one begins, the present unless given.
    """
    ticked: list[Ticked] = []
    until = time.monotonic() + seconds
    company = live.current_for_write()
    if (provider := _provider(company)) is None:
        return ticked
    with locks.alone(LOCK) as free:
        while free and provider is not None:
            ticked.append(_OneTick(company, provider, now=now or timezone.now()).run())
            if not ticked[-1].goes_on or time.monotonic() > until:
                break
            now, company = None, live.current_for_write()
            provider = _provider(company)
    return ticked


def _provider(company: Company) -> EmbeddingProvider | None:
    try:
        return provider_for(company)
    except Refused as refused:  # a document from before its provider was checked
        log.error("embeddings_provider_refused", error=refused.problems[0].detail)
        return None


class _Desk:
    """What one corpus has for this tick: its sources, which of them to look at, and their texts once they are read."""

    def __init__(self, corpus: Corpus, *, company: Company, touched: Sequence[int] | None) -> None:
        self.kind = corpus.kind
        self.everything: QuerySet[Any] = corpus.sources(company=company)
        self.touched = touched
        self.looked_at = self.everything if touched is None else self.everything.filter(pk__in=touched)
        self.texts: dict[str, Loaded] = {}
        self.is_cut_short = False

    @property
    def has_nothing(self) -> bool:
        """Whether nothing of this corpus can have moved."""
        return self.touched is not None and not self.touched


class _OneTick:
    def __init__(self, company: Company, provider: EmbeddingProvider, *, now: datetime) -> None:
        self._company = company
        self._provider = provider
        self._now = now
        self._started_at = timezone.now()
        self._bound = provider.limits.input_bytes
        self._figures = Figures()
        self._failure = ""
        self._wish: float | None = None

    def run(self) -> Ticked:
        state = memory.open_state()
        self._space = memory.begin_tick(
            state,
            configuration=self._provider.configuration,
            model=self._provider.model,
            dimensions=self._provider.dimensions,
            revision=self._company.revision,
        )
        if state.retry_at is not None and state.retry_at > self._now:
            return Ticked(figures=self._figures, failure=state.failure)
        reader = ChangeReader(position=state.position)
        news = reader.read()
        is_sweep = self._is_sweep(state, news)
        held = _held_by_kind()
        desks = self._desks(news, is_sweep=is_sweep)
        work = {kind: self._work(desk, state, held.get(kind, {})) for kind, desk in desks.items()}
        tick = Tick(work, limits=self._provider.limits, turns=Turns(tuple(work)))
        self._ask(tick, desks)
        return self._end(state, tick, desks, reader=reader, is_sweep=is_sweep)

    def _is_sweep(self, state: EmbeddingState, news: News) -> bool:
        """Whether every document is looked at, rather than those the log tells of."""
        overdue = state.swept_at is None or self._now - state.swept_at >= SWEEP_EVERY
        return news.replaced or state.position is None or not state.is_caught_up or overdue

    def _desks(self, news: News, *, is_sweep: bool) -> dict[str, _Desk]:
        desks: dict[str, _Desk] = {}
        for corpus in corpora.registered():
            mine = [change for change in news.changes if change.kind == corpus.change_kind]
            touched = None if is_sweep else tuple(corpus.touched(mine)) if mine else ()
            desks[corpus.kind] = _Desk(corpus, company=self._company, touched=touched)
        return desks

    def _work(self, desk: _Desk, state: EmbeddingState, held: Mapping[int, HeldSource]) -> Work:
        """What a corpus has to send, after everything that needs no provider was done."""
        fresh: list[Loaded] = []
        if not desk.has_nothing:
            self._tidy(desk, held)
            fresh = self._due(desk, held)
        halves = self._halves(desk, state)
        alone = self._alone(desk, held)
        return Work(halves=halves, alone=alone, fresh=[one.source for one in fresh])

    def _tidy(self, desk: _Desk, held: Mapping[int, HeldSource]) -> None:
        """Drop what has no source any more, and have vectors follow sources that have only moved."""
        gone = selecting.orphans(desk.everything, kind=desk.kind, among=desk.touched)
        self._figures.removed += vectors.drop_vectors(gone)
        self._figures.restamped += vectors.restamp_moved(
            desk.everything, space=self._space, kind=desk.kind, among=desk.touched
        )
        looked_for = [object_id for object_id in held if desk.touched is None or object_id in desk.touched]
        if looked_for:
            there = set(desk.everything.filter(pk__in=looked_for).values_list("pk", flat=True))
            memory.release_sources(kind=desk.kind, object_ids=[one for one in looked_for if one not in there])

    def _due(self, desk: _Desk, held: Mapping[int, HeldSource]) -> list[Loaded]:
        """The sources to embed, at most a tick's. Those whose text is the one they have a vector of are stamped anew,
        and those whose text was refused stay held, without a request."""
        fresh: list[Loaded] = []
        while len(fresh) < TICK_SOURCES:
            wanted = TICK_SOURCES - len(fresh)
            found = selecting.due(
                desk.looked_at,
                space=self._space,
                kind=desk.kind,
                but=[one.object_id for one in fresh],
                limit=wanted,
                bound=self._bound,
            )
            fresh += self._told_apart(desk, found, held)
            if len(found) < wanted:
                break
        else:
            desk.is_cut_short = True
        return fresh

    def _told_apart(self, desk: _Desk, found: Sequence[Loaded], held: Mapping[int, HeldSource]) -> list[Loaded]:
        """Those of the sources that have to be sent; the others are seen to."""
        known = selecting.digests_of([one.object_id for one in found], space=self._space, kind=desk.kind)
        same = [one for one in found if known.get(one.object_id) == one.digest]
        stamps = [vectors.Stamp(object_id=one.object_id, version=one.version, container=one.container) for one in same]
        if stamps:
            vectors.restamp_vectors(stamps, space=self._space, kind=desk.kind)
            self._figures.restamped += len(stamps)
        rest = [one for one in found if known.get(one.object_id) != one.digest]
        kept = [one for one in rest if one.object_id in held and held[one.object_id].digest == one.digest]
        for one in kept:
            memory.keep_held(kind=desk.kind, object_id=one.object_id, version=one.version)
        fresh = [one for one in rest if one not in kept]
        memory.release_sources(
            kind=desk.kind,
            object_ids=[one.object_id for one in (*same, *fresh) if one.object_id in held],
        )
        desk.texts.update({str(one.object_id): one for one in fresh})
        return fresh

    def _halves(self, desk: _Desk, state: EmbeddingState) -> list[tuple[Source, ...]]:
        """What an isolation had yet to send, without what has been rewritten or is gone since."""
        kept: list[list[list[Any]]] = state.halves.get(desk.kind, [])
        texts = selecting.load(desk.everything, [int(key) for half in kept for key, _, _ in half], bound=self._bound)
        halves: list[tuple[Source, ...]] = []
        for half in kept:
            same = [
                texts[int(key)] for key, _, digest in half if int(key) in texts and texts[int(key)].digest == digest
            ]
            desk.texts.update({str(one.object_id): one for one in same})
            halves.append(tuple(one.source for one in same))
        return halves

    def _alone(self, desk: _Desk, held: Mapping[int, HeldSource]) -> list[Source]:
        """The held sources whose hour is up, as far as this tick offers them."""
        holding = Holding(
            self._provider.configuration,
            {
                str(one.object_id): Held(one.digest, self._now - _LONG_AGO if one.asked_again else one.refused_at)
                for one in held.values()
            },
        )
        texts = selecting.load(desk.everything, [int(key) for key in holding.due(self._now)], bound=self._bound)
        again = [one for one in texts.values() if one.digest == held[one.object_id].digest]
        desk.texts.update({str(one.object_id): one for one in again})
        return [one.source for one in sorted(again, key=lambda one: held[one.object_id].refused_at)]

    def _ask(self, tick: Tick, desks: Mapping[str, _Desk]) -> None:
        """Send what the tick says until it says no more."""
        while (request := tick.next()) is not None:
            desk = desks[request.corpus]
            began = time.monotonic()
            answer, made = self._asked(request, [desk.texts[source.key].text for source in request.sources])
            self._figures.provider_seconds += time.monotonic() - began
            self._figures.requests += 1
            for effect in tick.answered(request, answer):
                self._do(effect, desk, made)

    def _asked(self, request: Request, texts: Sequence[str]) -> tuple[Answer, dict[str, Vector]]:
        """What the provider answered, and the vectors that may be kept."""
        try:
            timeout = SINGLE_SECONDS if len(texts) == 1 else REQUEST_SECONDS
            answered = self._provider.embed(texts, timeout=timeout)
        except InputNotAccepted as refused:
            return InputRefused(str(refused)), {}
        except ProviderUnavailable as failed:
            self._wish = failed.retry_after
            return Failed(str(failed)), {}
        except Exception as error:  # a local model may fail in ways of its own library's
            log.exception("search_embed_broke", model=self._provider.model)
            return Failed(f"{type(error).__name__}: {error}"), {}
        made: dict[str, Vector] = {}
        unusable: dict[str, str] = {}
        for source, components in zip(request.sources, answered, strict=True):
            verdict = judged(components)
            if isinstance(verdict, Usable):
                made[source.key] = verdict.vector
            else:
                unusable[source.key] = verdict.reason
        return Accepted(unusable), made

    def _do(self, effect: Effect, desk: _Desk, made: Mapping[str, Vector]) -> None:
        match effect:
            case Embedded(_, sources):
                self._publish([desk.texts[source.key] for source in sources], desk, made)
            case HoldBack(_, source, reason, is_unusable):
                self._hold(desk.texts[source.key], source, desk, reason=reason, is_unusable=is_unusable)
            case Ended(reason):
                self._failure = reason

    def _publish(self, loaded: Sequence[Loaded], desk: _Desk, made: Mapping[str, Vector]) -> None:
        new = [
            vectors.NewVector(
                object_id=one.object_id,
                version=one.version,
                container=one.container,
                digest=one.digest,
                vector=made[str(one.object_id)],
            )
            for one in loaded
        ]
        vectors.publish_vectors(new, space=self._space, kind=desk.kind, now=timezone.now())
        memory.release_sources(kind=desk.kind, object_ids=[one.object_id for one in loaded])
        memory.count_embedded(self._space, number=len(new))
        self._figures.embedded += len(new)

    def _hold(self, one: Loaded, source: Source, desk: _Desk, *, reason: str, is_unusable: bool) -> None:
        memory.hold_source(
            kind=desk.kind, object_id=one.object_id, version=one.version, digest=one.digest, size=source.size,
            reason=reason, is_unusable=is_unusable, now=self._now,
        )  # fmt: skip
        self._figures.held += 1
        log.warning(
            "search_embed_vector_refused" if is_unusable else "search_embed_input_refused",
            kind=desk.kind,
            id=one.object_id,
            model=self._provider.model,
            bytes=source.size,
            bound=self._bound,
            error=reason,
        )

    def _end(
        self, state: EmbeddingState, tick: Tick, desks: Mapping[str, _Desk], *, reader: ChangeReader, is_sweep: bool
    ) -> Ticked:
        before = Suspicion(has_accepted=state.has_accepted)
        after = tick.suspicion_after(before)
        blamed = tick.blames_configuration(before)
        if blamed:
            log.error("search_embed_every_request_refused", model=self._provider.model)
        halves = tick.halves_left()
        is_left = bool(halves) or tick.has_left or any(desk.is_cut_short for desk in desks.values())
        is_caught_up = not is_left and not self._failure
        ending = Ending(
            revision=self._company.revision,
            position=reader.position,
            is_caught_up=is_caught_up,
            was_sweep=is_sweep,
            halves=halves,
            has_accepted=after.has_accepted,
            is_blamed=blamed or (state.is_blamed and not after.has_accepted),
            failure=self._failure,
            wish=self._wish,
        )
        moved = is_sweep or not self._figures.is_nothing or any(not desk.has_nothing for desk in desks.values())
        memory.end_tick(
            state,
            ending=ending,
            figures=self._figures,
            coverage=self._coverage(desks) if moved else None,
            started_at=self._started_at,
        )
        if is_caught_up:
            for kind in desks:
                tend_index(space=self._space, kind=kind, now=self._now)
        goes_on = is_left and not self._failure and not self._provider.is_metered
        return Ticked(figures=self._figures, failure=self._failure, goes_on=goes_on)

    def _coverage(self, desks: Mapping[str, _Desk]) -> Coverage:
        covered = (selecting.coverage_of(one.everything, space=self._space, kind=one.kind) for one in desks.values())
        return sum(covered, Coverage(0, 0))


def _held_by_kind() -> dict[str, dict[int, HeldSource]]:
    held: dict[str, dict[int, HeldSource]] = {}
    for one in HeldSource.objects.all():
        held.setdefault(one.kind, {})[one.object_id] = one
    return held
