"""Asking the search for items on behalf of an actor. A search never fails: what went wrong stands in its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from django.db import Error

from company import live
from company.rules.actors import Actor
from company.rules.chart import Company
from knowledge.search.lexical.documents import Filters
from knowledge.search.native import native_searcher
from knowledge.search.rules.outcome import NOT_COVERED, Degraded, Mode, SearchOutcome
from knowledge.search.rules.queries import checked
from knowledge.search.rules.snippets import snippet_of
from knowledge.search.seam import DEFAULT_LIMIT
from tracker.models import Item
from tracker.reads.rows import address_of, company_read_by, living
from tracker.reads.subjects import KIND
from tracker.rules.vocabulary import Status

log = structlog.get_logger(__name__)

_FAILED = SearchOutcome(served_mode=None, modes=(Mode.KEYWORD,), coverage=NOT_COVERED, degraded=(Degraded.BUILDING,))


@dataclass(frozen=True, kw_only=True)
class ItemHit:
    """One item found. `snippet` is plain text, `container` its project, `rank` counts from 1; `page_id` and `ancestors`
    are a page's, and empty here."""

    key: str
    title: str
    url: str
    container: str
    status: Status
    snippet: str
    score: float
    rank: int
    page_id: int | None = None
    ancestors: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FoundItems:
    """The hits, best first, and what the search was worth."""

    outcome: SearchOutcome
    hits: tuple[ItemHit, ...] = field(default=())


def search_items(
    *, actor: Actor, text: str, mode: Mode = Mode.HYBRID, project: str | None = None, limit: int = DEFAULT_LIMIT
) -> FoundItems:
    """The living items that answer `text`, best first, and the outcome; in one `project`, or in all of them.

    Refuses: `scope_missing`, `forbidden`; `required`, `invalid` or `too_long` for a text that cannot be asked.
    """
    company_read_by(actor)
    asked = checked(text)

    def filters(_company: Company) -> Filters:
        return Filters(kinds=frozenset({KIND}), containers=frozenset({project}) if project is not None else None)

    try:
        ranked = native_searcher().rank(asked, mode=mode, limit=limit, filters=filters, shown=_shown)
        company = live.current()
        hits = tuple(
            ItemHit(
                key=row.key,
                title=row.title,
                url=address_of(row.key, company=company),
                container=row.project,
                status=Status(row.status),
                snippet=snippet_of(row.description, ranked.tokens),
                score=round(score, 4),
                rank=rank,
            )
            for rank, (row, score) in enumerate(ranked.rows, start=1)
        )
    except (Error, OSError, ValueError):
        log.exception("search_failed", mode=mode.value, kind=KIND)
        return FoundItems(outcome=_FAILED)
    return FoundItems(outcome=ranked.outcome, hits=hits)


def _shown(item_ids: Sequence[int], filters: Filters) -> Mapping[int, Item]:
    """Those of the items that are living, and in the project that is asked for, as they stand. One query."""
    rows = Item.objects.filter(living(), pk__in=item_ids).only("key", "project", "title", "status", "description")
    return {row.pk: row for row in rows if filters.containers is None or row.project in filters.containers}
