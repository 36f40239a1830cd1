"""What an edit of a skill did: its use by version of its page, beside the versions themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from company import live
from company.rules.actors import Actor, Author
from company.rules.windows import MAX_LIMIT, Window
from knowledge.models import RevisionState
from knowledge.reads.pages import list_revisions
from skills.reads.usage import DayOfUse, UsageView

ENOUGH_OFFERS = 10
"""Below so many offers a share of them says nothing, so versions are not compared by it."""


@dataclass(frozen=True, kw_only=True)
class VersionUse:
    """One version of a skill's page and the use it saw within the days shown, from its day to the next one's eve.

    Use is counted by company day, so the day a version was saved on counts to it whole. `first` and `last` are None
    for a version that another one replaced on its own day, or before the days shown. `loaded_more` is by how many of a
    hundred offers more it was loaded than the version before it (below zero: fewer), where both were offered often
    enough to be compared.
    """

    version: int
    author: Author
    saved_at: datetime
    message: str
    day: date
    first: date | None
    last: date | None
    offered: int = 0
    loaded: int = 0
    blocked: int = 0
    loaded_more: int | None = None

    @property
    def loaded_fewer(self) -> int:
        """By how many of a hundred offers fewer it was loaded; 0 where it was not."""
        return max(0, -(self.loaded_more or 0))

    @property
    def loaded_of_offered(self) -> int | None:
        """Of a hundred offers, how many were followed by a load."""
        return round(100 * self.loaded / self.offered) if self.offered else None


def versions_of(*, actor: Actor, page_id: int, usage: UsageView | None) -> Sequence[VersionUse]:
    """The versions a page was served at, newest first (of its last 500), each with the use of its days where use is
    counted: from the day it was published, which is its approval for one that waited. Three queries."""
    zone = ZoneInfo(live.current().timezone)
    rows = list_revisions(actor=actor, page_id=page_id, window=Window(limit=MAX_LIMIT)).results
    found: list[VersionUse] = []
    before: date | None = None  # the day the next version came
    for row in rows:
        if row.state is not RevisionState.PUBLISHED:
            continue
        day = row.published_at.astimezone(zone).date()
        first, last = _days(day, before, usage)
        used = _between(usage, first, last)
        found.append(
            VersionUse(
                version=row.version,
                author=row.author,
                saved_at=row.published_at,
                message=row.message,
                day=day,
                first=first,
                last=last,
                offered=sum(each.offered for each in used),
                loaded=sum(each.loaded for each in used),
                blocked=sum(each.blocked for each in used),
            )
        )
        before = day if before is None else min(before, day)
    return _compared(found)


def _compared(versions: Sequence[VersionUse]) -> tuple[VersionUse, ...]:
    """Each with what it changed against the newest one before it that was used."""
    found: list[VersionUse] = []
    known: int | None = None
    for one in reversed(versions):
        share = one.loaded_of_offered if one.offered >= ENOUGH_OFFERS else None
        more = share - known if share is not None and known is not None else None
        found.append(replace(one, loaded_more=more))
        known = share if share is not None else known
    return tuple(reversed(found))


def _days(day: date, before: date | None, usage: UsageView | None) -> tuple[date | None, date | None]:
    """The days a version counts, of those shown: from its own to the eve of the next one's; none where that is none."""
    if usage is None:
        return None, None
    first = max(day, usage.since)
    last = usage.until if before is None else before - timedelta(days=1)
    return (first, last) if first <= last else (None, None)


def _between(usage: UsageView | None, first: date | None, last: date | None) -> list[DayOfUse]:
    if usage is None or first is None or last is None:
        return []
    return [each for seat in usage.seats for each in seat.by_day if first <= each.day <= last]
