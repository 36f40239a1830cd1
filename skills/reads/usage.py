"""Reads of usage: whom a skill reached. Usage follows the page, whichever key it had on a day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Max, Sum
from django.utils import timezone

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.days import REACH_DAYS, days_back
from company.rules.permissions import require_app
from skills.models.usage import SkillUsage
from skills.reads.served import served_under


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What one seat made of a skill over some days."""

    seat: str
    offered: int
    loaded: int
    blocked: int
    last_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class DayOfUse:
    """One company day of it."""

    day: date
    offered: int
    loaded: int
    blocked: int


@dataclass(frozen=True, kw_only=True)
class SeatUsage(Reach):
    """A seat's use with its days, oldest first; days without use are left out."""

    by_day: tuple[DayOfUse, ...]


@dataclass(frozen=True, kw_only=True)
class UsageView:
    """A skill's use between two company days, both included."""

    key: str
    since: date
    until: date
    seats: tuple[SeatUsage, ...]


def usage_of(*, actor: Actor, key: str, days: int = REACH_DAYS) -> UsageView:
    """Each seat's use of the skill served under `key`; `not_found` where there is none. One query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    served = served_under(key)
    since, until = days_back(live.current(), timezone.now(), days)
    rows = (
        SkillUsage.objects.filter(page_id=served.page_id, day__range=(since, until))
        .values("seat", "day")
        .annotate(offers=Sum("offered"), loads=Sum("loaded"), blocks=Sum("blocked"), latest=Max("last_at"))
        .order_by("seat", "day")
    )
    by_seat: defaultdict[str, list[DayOfUse]] = defaultdict(list)
    latest: dict[str, datetime | None] = {}
    for row in rows:
        by_seat[row["seat"]].append(
            DayOfUse(day=row["day"], offered=row["offers"], loaded=row["loads"], blocked=row["blocks"])
        )
        latest[row["seat"]] = row["latest"]
    return UsageView(
        key=key,
        since=since,
        until=until,
        seats=tuple(
            SeatUsage(
                seat=seat,
                offered=sum(day.offered for day in used),
                loaded=sum(day.loaded for day in used),
                blocked=sum(day.blocked for day in used),
                last_at=latest[seat],
                by_day=tuple(used),
            )
            for seat, used in by_seat.items()
        ),
    )


def reach_of_pages(page_ids: Iterable[int], *, days: int = REACH_DAYS) -> dict[int, Sequence[Reach]]:
    """The seats each page's skill reached over the latest days, by seat. One query."""
    since, until = days_back(live.current(), timezone.now(), days)
    rows = (
        SkillUsage.objects.filter(page_id__in=list(page_ids), day__range=(since, until))
        .values("page_id", "seat")
        .annotate(offers=Sum("offered"), loads=Sum("loaded"), blocks=Sum("blocked"), latest=Max("last_at"))
        .order_by("page_id", "seat")
    )
    found: defaultdict[int, list[Reach]] = defaultdict(list)
    for row in rows:
        found[row["page_id"]].append(
            Reach(
                seat=row["seat"],
                offered=row["offers"],
                loaded=row["loads"],
                blocked=row["blocks"],
                last_at=row["latest"],
            )
        )
    return dict(found)


def skill_loaded_by(*, page_id: int, container: str) -> list[dict[str, object]] | None:
    """What a page's answer says of its skill, or None for a page that is none's: whom it reached, by seat."""
    if container != live.current().skills_container:
        return None
    reached = reach_of_pages([page_id]).get(page_id, ())
    return [
        {
            "handle": reach.seat,
            "loaded": reach.loaded,
            "offered": reach.offered,
            "last_at": reach.last_at.isoformat() if reach.last_at is not None else None,
        }
        for reach in reached
    ]
