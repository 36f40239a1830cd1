"""Why a skill is or is not there for a seat: each skill of every dialect with one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from skills import registry
from skills.folders import catalogue
from skills.reads.skill_tool import ServedTool, served_tool
from skills.registry import Registry
from skills.tool_skills.rules.audit import OWN_TOOLS, SANDBOX_TOOL
from skills.tool_skills.rules.catalogue import surface_in
from skills.tool_skills.rules.documents import Kind, Phase
from skills.tool_skills.rules.triggers import Surface, matches, why

_TRIGGERS_TOLD = 3


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One skill's answer.

    `key` is a tool skill's key or another skill's name; a page that has neither goes by its title. `dialect` tells
    which of two skills of one name is meant.
    """

    key: str
    included: bool
    reason: str
    dialect: Kind = Kind.TOOL_SKILL


def explain(
    *, actor: Actor, phase: str, seat: str | None, tools: Sequence[str] | None, servers: Sequence[str] | None
) -> tuple[Explained, ...]:
    """Each skill, by key, with why a session of this phase and surface is shown it or is not.

    A tool skill is shown by the catalogue, an agent skill by the skill tool's, a prompt skill by a message that says
    one of its triggers. Skills that cannot be read and those behind another of their name are told of as well.

    Without `servers`, those that reach the seat; without `tools`, those of its servers and the product's own.
    Refuses an unknown phase or seat (`invalid`), and neither seat nor surface (`required`). No query;
    the folders of the document are looked into.
    """
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    if phase not in list(Phase):
        names = ", ".join(known.value for known in Phase)
        code = Code.INVALID if phase else Code.REQUIRED
        raise Refused(code, f"Give 'phase', one of {names}.", attr="phase")
    asked = Phase(phase)
    company, held = live.current(), registry.current()
    surface = surface_in(asked, _surface(company, seat=seat, tools=tools, servers=servers))
    found = [
        *_tool_skills(held, asked, surface),
        *_prompt_skills(held),
        *_agent_skills(served_tool(company)),
        *_left_out(held),
    ]
    order = list(Kind)
    return tuple(sorted(found, key=lambda one: (one.key, order.index(one.dialect), not one.included)))


def _tool_skills(held: Registry, asked: Phase, surface: Surface) -> Iterator[Explained]:
    for key, served in held.by_key.items():
        skill = served.skill
        if asked not in skill.phases:
            named = ", ".join(known.value for known in skill.phases)
            yield Explained(key=key, included=False, reason=f"It is not shown in {asked.value}, only in {named}.")
            continue
        reason = why(skill.trigger, surface)
        included = matches(skill.trigger, surface)
        if not included and asked is Phase.REVIEW and any(skill.covers.tools):
            reason += "; a review has no tools of its own"
        yield Explained(key=key, included=included, reason=f"{reason[0].upper()}{reason[1:]}.")


def _prompt_skills(held: Registry) -> Iterator[Explained]:
    for name, served in held.prompts.items():
        triggers = ", ".join(f"'{trigger}'" for trigger in served.skill.triggers[:_TRIGGERS_TOLD])
        more = len(served.skill.triggers) - _TRIGGERS_TOLD
        reason = (
            f"It comes with a message that says {triggers}{f' or one of {more} more' if more > 0 else ''}."
            if triggers
            else "It has no trigger, so no message brings it in."
        )
        yield Explained(dialect=Kind.PROMPT_SKILL, key=name, included=bool(triggers), reason=reason)


def _agent_skills(tool: ServedTool) -> Iterator[Explained]:
    for line in catalogue.explain(tool.discovery, registry=tool.registry, policy=tool.policy):
        reason = f"{line.reason[0].upper()}{line.reason[1:].rstrip('.')}."
        yield Explained(dialect=Kind.AGENT_SKILL, key=line.name, included=line.included, reason=reason)


def _left_out(held: Registry) -> Iterator[Explained]:
    for page, reading in held.broken:
        yield Explained(
            dialect=reading.kind,
            key=reading.name or page.title,
            included=False,
            reason=f"Page {page.page_id} cannot be read: {reading.reason}",
        )
    for twin in held.duplicates:
        yield Explained(
            dialect=twin.kind,
            key=twin.key,
            included=False,
            reason=f"Page {twin.shadowed} waits behind page {twin.served}, which has the lower number.",
        )


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
