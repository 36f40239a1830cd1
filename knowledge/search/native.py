"""Search of the pages kept here: by words in this host's lexical index.

What may not be found is left out inside the index, so it never costs a place. The index may be a moment older than
the rows, so each hit is judged again by its row, and the walk goes on past what that drops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import structlog
from django.conf import settings
from django.db import Error

from company import live
from company.rules.chart import Backend, Company
from knowledge.models import Page, PageStatus
from knowledge.reads.trees import Link, ancestors_of
from knowledge.rules.titles import fold
from knowledge.search.lexical.documents import Filters, IndexState, LexicalAnswer, LexicalHit
from knowledge.search.lexical.reader import LexicalReader
from knowledge.search.pages import KIND, is_drafted
from knowledge.search.rules.outcome import NOT_COVERED, Coverage, Degraded, Mode, SearchOutcome, Semantic, outcome_of
from knowledge.search.rules.queries import QueryTokens, query_tokens
from knowledge.search.rules.snippets import snippet_of
from knowledge.search.seam import DRAFTS_PARENT, Found, Hit, Query

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


class NativeSearcher:
    """Searches the index under `root`."""

    backend = Backend.NATIVE

    def __init__(self, root: Path) -> None:
        self._reader = LexicalReader(root)

    def can_search(self, *, seat: str | None) -> bool:
        """Every seat reads every page, so always."""
        return True

    def state(self) -> IndexState:
        """Where the index stands."""
        return self._reader.state()

    def search(self, query: Query) -> Found:
        """The best pages by words. At most five queries of the database, however many pages there are."""
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
            answer, rows = self._walk(
                lambda size: self._reader.titles(tokens, filters=filters, limit=size),
                filters=filters, excluded_titles=(DRAFTS_PARENT,), limit=limit,
            )  # fmt: skip
        except (Error, OSError, ValueError):
            log.exception("search_failed", mode="titles")
            return Found(outcome=_FAILED)
        hits = [_hit(row, found, company=company, rank=rank, snippet="") for rank, (row, found) in enumerate(rows, 1)]
        return Found(outcome=_outcome(Mode.KEYWORD, answer.state), hits=tuple(hits))

    def _search(self, query: Query) -> Found:
        company = live.current()
        state = self._reader.state()
        outcome = _outcome(query.mode, state)
        if outcome.served_mode is None:
            return Found(outcome=outcome)
        tokens = query_tokens(query.text)
        filters = _filters(company, container=query.container, excluded_ancestors=query.excluded_ancestors)
        answer, rows = self._walk(
            lambda size: self._reader.search(tokens, filters=filters, limit=size),
            filters=filters, excluded_titles=query.excluded_ancestors, limit=query.limit,
        )  # fmt: skip
        return Found(outcome=_outcome(query.mode, answer.state), hits=_hydrated(rows, tokens=tokens, company=company))

    def _walk(
        self, look: Callable[[int], LexicalAnswer], *, filters: Filters, excluded_titles: Sequence[str], limit: int
    ) -> tuple[LexicalAnswer, list[tuple[_Row, LexicalHit]]]:
        """The first `limit` hits whose rows may be shown; looks wider until they are found or there are no more."""
        size = limit + _SPARE
        while True:
            answer = look(size)
            shown = _shown([hit.id for hit in answer.hits], filters=filters, excluded_titles=excluded_titles)
            rows = [(shown[hit.id], hit) for hit in answer.hits if hit.id in shown]
            if len(rows) >= limit or len(answer.hits) < size:
                return answer, rows[:limit]
            size *= _WIDER


def native_searcher() -> NativeSearcher:
    """This process's searcher of this host's index."""
    return _searcher_of(settings.INDEX_DIR)


@cache
def _searcher_of(root: Path) -> NativeSearcher:
    return NativeSearcher(root)


def _outcome(mode: Mode, state: IndexState) -> SearchOutcome:
    return outcome_of(
        asked=mode,
        semantic=Semantic(why_not=Degraded.NO_EMBEDDINGS),
        is_building=not state.is_whole,
        coverage=Coverage(nodes=1, complete=state.is_whole),
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


def _hydrated(rows: Sequence[tuple[_Row, LexicalHit]], *, tokens: QueryTokens, company: Company) -> tuple[Hit, ...]:
    """The hits with their snippets. One query."""
    bodies = dict(Page.objects.filter(pk__in=[row.id for row, _ in rows]).values_list("id", "body"))
    return tuple(
        _hit(row, found, company=company, rank=rank, snippet=snippet_of(bodies.get(row.id, ""), tokens))
        for rank, (row, found) in enumerate(rows, start=1)
    )


def _hit(row: _Row, found: LexicalHit, *, company: Company, rank: int, snippet: str) -> Hit:
    return Hit(
        title=row.title,
        url=f"{company.dashboard_base_url}/knowledge/pages/{row.id}",
        container=row.container,
        page_id=row.id,
        snippet=snippet,
        # A draft above a published page is not everybody's to see, and a search does not tell of it.
        ancestors=tuple(link.title for link in row.above if link.status == PageStatus.PUBLISHED),
        score=round(found.score, 4),
        rank=rank,
    )
