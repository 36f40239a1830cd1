"""How the trash empties itself: after how long, how much at once, when what failed is tried again. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

KEPT_FOR = timedelta(days=30)
"""How long a page can be restored. The term runs from its latest trashing."""

MOST_A_PASS = 1_000
"""How many pages a pass looks at, so that a backlog drains without holding up everybody's writes."""

RETRY_AFTER = timedelta(minutes=10)
"""When a purge that failed is tried again."""

REAPER = "trash-reaper"
"""The name the engine purges under, recorded as an operator's."""


def emptied_at(trashed_at: datetime) -> datetime:
    """From when on a page may be purged by the engine."""
    return trashed_at + KEPT_FOR


def cutoff_at(now: datetime) -> datetime:
    """Whatever was trashed at this moment or before has been in the trash for its whole term."""
    return now - KEPT_FOR


def operation_of(*, page_id: int, trashed_at: datetime, kind: str = "") -> str:
    """The id of the one purge that ends this stay in the trash, the same however often it is tried; `kind` names what
    is no page."""
    return f"trash-reap:{kind}{':' if kind else ''}{page_id}:{trashed_at.isoformat()}"


def reason_of(cutoff: datetime) -> str:
    """What the marker of the purge says."""
    return f"In the trash since before {cutoff:%d %B %Y, %H:%M} UTC; its term of {KEPT_FOR.days} days is over."
