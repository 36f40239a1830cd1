"""Isolation: finding the one input that makes a request refused. Pure; the state machine of one tick.

A refusal says that a request is unacceptable and not which input is. So a refused request is halved, the halves ahead
of everything else, until the refused input is alone; every half accepted on the way is embedded. One input among 128
costs at most fifteen requests. Whatever the tick does not reach is kept and taken up by the next.

The duty asks `next()` what to send, tells `answered()` how it went, and does what the effects say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from knowledge.embedding.rules.packing import Limits, how_many
from knowledge.embedding.rules.turns import Turns


@dataclass(frozen=True, slots=True)
class Source:
    """A text to embed, by its document's key: how many bytes it has, and their digest."""

    key: str
    size: int
    digest: str


class Kind(StrEnum):
    """Why a request is sent: part of a refused one, a held source offered again, or what was selected."""

    HALF = "half"
    ALONE = "alone"
    FRESH = "fresh"


@dataclass(frozen=True, slots=True)
class Request:
    """What to send next."""

    corpus: str
    sources: tuple[Source, ...]
    kind: Kind


@dataclass(frozen=True, slots=True)
class Accepted:
    """The provider answered every input. `unusable` are the keys of those whose vector must not be kept, and why."""

    unusable: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InputRefused:
    """The provider will not take this request (400, 413 or 422), in its own words."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Anything else went wrong: a rate limit, a timeout, a server down, a credential refused. About no input."""

    reason: str


Answer = Accepted | InputRefused | Failed


@dataclass(frozen=True, slots=True)
class Embedded:
    """These sources have their vectors."""

    corpus: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class HoldBack:
    """This source is to be held back. `is_unusable`: it was its vector that cannot be kept."""

    corpus: str
    source: Source
    reason: str
    is_unusable: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """The tick sends nothing more; the next one asks again."""

    reason: str


Effect = Embedded | HoldBack | Ended


@dataclass(frozen=True, kw_only=True)
class Work:
    """What one corpus has for a tick: halves an earlier tick left, held sources that are due, and the selected ones."""

    halves: Sequence[tuple[Source, ...]] = ()
    alone: Sequence[Source] = ()
    fresh: Sequence[Source] = ()


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """Whether the configuration, rather than any document, is what the provider refuses.

    `has_accepted`: a request was accepted since this process began to embed as configured. Two different inputs
    refused alone for the first time in one tick, and nothing accepted or failed beside, point to the configuration.
    """

    has_accepted: bool = False

    def blames_configuration(self, *, refused_alone: frozenset[str], has_failed: bool) -> bool:
        """Whether a tick that ended so is to say that every request is refused."""
        return not self.has_accepted and not has_failed and len(refused_alone) >= 2


class Tick:
    """One tick over all corpora, in turns. `next` and `answered` alternate."""

    def __init__(self, work: Mapping[str, Work], *, limits: Limits, turns: Turns | None = None) -> None:
        self._limits = limits
        self._turns = turns or Turns(tuple(work))
        self._queues = {corpus: _Queue(of) for corpus, of in work.items()}
        self._counted: set[tuple[str, str]] = set()
        self._refused_alone: set[str] = set()
        self._has_accepted = False
        self._has_failed = False

    def next(self) -> Request | None:
        """The next request, None when the work or the tick's budget is spent, or a failure has ended it."""
        if self._has_failed:
            return None
        with_work = {corpus for corpus, queue in self._queues.items() if queue}
        counted = {corpus for corpus in with_work if self._is_counted(corpus, self._queues[corpus].first_half())}
        turn = self._turns.next(with_work=with_work, counted=counted)
        if turn is None:
            return None
        kind, sources = self._queues[turn.corpus].take(
            self._limits, at_most=turn.sources, is_half_counted=turn.corpus in counted
        )
        names = {(turn.corpus, source.key) for source in sources}
        self._turns.spend(turn.corpus, sources=len(names - self._counted))
        self._counted |= names
        return Request(turn.corpus, sources, kind)

    def answered(self, request: Request, answer: Answer) -> tuple[Effect, ...]:
        """What an answer means for what was sent."""
        queue = self._queues[request.corpus]
        match answer:
            case Accepted(unusable):
                self._has_accepted = True
                kept = tuple(source for source in request.sources if source.key not in unusable)
                held = (
                    HoldBack(request.corpus, source, unusable[source.key], is_unusable=True)
                    for source in request.sources
                    if source.key in unusable
                )
                return (*((Embedded(request.corpus, kept),) if kept else ()), *held)
            case InputRefused(reason):
                if len(request.sources) > 1:
                    queue.split(request.sources)
                    return ()
                (source,) = request.sources
                if request.kind is not Kind.ALONE:
                    self._refused_alone.add(f"{request.corpus}:{source.key}")
                return (HoldBack(request.corpus, source, reason, is_unusable=False),)
            case Failed(reason):
                self._has_failed = True
                if request.kind is Kind.HALF:
                    queue.put_back(request.sources)
                return (Ended(reason),)

    def halves_left(self) -> dict[str, tuple[tuple[Source, ...], ...]]:
        """What the next tick has to take up first, by corpus."""
        return {corpus: tuple(queue.halves) for corpus, queue in self._queues.items() if queue.halves}

    @property
    def has_left(self) -> bool:
        """Whether there was more to send than the tick's budget, or a failure, let through."""
        return any(self._queues.values())

    def suspicion_after(self, before: Suspicion) -> Suspicion:
        """What is known about the configuration after this tick."""
        return Suspicion(has_accepted=before.has_accepted or self._has_accepted)

    def blames_configuration(self, before: Suspicion) -> bool:
        """Whether this tick is to say that the configuration is being refused."""
        return self.suspicion_after(before).blames_configuration(
            refused_alone=frozenset(self._refused_alone), has_failed=self._has_failed
        )

    def _is_counted(self, corpus: str, half: Iterable[Source]) -> bool:
        names = {(corpus, source.key) for source in half}
        return bool(names) and names <= self._counted


class _Queue:
    """What one corpus still has to send, in the order it is sent."""

    def __init__(self, work: Work) -> None:
        self.halves: deque[tuple[Source, ...]] = deque(half for half in work.halves if half)
        waiting = {source.key for half in self.halves for source in half}
        self._alone = deque(source for source in work.alone if source.key not in waiting)
        waiting |= {source.key for source in self._alone}
        self._fresh = deque(source for source in work.fresh if source.key not in waiting)

    def __bool__(self) -> bool:
        return bool(self.halves or self._alone or self._fresh)

    def first_half(self) -> tuple[Source, ...]:
        return self.halves[0] if self.halves else ()

    def take(self, limits: Limits, *, at_most: int, is_half_counted: bool) -> tuple[Kind, tuple[Source, ...]]:
        """The next request's sources, at most `at_most` of them not sent in this tick before."""
        if self.halves:
            half = self.halves.popleft()
            if not is_half_counted and len(half) > at_most:
                self.halves.appendleft(half[at_most:])
                half = half[:at_most]
            return Kind.HALF, half
        if self._alone:
            return Kind.ALONE, (self._alone.popleft(),)
        offered = list(self._fresh)[: min(at_most, limits.request_inputs)]
        count = how_many([source.size for source in offered], limits)
        return Kind.FRESH, tuple(self._fresh.popleft() for _ in range(count))

    def split(self, sources: tuple[Source, ...]) -> None:
        middle = (len(sources) + 1) // 2
        self.halves.extendleft((sources[middle:], sources[:middle]))

    def put_back(self, sources: tuple[Source, ...]) -> None:
        self.halves.appendleft(sources)
