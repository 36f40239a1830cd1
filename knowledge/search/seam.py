"""The seam of search: what a caller asks, what it is answered, and which backend answers.

Callers give plain text. Which spaces are in scope, what is left out and in which language the backend is asked are
the backend's own affair. `search` never raises: what went wrong stands in the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from company import live
from company.rules.chart import Backend
from knowledge.search.rules.outcome import NOT_COVERED, Degraded, Mode, SearchOutcome

#: The title of the page that promotion files its drafts under.
DRAFTS_PARENT = "Auto-Drafted Skills"

DEFAULT_LIMIT = 8
MAX_LIMIT = 50


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is asked: text as a person writes it, the seat that asks, at most `limit` hits.

    `excluded_ancestors` are titles: pages beneath one so titled are left out. `container` is a space the reader chose
    to look in, None for all that are in scope.
    """

    text: str
    seat: str | None = None
    mode: Mode = Mode.HYBRID
    limit: int = DEFAULT_LIMIT
    container: str | None = None
    excluded_ancestors: tuple[str, ...] = (DRAFTS_PARENT,)


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One page found. `snippet` is plain text, `ancestors` are titles from the top down, `rank` counts from 1."""

    title: str
    url: str
    container: str
    page_id: int
    snippet: str
    ancestors: tuple[str, ...]
    score: float
    rank: int


@dataclass(frozen=True, kw_only=True)
class Found:
    """The hits, best first, and what the search was worth."""

    outcome: SearchOutcome
    hits: tuple[Hit, ...] = field(default=())


class Searcher(Protocol):
    """A knowledge base that can be searched."""

    @property
    def backend(self) -> Backend:
        """Where its pages live."""

    def can_search(self, *, seat: str | None) -> bool:
        """Whether a search of this seat could find anything, so that nobody pays for a question to no end."""

    def search(self, query: Query) -> Found:
        """The best hits and the outcome. Never raises."""


#: The answer where there is nothing to search.
UNSUPPORTED = SearchOutcome(served_mode=None, modes=(), coverage=NOT_COVERED, degraded=(Degraded.UNSUPPORTED,))


@dataclass(frozen=True)
class NoSearcher:
    """For a company whose pages are kept where this deployment cannot look."""

    backend: Backend

    def can_search(self, *, seat: str | None) -> bool:
        """Never."""
        return False

    def search(self, query: Query) -> Found:
        """Nothing, and the outcome says why."""
        return Found(outcome=UNSUPPORTED)


def searcher() -> Searcher:
    """The searcher of the company in force."""
    from knowledge.search.native import native_searcher  # it loads the index's library: only where it is used

    backend = live.current().backend
    return native_searcher() if backend is Backend.NATIVE else NoSearcher(backend)
