"""What skills cost: the bytes every turn of a seat pays for the catalogue of each phase, and which skills they go to.

A catalogue is rendered here as a session's is, for everything the document declares for a seat. A session whose harness
gives it fewer tools pays less, and its own answer says how much.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from company import live
from company.rules.actors import Actor, ActorKind, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_app
from skills import registry
from skills.budget import Catalogue
from skills.reads.served import served_under
from skills.reads.sessions import offer_on
from skills.reads.skill_tool import composed_catalogue
from skills.registry import Registry
from skills.tool_skills.rules.audit import seat_surface
from skills.tool_skills.rules.catalogue import surface_in
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.triggers import Surface

State = Literal["within", "shortened", "dropped", "over"]


@dataclass(frozen=True, kw_only=True)
class SeatCost:
    """A seat of an agent with the catalogue of each phase."""

    handle: str
    name: str
    by_phase: Mapping[Phase, Catalogue]


@dataclass(frozen=True, kw_only=True)
class SkillCost:
    """What one tool skill adds: the bytes of its line where it is longest, in how many catalogues it stands and could
    not stand for want of room, and the bytes of all its lines."""

    key: str
    page_id: int
    size: int
    catalogues: int
    left_out: int
    total: int

    @property
    def varies(self) -> bool:
        """Whether its line is not equally long in all of them."""
        return self.total != self.size * self.catalogues


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What every seat pays. `limit` is the document's for one catalogue, 0 where there is none; `skills` come the
    heaviest first; `agent_skills` is the catalogue of the skill tool, the same for every seat that has the tool."""

    limit: int
    seats: tuple[SeatCost, ...]
    skills: tuple[SkillCost, ...]
    agent_skills: Catalogue


def costs(*, actor: Actor) -> Costs:
    """What every agent's seat pays, in the document's order. No query; the folders of the document are looked into."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    company = live.current()
    seats = _seats(company)
    return Costs(
        limit=company.catalogue_budget_bytes,
        seats=seats,
        skills=_skills(seats),
        agent_skills=composed_catalogue(company),
    )


def cost_of(*, actor: Actor, key: str) -> SkillCost:
    """What one tool skill adds; `not_found` for a key nobody serves. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    served = served_under(key)
    found = {one.page_id: one for one in _skills(_seats(live.current()))}
    return found[served.page_id]


def state_of(catalogue: Catalogue) -> State:
    """What the budget made of a catalogue, the worst first."""
    if catalogue.is_over:
        return "over"
    if catalogue.dropped:
        return "dropped"
    return "shortened" if catalogue.shortened else "within"


class _Last:
    """The last answer, which holds for as long as the registry and the company are the same two objects."""

    def __init__(self) -> None:
        self._kept: tuple[Registry, Company, tuple[SeatCost, ...]] | None = None

    def of(self, held: Registry, company: Company) -> tuple[SeatCost, ...]:
        """What every seat pays."""
        kept = self._kept
        if kept is None or kept[0] is not held or kept[1] is not company:
            kept = self._kept = (held, company, tuple(_composed(company)))
        return kept[2]


_last = _Last()


def _seats(company: Company) -> tuple[SeatCost, ...]:
    return _last.of(registry.current(), company)


def _composed(company: Company) -> Iterator[SeatCost]:
    """Seats with the same surface, and there are many, share one catalogue."""
    composed: dict[tuple[Phase, Surface], Catalogue] = {}

    def catalogue_of(phase: Phase, surface: Surface) -> Catalogue:
        place = (phase, surface_in(phase, surface))
        if place not in composed:
            composed[place] = offer_on(phase=phase, surface=surface, company=company).catalogue
        return composed[place]

    for seat in company.seats:
        if seat.kind is ActorKind.AGENT:
            surface = seat_surface(company, seat)
            by_phase = {phase: catalogue_of(phase, surface) for phase in Phase}
            yield SeatCost(handle=seat.handle, name=seat.name, by_phase=by_phase)


def _skills(seats: tuple[SeatCost, ...]) -> tuple[SkillCost, ...]:
    sizes: defaultdict[str, list[int]] = defaultdict(list)
    left_out: defaultdict[str, int] = defaultdict(int)
    for seat in seats:
        for catalogue in seat.by_phase.values():
            for line in catalogue.lines:
                sizes[line.name].append(line.size)
            for key in catalogue.dropped:
                left_out[key] += 1
    found = (
        SkillCost(
            key=key,
            page_id=served.page_id,
            size=max(sizes.get(key, [0])),
            catalogues=len(sizes.get(key, ())),
            left_out=left_out.get(key, 0),
            total=sum(sizes.get(key, ())),
        )
        for key, served in registry.current().by_key.items()
    )
    return tuple(sorted(found, key=lambda one: (-one.total, one.key)))
