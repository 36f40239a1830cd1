"""Search of what is kept here: by words in this host's lexical index, by meaning in the vectors, by both. Pages are
answered whole; another app's corpus is ranked for it (`rank`), which says what of it may be shown.

What may not be found is left out inside either half, so it never costs a place. Both may be a moment older than the
rows, so each hit is judged again by its row, and the walk goes on past what that drops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

import structlog
from django.conf import settings
from django.db import Error

from company import live
from company.rules.chart import Backend, Company
from knowledge.models import Page, PageStatus
from knowledge.reads.trees import Link, ancestors_of
from knowledge.rules.titles import fold
from knowledge.search.divided import reader_of
from knowledge.search.lexical.documents import Filters, IndexState, LexicalAnswer
from knowledge.search.pages import KIND, is_drafted
from knowledge.search.rules.fusion import fuse
from knowledge.search.rules.outcome import NOT_COVERED, Coverage, Degraded, Mode, SearchOutcome, outcome_of
from knowledge.search.rules.queries import QueryTokens, query_tokens
from knowledge.search.rules.snippets import snippet_of
from knowledge.search.seam import DRAFTS_PARENT, Found, Hit, Query
from knowledge.search.semantic import RETURNED, SemanticHalf, half_not_asked, half_of

#: How many more hits than asked for are looked at first, for those whose rows have gone.
_SPARE = 8

#: How much wider each further look is.
_WIDER = 4

#: What a search answers that could not be made: nothing was covered, and the index has to be looked after.
_FAILED = SearchOutcome(served_mode=None, modes=(Mode.KEYWORD,), coverage=NOT_COVERED, degraded=(Degraded.BUILDING,))

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Row:
    """A page that may be shown, as it stands now."""

    id: int
    container: str
    title: str
    above: tuple[Link, ...]


Shown = TypeVar("Shown")


@dataclass(frozen=True, kw_only=True)
class Ranked(Generic[Shown]):
    """What was found of a corpus, best first, each with its score; what the question was cut into, and its outcome."""

    outcome: SearchOutcome
    tokens: QueryTokens
    rows: Sequence[tuple[Shown, float]] = ()


@dataclass(frozen=True, slots=True)
class _Scored:
    """A document as one way of ranking found it."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Documents, best first, and what the search of the words says of itself."""

    found: Sequence[_Scored]
    words: LexicalAnswer


class NativeSearcher:
    """Searches the index under `root` and the vectors of the database."""

    backend = Backend.NATIVE

    def __init__(self, root: Path) -> None:
        self._reader = reader_of(root)

    def can_search(self, *, seat: str | None) -> bool:
        """Every seat reads every page, so always."""
        return True

    def state(self) -> IndexState:
        """Where the index stands."""
        return self._reader.state()

    def search(self, query: Query) -> Found:
        """The best pages. At most fourteen queries of the database, however many pages there are."""
        try:
            return self._search(query)
        except (Error, OSError, ValueError):
            log.exception("search_failed", mode=query.mode.value)
            return Found(outcome=_FAILED)

    def titles(self, text: str, *, limit: int) -> Found:
        """Pages whose titles hold the words typed so far; snippets are left empty. Never raises."""
        try:
            tokens, company = query_tokens(text), live.current()
            filters = _filters(company, container=None, excluded_ancestors=(DRAFTS_PARENT,))

            def look(size: int) -> _Ranking:
                answer = self._reader.titles(tokens, filters=filters, limit=size)
                return _Ranking([_Scored(hit.id, hit.score) for hit in answer.hits], answer)

            ranking, rows = self._walk(
                look, shown=lambda ids: _shown(ids, filters=filters, excluded_titles=(DRAFTS_PARENT,)), limit=limit
            )
        except (Error, OSError, ValueError):
            log.exception("search_failed", mode="titles")
            return Found(outcome=_FAILED)
        hits = [_hit(row, score, company=company, rank=rank, snippet="") for rank, (row, score) in enumerate(rows, 1)]
        half = half_not_asked(company)
        return Found(outcome=_outcome(Mode.KEYWORD, ranking.words, half), hits=tuple(hits))

    def rank(
        self,
        text: str,
        *,
        mode: Mode,
        limit: int,
        filters: Callable[[Company], Filters],
        shown: Callable[[Sequence[int], Filters], Mapping[int, Shown]],
    ) -> Ranked[Shown]:
        """The first `limit` documents that pass the filters, by words, by meaning or by both.

        `shown` answers those of the documents that may be shown, judged by their rows as they stand; it is asked again
        for more where that leaves too few. Raises `django.db.Error`, OSError and ValueError where a half fails.
        """
        company, tokens = live.current(), query_tokens(text)
        half = half_not_asked(company) if mode is Mode.KEYWORD else half_of(text, company=company)
        outcome = _outcome(mode, self._unasked(), half)
        served = outcome.served_mode
        if served is None:
            return Ranked(outcome=outcome, tokens=tokens)
        narrowed = filters(company)

        def look(size: int) -> _Ranking:
            return self._ranked(served, tokens, half, filters=narrowed, size=size)

        ranking, rows = self._walk(look, shown=lambda ids: shown(ids, narrowed), limit=limit)
        return Ranked(outcome=_outcome(mode, ranking.words, half), tokens=tokens, rows=rows)

    def _search(self, query: Query) -> Found:
        excluded = query.excluded_ancestors
        ranked = self.rank(
            query.text,
            mode=query.mode,
            limit=query.limit,
            filters=lambda company: _filters(company, container=query.container, excluded_ancestors=excluded),
            shown=lambda ids, filters: _shown(ids, filters=filters, excluded_titles=excluded),
        )
        hits = _hydrated(ranked.rows, tokens=ranked.tokens, company=live.current()) if ranked.rows else ()
        return Found(outcome=ranked.outcome, hits=hits)

    def _ranked(self, mode: Mode, tokens: QueryTokens, half: SemanticHalf, *, filters: Filters, size: int) -> _Ranking:
        """At least `size` documents where so many match, by one half or by both."""
        if mode is Mode.SEMANTIC:
            found = half.search(filters=filters, limit=size)
            return _Ranking([_Scored(hit.id, hit.score) for hit in found], self._unasked())
        # What is far down in one half may be first in both, so a fusion looks as deep into the words as into meaning.
        depth = size if mode is Mode.KEYWORD else max(size, RETURNED)
        answer = self._reader.search(tokens, filters=filters, limit=depth)
        if mode is Mode.KEYWORD:
            return _Ranking([_Scored(hit.id, hit.score) for hit in answer.hits], answer)
        fused = fuse(
            keyword=[hit.id for hit in answer.hits],
            semantic=[hit.id for hit in half.search(filters=filters, limit=size)],
            identifiers={hit.id: hit.identifiers for hit in answer.hits},
        )
        return _Ranking([_Scored(one.key, one.score) for one in fused], answer)

    def _unasked(self) -> LexicalAnswer:
        """How far the index of words is, where nothing is looked for in it."""
        return LexicalAnswer(hits=(), state=self._reader.state())

    def _walk(
        self, look: Callable[[int], _Ranking], *, shown: Callable[[Sequence[int]], Mapping[int, Shown]], limit: int
    ) -> tuple[_Ranking, list[tuple[Shown, float]]]:
        """The first `limit` documents that may be shown; looks wider until they are found or there are no more."""
        size = limit + _SPARE
        while True:
            ranking = look(size)
            seen = ranking.found[:size]
            there = shown([one.id for one in seen])
            rows = [(there[one.id], one.score) for one in seen if one.id in there]
            if len(rows) >= limit or len(ranking.found) < size:
                return ranking, rows[:limit]
            size *= _WIDER


def native_searcher() -> NativeSearcher:
    """This process's searcher of this host's index."""
    return _searcher_of(settings.INDEX_DIR)


@cache
def _searcher_of(root: Path) -> NativeSearcher:
    return NativeSearcher(root)


def _outcome(mode: Mode, words: LexicalAnswer, half: SemanticHalf) -> SearchOutcome:
    return outcome_of(
        asked=mode,
        semantic=half.worth,
        is_building=not words.state.is_whole,
        coverage=Coverage(
            nodes=words.nodes,
            complete=words.state.is_whole and not words.buckets_missing,
            buckets_missing=words.buckets_missing,
        ),
    )


def _filters(company: Company, *, container: str | None, excluded_ancestors: Sequence[str]) -> Filters:
    """What the document and the question leave of the index. One query, none where no ancestor is excluded."""
    containers = frozenset(company.scope) if company.scope else None
    if container is not None:
        containers = frozenset({container}) & (containers if containers is not None else {container})
    addresses = [fold(title) for title in excluded_ancestors]
    excluded = Page.objects.filter(address__in=addresses).values_list("pk", flat=True) if addresses else ()
    return Filters(
        kinds=frozenset({KIND}),
        containers=containers,
        excluded_containers=frozenset({company.skills_container}) if company.skills_container else frozenset(),
        excluded_ancestors=frozenset(excluded),
    )


def _shown(page_ids: Sequence[int], *, filters: Filters, excluded_titles: Sequence[str]) -> dict[int, _Row]:
    """Those of the pages that may be shown, judged by their rows as they stand. Two queries."""
    excluded = {fold(title) for title in excluded_titles}
    found = {
        page_id: (container, title)
        for page_id, container, title in Page.objects.filter(pk__in=page_ids, status=PageStatus.PUBLISHED).values_list(
            "id", "container", "title"
        )
        if container not in filters.excluded_containers
        and (filters.containers is None or container in filters.containers)
        and not is_drafted(title)
    }
    above = ancestors_of(list(found))
    return {
        page_id: _Row(page_id, container, title, above[page_id])
        for page_id, (container, title) in found.items()
        if excluded.isdisjoint(fold(link.title) for link in above[page_id])
    }


def _hydrated(rows: Sequence[tuple[_Row, float]], *, tokens: QueryTokens, company: Company) -> tuple[Hit, ...]:
    """The hits with their snippets. One query."""
    bodies = dict(Page.objects.filter(pk__in=[row.id for row, _ in rows]).values_list("id", "body"))
    return tuple(
        _hit(row, score, company=company, rank=rank, snippet=snippet_of(bodies.get(row.id, ""), tokens))
        for rank, (row, score) in enumerate(rows, start=1)
    )


def _hit(row: _Row, score: float, *, company: Company, rank: int, snippet: str) -> Hit:
    return Hit(
        title=row.title,
        url=f"{company.dashboard_base_url}/knowledge/pages/{row.id}",
        container=row.container,
        page_id=row.id,
        snippet=snippet,
        # A draft above a published page is not everybody's to see, and a search does not tell of it.
        ancestors=tuple(link.title for link in row.above if link.status == PageStatus.PUBLISHED),
        score=round(score, 4),
        rank=rank,
    )
