"""Records that a seat read pages: one `knowledge_read` event a read, whichever way the pages came to be read.

Only seats are recorded, and nothing is recorded for nothing. The event is stored in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from company import live
from company.writes.ledger import News, publish

MAX_QUERY_BYTES = 200


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


def record_read(
    *,
    seat: str | None,
    via: Via,
    pages: Sequence[PageRead],
    query: str = "",
    turn_id: str | None = None,
    work_key: str | None = None,
    phase: str | None = None,
) -> None:
    """Store the event of one read by `seat`; nothing where there is no seat or no page."""
    if seat is None or not pages:
        return
    company = live.current()
    held = company.seat_by_handle.get(seat)
    payload = {
        "seat": seat,
        "role": held.name if held is not None else seat,
        "turn_id": turn_id,
        "work_key": work_key,
        "phase": phase,
        "via": via.value,
        "backend": company.backend.value,
        "query": clipped(query),
        "pages": [
            {"id": page.id, "container": page.container, "title": page.title, "rank": page.rank} for page in pages
        ],
    }
    publish(News(type="knowledge_read", payload=payload, seat=seat))


def clipped(query: str) -> str:
    """`query` cut to 200 bytes of UTF-8, on the border of a character."""
    return query.encode("utf-8", "replace")[:MAX_QUERY_BYTES].decode("utf-8", "ignore")
