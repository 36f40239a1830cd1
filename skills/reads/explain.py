"""Why a skill is or is not in a seat's catalogue: each skill with one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from skills import registry
from skills.tool_skills.rules.audit import OWN_TOOLS, SANDBOX_TOOL
from skills.tool_skills.rules.catalogue import surface_in
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.triggers import Surface, matches, why


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One skill's answer."""

    key: str
    included: bool
    reason: str


def explain(
    *, actor: Actor, phase: str, seat: str | None, tools: Sequence[str] | None, servers: Sequence[str] | None
) -> tuple[Explained, ...]:
    """Each served skill, by key, with why a session of this phase and surface lists it or does not.

    Without `servers`, those that reach the seat; without `tools`, those of its servers and the product's own.
    Refuses an unknown phase or seat (`invalid`), and neither seat nor surface (`required`). No query.
    """
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    if phase not in list(Phase):
        names = ", ".join(known.value for known in Phase)
        code = Code.INVALID if phase else Code.REQUIRED
        raise Refused(code, f"Give 'phase', one of {names}.", attr="phase")
    asked = Phase(phase)
    surface = surface_in(asked, _surface(live.current(), seat=seat, tools=tools, servers=servers))
    found: list[Explained] = []
    for key, served in registry.current().by_key.items():
        skill = served.skill
        if asked not in skill.phases:
            named = ", ".join(known.value for known in skill.phases)
            found.append(
                Explained(key=key, included=False, reason=f"It is not shown in {asked.value}, only in {named}.")
            )
            continue
        reason = why(skill.trigger, surface)
        included = matches(skill.trigger, surface)
        if not included and asked is Phase.REVIEW and any(skill.covers.tools):
            reason += "; a review has no tools of its own"
        found.append(Explained(key=key, included=included, reason=f"{reason[0].upper()}{reason[1:]}."))
    return tuple(found)


def _surface(
    company: Company, *, seat: str | None, tools: Sequence[str] | None, servers: Sequence[str] | None
) -> Surface:
    held = company.seat_by_handle.get(seat) if seat else None
    if seat and held is None:
        raise Refused(Code.INVALID, "The company declares no seat with this handle.", attr="seat")
    if held is None and tools is None and servers is None:
        raise Refused(Code.REQUIRED, "Give 'seat', or the surface as 'tools' and 'servers'.", attr="seat")
    reached = frozenset(servers) if servers is not None else (held.servers if held else frozenset())
    if tools is not None:
        return Surface(tools=frozenset(tools), servers=reached)
    if held is None:
        return Surface(servers=reached)
    found = set(OWN_TOOLS)
    for name in reached:
        server = company.server_by_name.get(name)
        found.update(server.tools if server is not None else ())
    if held.sandbox:
        found.add(SANDBOX_TOOL)
    return Surface(tools=frozenset(found), servers=reached)
