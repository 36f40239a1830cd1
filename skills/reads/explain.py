"""Why a skill is or is not there for a seat: each skill of every dialect with its reasons, and where each is mended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.chart import Company, Seat
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from skills import registry
from skills.budget import Catalogue
from skills.folders import ErrorCode, catalogue
from skills.reads.sessions import offer_on
from skills.reads.skill_tool import catalogue_of, served_tool
from skills.registry import Registry, ServedSkill
from skills.tool_skills.rules.audit import OWN_TOOLS, SANDBOX_TOOL, seat_surface
from skills.tool_skills.rules.catalogue import surface_in
from skills.tool_skills.rules.documents import Kind, Phase
from skills.tool_skills.rules.triggers import McpServer, Surface, Tool, matches, unmet, why

_TRIGGERS_TOLD = 3
_NAMES_TOLD = 5


class Place(StrEnum):
    """Where a reason can be mended."""

    PAGE = "page"
    DOCUMENT = "document"


@dataclass(frozen=True, kw_only=True)
class Mend:
    """What would put a skill in: a sentence, and the field of a page or of the company document it is about."""

    text: str
    place: Place
    field: str
    page_id: int | None = None


@dataclass(frozen=True, kw_only=True)
class Reason:
    """One sentence why, and what somebody could do about it."""

    text: str
    mends: tuple[Mend, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One skill's answer.

    `key` is a tool skill's key or another skill's name; a page that has neither goes by its title. `dialect` tells
    which of two skills of one name is meant; `page_id` is None for one that lies in a folder of the server.
    """

    key: str
    included: bool
    reasons: tuple[Reason, ...]
    dialect: Kind = Kind.TOOL_SKILL
    page_id: int | None = None

    @property
    def reason(self) -> str:
        """All reasons as one text."""
        return " ".join(reason.text for reason in self.reasons)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Who is asked about: a phase on a surface, and the seat it is for."""

    company: Company
    phase: Phase
    surface: Surface
    seat: Seat | None


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
    asked, held = _asked(live.current(), phase=phase, seat=seat, tools=tools, servers=servers), registry.current()
    found = [
        *_tool_skills(held, asked),
        *_prompt_skills(held),
        *_agent_skills(held, asked.company),
        *_left_out(held),
    ]
    order = list(Kind)
    return tuple(sorted(found, key=lambda one: (one.key, order.index(one.dialect), not one.included)))


def _tool_skills(held: Registry, asked: Asked) -> Iterator[Explained]:
    shown = offer_on(phase=asked.phase, surface=asked.surface, company=asked.company).catalogue
    listed, shortened = frozenset(shown.names), frozenset(shown.shortened)
    surface = surface_in(asked.phase, asked.surface)
    for key, served in held.by_key.items():
        trigger = served.skill.trigger
        reasons: list[Reason] = []
        if asked.phase not in served.skill.phases:
            reasons.append(_other_phases(served, asked))
        fires = matches(trigger, surface)
        if not fires or not reasons:
            reason = why(trigger, surface)
            if not fires and asked.phase is Phase.REVIEW and any(served.skill.covers.tools):
                reason += "; a review has no tools of its own"
            mends = tuple(_mends(served, asked, surface)) if not fires else ()
            reasons.append(Reason(text=f"{reason[0].upper()}{reason[1:]}.", mends=mends))
        included = fires and asked.phase in served.skill.phases
        if included and key not in listed:
            included, reasons = False, [_no_room(shown, served)]
        elif included and key in shortened:
            reasons.append(Reason(text="Its summary is cut, for the catalogue to keep to its budget."))
        yield Explained(key=key, included=included, reasons=tuple(reasons), page_id=served.page_id)


def _other_phases(served: ServedSkill, asked: Asked) -> Reason:
    named = ", ".join(known.value for known in served.skill.phases)
    return Reason(
        text=f"It is not shown in {asked.phase.value}, only in {named}.",
        mends=(_on_page(served, "phases", f"Add {asked.phase.value} to its phases."),),
    )


def _no_room(shown: Catalogue, served: ServedSkill) -> Reason:
    text = f"It matches, and was left out for want of room: the catalogue may weigh {shown.limit} bytes."
    field = "knowledge.catalogue_budget_bytes"
    raised = Mend(text=f"Raise {field}, or shorten other summaries.", place=Place.DOCUMENT, field=field)
    return Reason(text=text, mends=(raised, _on_page(served, "required", "Make it required: such skills always stay.")))


def _mends(served: ServedSkill, asked: Asked, surface: Surface) -> Iterator[Mend]:
    """What would make a trigger fire, by each name that keeps it from it."""
    if asked.phase is Phase.REVIEW and any(served.skill.covers.tools) and not any(served.skill.covers.servers):
        yield _on_page(served, "trigger", "Name a server in its trigger: a review has no tools.")
        return
    declared = asked.company.server_by_name
    for leaf in unmet(served.skill.trigger, surface)[:_NAMES_TOLD]:
        match leaf:
            case McpServer(name=name) if name in declared:
                yield _let_reach(name, asked)
            case McpServer(name=name):
                text = f"Declare the server '{name}', if it is one."
                yield Mend(text=text, place=Place.DOCUMENT, field="mcp_servers")
                yield _on_page(served, "trigger", f"Or correct '{name}' in its trigger.")
            case Tool() if asked.phase is Phase.REVIEW:
                continue
            case Tool(name=name) if name == SANDBOX_TOOL:
                yield Mend(text="Enable the seat's sandbox.", place=Place.DOCUMENT, field="sandbox.enabled")
            case Tool(name=name) if servers := asked.company.servers_by_tool.get(name):
                yield _let_reach(servers[0], asked)
            case Tool(name=name) if name not in OWN_TOOLS:
                text = f"List '{name}' under the server that serves it."
                yield Mend(text=text, place=Place.DOCUMENT, field="mcp_servers.tools")
                yield _on_page(served, "trigger", f"Or correct '{name}' in its trigger.")


def _let_reach(server: str, asked: Asked) -> Mend:
    whom = asked.seat.name if asked.seat is not None else "the seat"
    text = f"Declare '{server}' under mcp_env of {whom} or its unit, or share the server."
    return Mend(text=text, place=Place.DOCUMENT, field="mcp_env")


def _on_page(served: ServedSkill, field: str, text: str) -> Mend:
    return Mend(text=text, place=Place.PAGE, field=field, page_id=served.page_id)


def _prompt_skills(held: Registry) -> Iterator[Explained]:
    for name, served in held.prompts.items():
        triggers = ", ".join(f"'{trigger}'" for trigger in served.skill.triggers[:_TRIGGERS_TOLD])
        more = len(served.skill.triggers) - _TRIGGERS_TOLD
        if triggers:
            others = f" or one of {more} more" if more > 0 else ""
            reason = Reason(text=f"It comes with a message that says {triggers}{others}.")
        else:
            page_id = served.page.page_id
            mend = Mend(text="Give it a trigger.", place=Place.PAGE, field="triggers", page_id=page_id)
            reason = Reason(text="It has no trigger, so no message brings it in.", mends=(mend,))
        yield Explained(
            dialect=Kind.PROMPT_SKILL,
            key=name,
            included=bool(triggers),
            reasons=(reason,),
            page_id=served.page.page_id,
        )


_GATES = {
    ErrorCode.NOT_TRUSTED: ("Trust its root, or name a hook.", "skills.roots"),
    ErrorCode.PERMISSION_DENIED: ("Name a hook that may allow it.", "skills.hook"),
    ErrorCode.SENSITIVE: ("Move the folder, or change the patterns.", "skills.sensitive_patterns"),
    ErrorCode.OUTSIDE_WORKSPACE: ("Name the folder it lies in as a root.", "skills.roots"),
}
"""What the company document says about folders of skills on the server, by what it makes of them."""


def _agent_skills(held: Registry, company: Company) -> Iterator[Explained]:
    tool = served_tool(company)
    shown = catalogue_of(tool, company)
    dropped = frozenset(shown.dropped)
    in_library = {entry.name for entry in tool.discovery.entries if entry.root is None and entry.name in held.folders}
    for line in catalogue.explain(tool.discovery, registry=tool.registry, policy=tool.policy):
        page_id = held.folders[line.name].page.page_id if line.name in in_library else None
        text = f"{line.reason[0].upper()}{line.reason[1:].rstrip('.')}."
        mends: tuple[Mend, ...] = ()
        if line.code is ErrorCode.DISABLED and page_id is not None:
            field = "disable-model-invocation"
            mends = (Mend(text=f"Take {field} out of it.", place=Place.PAGE, field=field, page_id=page_id),)
        elif line.code in _GATES:
            told, field = _GATES[line.code]
            mends = (Mend(text=told, place=Place.DOCUMENT, field=field),)
        if line.included and line.name in dropped:
            field = "knowledge.catalogue_budget_bytes"
            text += f" The catalogue has no room to list it: it may weigh {shown.limit} bytes."
            mends = (Mend(text=f"Raise {field}.", place=Place.DOCUMENT, field=field),)
        yield Explained(
            dialect=Kind.AGENT_SKILL,
            key=line.name,
            included=line.included,
            reasons=(Reason(text=text, mends=mends),),
            page_id=page_id,
        )


def _left_out(held: Registry) -> Iterator[Explained]:
    for page, reading in held.broken:
        text = f"Page {page.page_id} cannot be read: {reading.reason}"
        mend = Mend(text="Correct the page.", place=Place.PAGE, field="", page_id=page.page_id)
        yield Explained(
            dialect=reading.kind,
            key=reading.name or page.title,
            included=False,
            reasons=(Reason(text=text, mends=(mend,)),),
            page_id=page.page_id,
        )
    for twin in held.duplicates:
        text = f"Page {twin.shadowed} waits behind page {twin.served}, which has the lower number."
        field = "key" if twin.kind is Kind.TOOL_SKILL else "name"
        mend = Mend(text=f"Give it a {field} of its own.", place=Place.PAGE, field=field, page_id=twin.shadowed)
        yield Explained(
            dialect=twin.kind,
            key=twin.key,
            included=False,
            reasons=(Reason(text=text, mends=(mend,)),),
            page_id=twin.shadowed,
        )


def _asked(
    company: Company, *, phase: str, seat: str | None, tools: Sequence[str] | None, servers: Sequence[str] | None
) -> Asked:
    if phase not in list(Phase):
        names = ", ".join(known.value for known in Phase)
        code = Code.INVALID if phase else Code.REQUIRED
        raise Refused(code, f"Give 'phase', one of {names}.", attr="phase")
    held = company.seat_by_handle.get(seat) if seat else None
    if seat and held is None:
        raise Refused(Code.INVALID, "The company declares no seat with this handle.", attr="seat")
    if held is None and tools is None and servers is None:
        raise Refused(Code.REQUIRED, "Give 'seat', or the surface as 'tools' and 'servers'.", attr="seat")
    reached = frozenset(servers) if servers is not None else None
    surface = seat_surface(company, held, servers=reached) if held else Surface(servers=reached or frozenset())
    if tools is not None:
        surface = Surface(tools=frozenset(tools), servers=surface.servers)
    return Asked(company=company, phase=Phase(phase), surface=surface, seat=held)
