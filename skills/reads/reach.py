"""Which seats a skill reaches by what the company declares for them, before anybody has used it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from company.rules.actors import ActorKind
from company.rules.chart import Company
from skills.tool_skills.rules.audit import seat_surface
from skills.tool_skills.rules.catalogue import is_listed
from skills.tool_skills.rules.documents import Phase, ToolSkill
from skills.tool_skills.rules.triggers import why


@dataclass(frozen=True, kw_only=True)
class SeatReach:
    """A seat, the phases in which its catalogue would list the skill, and why."""

    handle: str
    name: str
    phases: tuple[Phase, ...]
    reason: str


def seats_reached(skill: ToolSkill, company: Company) -> tuple[SeatReach, ...]:
    """Each agent's seat with what its declared servers and tools make of a skill, in the document's order."""
    found: list[SeatReach] = []
    for seat in company.seats:
        if seat.kind is not ActorKind.AGENT:
            continue
        surface = seat_surface(company, seat)
        phases = tuple(phase for phase in skill.phases if is_listed(skill, phase=phase, surface=surface))
        reason = why(skill.trigger, surface)
        found.append(
            SeatReach(handle=seat.handle, name=seat.name, phases=phases, reason=f"{reason[0].upper()}{reason[1:]}.")
        )
    return tuple(found)
