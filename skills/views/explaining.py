"""Why a skill is not there: for a seat or a surface in one phase, with a way to what would put it in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company import live
from company.rules.actors import Actor, ActorKind
from company.rules.refusals import Refused
from company.views.screens import screen
from knowledge.views.abilities import may_create_in
from skills.reads.explain import Explained, Mend, Place, explain
from skills.tool_skills.rules.documents import Phase
from skills.views.words import DIALECTS, address_of_name

AT_ONCE = 200


@dataclass(frozen=True, kw_only=True)
class Way:
    """What somebody could do, in words, and where; without an address where it is not theirs to do."""

    words: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """One skill's answer: its reasons, each with the ways out of it."""

    name: str
    address: str
    dialect: str
    included: bool
    reasons: tuple[tuple[str, tuple[Way, ...]], ...]


@require_safe
@screen
def why(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Every skill that is not there for a seat or a surface, and why; all of them, or one by its name, if asked."""
    company = live.current()
    agents = [seat for seat in company.seats if seat.kind is ActorKind.AGENT]
    asked = request.GET
    seat = asked.get("seat", agents[0].handle if agents and "tools" not in asked else "")
    phase = asked.get("phase", Phase.EXECUTE.value)
    tools, servers = asked.get("tools", ""), asked.get("servers", "")
    name, every = asked.get("skill", "")[:200], asked.get("all") == "true"
    refused: Refused | None = None
    found: tuple[Explained, ...] = ()
    try:
        found = explain(actor=actor, phase=phase, seat=seat or None, tools=_names(tools), servers=_names(servers))
    except Refused as refusal:
        if refusal.status == 403:
            raise
        refused = refusal
    wanted = [one for one in found if name.casefold() in one.key.casefold() and (every or name or not one.included)]
    context = {
        "section": "skills",
        "agents": agents,
        "phases": tuple(Phase),
        "seat": seat,
        "phase": phase,
        "tools": tools,
        "servers": servers,
        "name": name,
        "all": every,
        "refused": refused,
        "lines": _lines(wanted[:AT_ONCE], actor),
        "rest": len(wanted) - AT_ONCE if len(wanted) > AT_ONCE else 0,
        "there": sum(one.included for one in found),
        "total": len(found),
    }
    return render(request, "skills/why.html", context, status=refused.status if refused else 200)


def _names(text: str) -> Sequence[str] | None:
    """Names as somebody types them, divided by blanks or commas; None for none at all."""
    return text.replace(",", " ").split() or None


def _lines(found: Sequence[Explained], actor: Actor) -> list[Line]:
    company = live.current()
    writes = bool(company.skills_container) and may_create_in(company.skills_container or "", actor=actor)
    return [
        Line(
            name=one.key,
            address=_address(one),
            dialect=DIALECTS[one.dialect],
            included=one.included,
            reasons=tuple(
                (reason.text, tuple(_way(mend, actor, writes=writes) for mend in reason.mends))
                for reason in one.reasons
            ),
        )
        for one in found
    ]


def _address(one: Explained) -> str:
    """The skill's own screen, or its page where it is not served; empty for one in a folder of the server."""
    if one.page_id is None:
        return ""
    if one.included:
        return address_of_name(one.key, dialect=one.dialect, page_id=one.page_id)
    return f"/knowledge/pages/{one.page_id}"


def _way(mend: Mend, actor: Actor, *, writes: bool) -> Way:
    if mend.place is Place.DOCUMENT:
        return Way(words=mend.text, address="/company" if actor.is_admin else "")
    return Way(words=mend.text, address=f"/skills/pages/{mend.page_id}/edit" if writes else "")
