"""Who read a page, and which pages of a space nobody reads. Narrowed by the actor; what agents' seats were shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Exists, OuterRef
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.days import check_days, days_back
from company.rules.windows import MAX_LIMIT, Listing, Window
from knowledge.models import Page, PageReading, PageStatus
from knowledge.reads.containers import get_container
from knowledge.reads.levels import (
    CURSOR_WIDTH,
    LISTED,
    ORDER,
    after_place,
    children_of,
    company_read_by,
    cursor_of,
    rows_of,
    shown_to,
)
from knowledge.reads.pages import require_readable
from knowledge.reads.shapes import PageRow

READERS_DAYS = 30
"""A page shows who read it over 1 to 30 days (requirement RD-02)."""
UNREAD_DAYS = 90
"""A space lists the pages nobody read in as many days (requirement RD-02)."""

__all__ = ["CURSOR_WIDTH", "READERS_DAYS", "UNREAD_DAYS", "Reader", "Readers", "list_unread", "readers_of"]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A seat and one way in which the page reached it. `role` is the seat's name now, its handle where it is gone."""

    handle: str
    role: str
    via: str
    count: int
    last_at: datetime
    last_turn_id: str | None
    last_query: str


@dataclass(frozen=True, kw_only=True)
class Readers:
    """Who read a page between two company days, both included, latest first; `readers_total` counts beyond the list."""

    since: date
    until: date
    days: int
    readers: tuple[Reader, ...]
    readers_total: int


def readers_of(*, actor: Actor, page_id: int, days: int = READERS_DAYS) -> Readers:
    """Who read a page lately. Refuses `invalid` and `too_long` for the days, `not_found` as for the page. Two
    queries."""
    check_days(days, maximum=READERS_DAYS)
    require_readable(actor, page_id)
    return readers_lately(page_id, days=days)


def readers_lately(page_id: int, *, days: int = READERS_DAYS) -> Readers:
    """The same for a page its reader has been shown already. One query."""
    company = live.current()
    since, until = days_back(company, timezone.now(), days)
    rows = PageReading.objects.filter(page_id=page_id, day__range=(since, until))
    found: dict[tuple[str, str], Reader] = {}
    for row in rows.order_by("last_at", "pk"):
        before = found.get((row.seat, row.via))
        seat = company.seat_by_handle.get(row.seat)
        found[row.seat, row.via] = Reader(
            handle=row.seat,
            role=seat.name if seat is not None else row.seat,
            via=row.via,
            count=row.count + (before.count if before is not None else 0),
            last_at=row.last_at,
            last_turn_id=row.last_turn_id,
            last_query=row.last_query,
        )
    latest = sorted(found.values(), key=lambda reader: (reader.last_at, reader.handle, reader.via), reverse=True)
    return Readers(since=since, until=until, days=days, readers=tuple(latest[:MAX_LIMIT]), readers_total=len(latest))


def list_unread(*, actor: Actor, container: str, window: Window) -> Listing[PageRow]:
    """The published pages of a space that have been there for 90 days and that no agent's seat was shown since, in the
    order of the space; a folder says nothing, so it is none of them. Refuses `not_found` for a space that is not
    declared. Five queries at most."""
    get_container(actor=actor, key=container)
    company = company_read_by(actor)
    now = timezone.now()
    since, _ = days_back(company, now, UNREAD_DAYS)
    shown = shown_to(actor=actor, company=company, label=None, title=None, status=PageStatus.PUBLISHED)
    read = PageReading.objects.filter(page_id=OuterRef("pk"), day__gte=since)
    unread = Page.objects.filter(
        shown, ~Exists(read), container=container, is_folder=False, created_at__lt=now - timedelta(days=UNREAD_DAYS)
    )
    total = unread.count()
    rows = list(
        unread.filter(after_place(window.after))
        .order_by(*ORDER)
        .values(*LISTED, under=children_of(shown))[: window.limit + 1]
    )
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = cursor_of(rows[-1])
    return Listing(results=rows_of(rows, trail=None, actor=actor, company=company), total=total, after=cursor)
