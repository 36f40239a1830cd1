"""Reads of the registry for the screens and the REST door: the skills served, each with whom it reached."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_app
from company.rules.windows import Listing, SortValue, Window, encode_cursor
from skills import registry
from skills.reads.served import served_under
from skills.reads.usage import Reach, reach_of_pages
from skills.registry import ServedSkill
from skills.registry.findings import Finding, findings, variables_in_force
from skills.tool_skills.rules.catalogue import render_catalogue
from skills.tool_skills.rules.documents import Kind, Phase

CURSOR_WIDTH = 1
PROBLEMS_CURSOR_WIDTH = 2
OFTEN_BLOCKED = 5
"""So many blocks within the days shown, and at least as many as loads: models reach for the tool before the skill."""


class Flag(StrEnum):
    """What the list of skills points out."""

    NEVER_OFFERED = "never_offered"
    NEVER_LOADED = "never_loaded"
    OFTEN_BLOCKED = "often_blocked"


def flags_of(seats: Sequence[Reach]) -> tuple[Flag, ...]:
    """What is worth a look in what the seats made of a skill."""
    offered = sum(reach.offered for reach in seats)
    loaded = sum(reach.loaded for reach in seats)
    blocked = sum(reach.blocked for reach in seats)
    found: list[Flag] = []
    if not offered:
        found.append(Flag.NEVER_OFFERED)
    elif not loaded:
        found.append(Flag.NEVER_LOADED)
    if blocked >= OFTEN_BLOCKED and blocked >= loaded:
        found.append(Flag.OFTEN_BLOCKED)
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class SkillRow:
    """A skill with the seats it reached over 30 days."""

    served: ServedSkill
    seats: Sequence[Reach]

    @property
    def offered(self) -> int:
        """How often its summary was shown."""
        return sum(reach.offered for reach in self.seats)

    @property
    def loaded(self) -> int:
        """How often its body was read."""
        return sum(reach.loaded for reach in self.seats)

    @property
    def blocked(self) -> int:
        """How often a call was held back for it."""
        return sum(reach.blocked for reach in self.seats)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What is worth a look."""
        return flags_of(self.seats)


@dataclass(frozen=True, kw_only=True)
class SkillDetail(SkillRow):
    """A skill with what a prompt shows of it in each of its phases, and what is wrong with it or shadowed by it."""

    previews: tuple[tuple[Phase, str], ...]
    findings: tuple[Finding, ...]


def list_skills(*, actor: Actor, window: Window) -> Listing[SkillRow]:
    """The skills served, by key. One query, for their use."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    by_key = registry.current().by_key
    keys = list(by_key)
    start = bisect_right(keys, str(window.after[0])) if window.after else 0
    shown = [by_key[key] for key in keys[start : start + window.limit]]
    reached = reach_of_pages(served.page_id for served in shown)
    rows = tuple(SkillRow(served=served, seats=reached.get(served.page_id, ())) for served in shown)
    more = start + window.limit < len(keys)
    return Listing(results=rows, total=len(keys), after=encode_cursor((shown[-1].skill.key,)) if more else None)


def get_skill(*, actor: Actor, key: str) -> SkillDetail:
    """One skill; `not_found` for a key nobody serves. One query, for its use."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    served = served_under(key)
    company = live.current()
    variables = variables_in_force(company)
    return SkillDetail(
        served=served,
        seats=reach_of_pages([served.page_id]).get(served.page_id, ()),
        previews=tuple(
            (phase, render_catalogue([served.skill], phase=phase, variables=variables)) for phase in served.skill.phases
        ),
        findings=tuple(
            finding
            for finding in findings(registry.current(), company)
            if finding.dialect is Kind.TOOL_SKILL and finding.key == key
        ),
    )


def list_problems(*, actor: Actor, window: Window) -> Listing[Finding]:
    """Everything that is wrong with pages of the skills container, by page. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    found = findings(registry.current(), live.current())
    places: list[tuple[SortValue, ...]] = [
        (finding.page_id, f"{finding.kind.value}/{finding.dialect.value}") for finding in found
    ]
    start = 0
    if window.after:
        start = places.index(window.after) + 1 if window.after in places else _after_page(places, window.after[0])
    shown = found[start : start + window.limit]
    more = start + window.limit < len(found)
    return Listing(
        results=shown, total=len(found), after=encode_cursor(places[start + window.limit - 1]) if more else None
    )


def _after_page(places: list[tuple[SortValue, ...]], page_id: SortValue) -> int:
    """Where to go on when the finding a cursor names has been put right meanwhile."""
    last = page_id if isinstance(page_id, int) else 0
    return sum(1 for place, _ in places if isinstance(place, int) and place <= last)
