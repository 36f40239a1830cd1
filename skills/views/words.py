"""Triggers, findings and figures as a person reads them, and the addresses of skills. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import quote

from skills.reads.shelf import Flag, PageFindings, Shelved
from skills.reads.usage import SeatUsage
from skills.registry.findings import FindingKind
from skills.tool_skills.rules.documents import Kind
from skills.tool_skills.rules.triggers import AllOf, AnyOf, McpServer, Tool, Trigger

BAR_WIDTH = 10
BAR_GAP = 2
CHART_HEIGHT = 56
TRIGGERS_SHOWN = 4

OWN_WORDS = frozenset({"new", "import", "check", "seats", "why", "alike", "review", "pages"})
"""Names below `/skills/` that are screens of their own: a skill called so is addressed by its page."""

DIALECTS = {
    Kind.TOOL_SKILL: "tool skill",
    Kind.PROMPT_SKILL: "prompt skill",
    Kind.AGENT_SKILL: "agent skill",
}
FLAGS = {
    Flag.NEVER_OFFERED: "never offered",
    Flag.NEVER_LOADED: "offered, never loaded",
    Flag.OFTEN_BLOCKED: "often blocked",
}


@dataclass(frozen=True, kw_only=True)
class FindingWords:
    """A kind of finding: its heading, what a row says of it, what it means, and whether anything has to be done."""

    heading: str
    short: str
    meaning: str
    tone: str


FINDINGS = {
    FindingKind.UNDECODABLE: FindingWords(
        heading="Cannot be read",
        short="cannot be read",
        meaning="These pages are meant as skills and are served to nobody until they are put right.",
        tone="bad",
    ),
    FindingKind.DUPLICATED: FindingWords(
        heading="Shadowed",
        short="shadowed",
        meaning="Another page, with a lower number, is served under the same key or name.",
        tone="warn",
    ),
    FindingKind.UNRESOLVED: FindingWords(
        heading="Names a variable nobody sets",
        short="variable without a value",
        meaning="They are served with the variable as it is written. Declare it under 'skill_variables'.",
        tone="warn",
    ),
    FindingKind.DANGLING: FindingWords(
        heading="Names a tool nobody serves",
        short="names a missing tool",
        meaning="Part of their trigger names nothing the company declares; the rest of it works.",
        tone="warn",
    ),
    FindingKind.MATCHES_NOTHING: FindingWords(
        heading="Reaches no seat",
        short="reaches no seat",
        meaning="Written for servers or tools this company does not declare. They wait and cost nothing; nothing has "
        "to be done.",
        tone="",
    ),
}


def address_of(one: Shelved) -> str:
    """The screen of a skill: by its name where that is plain, else by its page."""
    return address_of_name(one.name, dialect=one.dialect, page_id=one.page_id)


def address_of_name(name: str, *, dialect: Kind, page_id: int) -> str:
    """The same of a skill that is known by its name alone."""
    if name in OWN_WORDS or "/" in name or name in (".", ".."):
        return f"/skills/pages/{page_id}"
    asked = "" if dialect is Kind.TOOL_SKILL else f"?dialect={dialect.value}"
    return f"/skills/{quote(name, safe='')}{asked}"


def finding_words(one: PageFindings) -> list[tuple[int | None, str, str]]:
    """What is wrong with a page, in lines of `(line, field, sentence)`, each once."""
    if one.served_title:
        return [(None, "", f"“{one.served_title}” is served as '{one.findings[0].key}'.")]
    return list(
        dict.fromkeys(
            (problem.line, problem.field, problem.detail) for finding in one.findings for problem in finding.problems
        )
    )


def when_in_words(one: Shelved) -> str:
    """When a skill reaches an agent."""
    if one.trigger is not None:
        return trigger_in_words(one.trigger)
    if one.dialect is Kind.PROMPT_SKILL:
        if not one.triggers:
            return "only by name: it has no trigger"
        more = len(one.triggers) - TRIGGERS_SHOWN
        said = ", ".join(f"“{trigger}”" for trigger in one.triggers[:TRIGGERS_SHOWN])
        return f"a message that says {said}" + (f" or {more} more" if more > 0 else "")
    return "the skill tool, by name"


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
class Mark:
    """A day on which the page got a new version, in the units of the drawing."""

    x: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A seat's days as bars on one scale with the other seats, with the versions of the page marked."""

    usage: SeatUsage
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    width: int


def charts(
    seats: tuple[SeatUsage, ...], *, since: date, until: date, versions: Sequence[tuple[date, int]] = ()
) -> tuple[Chart, ...]:
    """A chart for each seat, every one over the same days and to the same scale; `versions` are `(day, version)`."""
    days = (until - since).days + 1
    highest = max((max(day.offered, day.loaded, day.blocked) for seat in seats for day in seat.by_day), default=1) or 1
    step = BAR_WIDTH + BAR_GAP

    def place(day: date) -> int:
        return (day - since) // timedelta(days=1) * step

    def height(number: int) -> int:
        return max(2, round(number / highest * CHART_HEIGHT)) if number else 0

    by_day: dict[date, list[int]] = {}
    for day, version in versions:
        if since <= day <= until:
            by_day.setdefault(day, []).append(version)
    marks = tuple(
        Mark(x=place(day), words=f"{day:%d %b}: version {', '.join(str(version) for version in sorted(saved))}")
        for day, saved in sorted(by_day.items())
    )
    return tuple(
        Chart(
            usage=seat,
            width=days * step - BAR_GAP,
            marks=marks,
            bars=tuple(
                Bar(
                    day=day.day,
                    x=place(day.day),
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
