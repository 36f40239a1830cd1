"""Records that a seat read pages: one `knowledge_read` event a read, whichever way the pages came to be read, and each
page counted for the company day.

Only seats are recorded (`Actor.own_seat`), and nothing is recorded for nothing: what people read is their own affair.
Both are stored in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from django.db import connection, transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.days import company_day
from company.rules.occasions import NO_OCCASION, Occasion
from company.writes.ledger import News, publish
from knowledge.models import PageReading
from knowledge.reads.pages import get_page, page_at
from knowledge.reads.shapes import MovedTo, PageView

MAX_QUERY_BYTES = 200
_CUT = "…"


class Via(StrEnum):
    """How pages came to be read."""

    GET_PAGE = "get_page"
    SEARCH = "search"
    PREFETCH = "prefetch"
    SKILL_LOADED = "skill_loaded"
    SKILL_INJECTED = "skill_injected"


@dataclass(frozen=True, kw_only=True)
class PageRead:
    """One page of a read, with the place it had in it, counted from 1."""

    id: int
    container: str
    title: str
    rank: int


# Rows are locked in one order, so that two reads of a seat that show the same pages do not wait for each other.
_COUNT = """
INSERT INTO knowledge_pagereading (page_id, seat, via, day, count, last_at, last_turn_id, last_query)
SELECT page_id, %(seat)s, %(via)s, %(day)s, 1, %(now)s, %(turn)s, %(query)s
FROM unnest(%(page_ids)s::bigint[]) AS shown (page_id)
ORDER BY page_id
ON CONFLICT (page_id, day, seat, via) DO UPDATE SET
    count = knowledge_pagereading.count + 1,
    last_at = excluded.last_at,
    last_turn_id = excluded.last_turn_id,
    last_query = excluded.last_query
"""


def open_page(*, actor: Actor, page_id: int, occasion: Occasion = NO_OCCASION) -> PageView:
    """The page, which counts as read by the seat whose own credential asks. Refuses as `get_page` does."""
    page = get_page(actor=actor, page_id=page_id)
    _note(page, actor=actor, occasion=occasion)
    return page


def open_page_at(*, actor: Actor, container: str, title: str, occasion: Occasion = NO_OCCASION) -> PageView | MovedTo:
    """The page at an address, which counts as read, or where it went. Refuses as `page_at` does."""
    found = page_at(actor=actor, container=container, title=title)
    if isinstance(found, PageView):
        _note(found, actor=actor, occasion=occasion)
    return found


def _note(page: PageView, *, actor: Actor, occasion: Occasion) -> None:
    if actor.own_seat is None:
        return
    shown = PageRead(id=page.id, container=page.container, title=page.title, rank=1)
    with transaction.atomic():
        record_read(seat=actor.own_seat, via=Via.GET_PAGE, pages=[shown], occasion=occasion)


def record_read(
    *,
    seat: str | None,
    via: Via,
    pages: Sequence[PageRead],
    query: str = "",
    occasion: Occasion = NO_OCCASION,
) -> None:
    """Store the event of one read by `seat` and count it; nothing where there is no seat or no page."""
    company = live.current()
    if seat is None or not pages:
        return
    held = company.seat_by_handle.get(seat)
    payload = {
        "seat": seat,
        "role": held.name if held is not None else seat,
        "turn_id": occasion.turn_id,
        "work_key": occasion.work_key,
        "phase": occasion.phase,
        "via": via.value,
        "backend": company.backend.value,
        "query": clipped(query),
        "pages": [
            {"id": page.id, "container": page.container, "title": page.title, "rank": page.rank} for page in pages
        ],
    }
    publish(News(type="knowledge_read", payload=payload, seat=seat))
    _count(pages, seat=seat, via=via, query=query, occasion=occasion, company=company)


def _count(pages: Sequence[PageRead], *, seat: str, via: Via, query: str, occasion: Occasion, company: Company) -> None:
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            _COUNT,
            {
                "seat": seat,
                "via": via.value,
                "day": company_day(company, now),
                "now": now,
                "turn": occasion.turn_id,
                "query": clipped(query),
                "page_ids": list({page.id for page in pages}),
            },
        )


def forget_readings(*, before: date) -> int:
    """Drop what was counted of days before a company day; answers how many rows. For the duty, so without an actor."""
    with transaction.atomic():
        dropped, _ = PageReading.objects.filter(day__lt=before).delete()
    return dropped


def clipped(query: str) -> str:
    """`query` in at most 200 bytes of UTF-8; one that is longer is cut at the border of a character and says so."""
    data = query.encode("utf-8", "replace")
    if len(data) <= MAX_QUERY_BYTES:
        return data.decode("utf-8")
    return data[: MAX_QUERY_BYTES - len(_CUT.encode())].decode("utf-8", "ignore") + _CUT
