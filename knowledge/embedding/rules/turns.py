"""Turns: how the requests and sources of one tick are shared between corpora. Pure.

The provider's budget is the company's, not a corpus's. Corpora with work take turns, a request at a time, and each has
an equal share of the tick in reserve while it has work, so that one being filled cold can never keep another from
being reached. What a corpus without work would have had, the others take.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

#: The most sources and requests of one tick, over all corpora.
TICK_SOURCES = 1_024
TICK_REQUESTS = 32


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose request is next, and how many sources not counted yet it may carry; none for a request of counted ones."""

    corpus: str
    sources: int


@dataclass
class Turns:
    """The budget of one tick. `next` says whose turn it is, `spend` takes what a request used."""

    corpora: Sequence[str]
    requests: int = TICK_REQUESTS
    sources: int = TICK_SOURCES
    _requests_used: dict[str, int] = field(default_factory=dict, init=False)
    _sources_used: dict[str, int] = field(default_factory=dict, init=False)
    _last: str | None = field(default=None, init=False)

    def next(self, *, with_work: Collection[str], counted: Collection[str] = ()) -> Turn | None:
        """The next turn, None when the tick's budget or the work is spent.

        `with_work` names the corpora that have anything to send, `counted` those of them whose next request carries
        only sources that the tick has counted before.
        """
        for corpus in self._in_turn():
            if corpus not in with_work or self._left(self.requests, self._requests_used, corpus, with_work) < 1:
                continue
            sources = max(0, self._left(self.sources, self._sources_used, corpus, with_work))
            if sources > 0 or corpus in counted:
                return Turn(corpus=corpus, sources=sources)
        return None

    def spend(self, corpus: str, *, sources: int) -> None:
        """Take one request, and the sources it carried that were not counted before, off the budget."""
        self._requests_used[corpus] = self._requests_used.get(corpus, 0) + 1
        self._sources_used[corpus] = self._sources_used.get(corpus, 0) + sources
        self._last = corpus

    def _in_turn(self) -> Sequence[str]:
        if self._last is None:
            return self.corpora
        after = self.corpora.index(self._last) + 1
        return [*self.corpora[after:], *self.corpora[:after]]

    def _left(self, budget: int, used: dict[str, int], corpus: str, with_work: Collection[str]) -> int:
        """What is left for a corpus once the unused shares of the others that have work are set aside."""
        share = budget // len(self.corpora)
        aside = sum(
            max(0, share - used.get(other, 0)) for other in self.corpora if other != corpus and other in with_work
        )
        return budget - sum(used.values()) - aside
