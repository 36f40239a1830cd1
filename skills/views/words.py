"""Triggers and figures as a person reads them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from skills.reads.usage import SeatUsage
from skills.tool_skills.rules.triggers import AllOf, AnyOf, McpServer, Tool, Trigger

BAR_WIDTH = 10
BAR_GAP = 2
CHART_HEIGHT = 56


def trigger_in_words(trigger: Trigger, *, inside: bool = False) -> str:
    """When a skill is offered: `with the tool x, or any tool of the server y`."""
    match trigger:
        case Tool(name=name):
            return f"the tool {name}"
        case McpServer(name=name):
            return f"any tool of the server {name}"
        case AnyOf(parts=parts):
            words = " or ".join(trigger_in_words(part, inside=True) for part in parts)
        case AllOf(parts=parts):
            words = " together with ".join(trigger_in_words(part, inside=True) for part in parts)
    return f"({words})" if inside and len(parts) > 1 else words


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One day of a seat's chart, in the units of its drawing: where it stands, and how high each part reaches."""

    day: date
    x: int
    offered: int
    loaded: int
    blocked: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A seat's days as bars on one scale with the other seats."""

    usage: SeatUsage
    bars: tuple[Bar, ...]
    width: int


def charts(seats: tuple[SeatUsage, ...], *, since: date, until: date) -> tuple[Chart, ...]:
    """A chart for each seat, every one over the same days and to the same scale."""
    days = (until - since).days + 1
    highest = max((max(day.offered, day.loaded, day.blocked) for seat in seats for day in seat.by_day), default=1) or 1
    step = BAR_WIDTH + BAR_GAP

    def height(number: int) -> int:
        return max(2, round(number / highest * CHART_HEIGHT)) if number else 0

    return tuple(
        Chart(
            usage=seat,
            width=days * step - BAR_GAP,
            bars=tuple(
                Bar(
                    day=day.day,
                    x=(day.day - since) // timedelta(days=1) * step,
                    offered=height(day.offered),
                    loaded=height(day.loaded),
                    blocked=height(day.blocked),
                    words=f"{day.day:%d %b}: offered {day.offered}, loaded {day.loaded}, blocked {day.blocked}",
                )
                for day in seat.by_day
            ),
        )
        for seat in seats
    )
