"""Reads of sessions: the row as a value, and what a session is shown by the registry of this moment."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from company.rules.chart import Company
from skills import registry
from skills.budget import Catalogue
from skills.models.sessions import SkillSession
from skills.registry import ServedSkill
from skills.registry.findings import variables_in_force
from skills.tool_skills.memory import sessions
from skills.tool_skills.rules.catalogue import compose_catalogue
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.guard import Unarmed
from skills.tool_skills.rules.triggers import Surface
from skills.tool_skills.sessions import SessionState, no_such_session


@dataclass(frozen=True, kw_only=True)
class SessionView:
    """The whole session, as every answer shows it, with its catalogue as it is now."""

    id: str
    phase: Phase
    turn: str | None
    tools: tuple[str, ...]
    servers: tuple[str, ...]
    composed: Catalogue
    loaded: tuple[str, ...]
    unarmed: Unarmed | None

    @property
    def catalogue(self) -> str:
        """The text its prompt carries."""
        return self.composed.text

    @property
    def skills(self) -> tuple[str, ...]:
        """The keys its catalogue lists."""
        return self.composed.names


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What a session is shown now: its catalogue, and the skills it lists, in their order."""

    catalogue: Catalogue
    listed: tuple[ServedSkill, ...]


def state_of_row(row: SkillSession) -> SessionState:
    """A row as a value."""
    return SessionState(
        id=row.id,
        seat=row.seat,
        phase=Phase(row.phase),
        turn=row.turn,
        tools=tuple(row.tools),
        servers=tuple(row.servers),
        offered=frozenset(row.offered),
        loaded=tuple(row.loaded),
        generation=row.generation,
    )


def session_state(*, seat: str, session_id: str) -> SessionState:
    """A seat's session: from memory where that is certain, else from its row. `not_found` for any other session.

    Inside a transaction the row is read and nothing remembered: what it sees may not be committed.
    """
    remembers = not connection.in_atomic_block
    state = sessions.current(session_id) if remembers else None
    if state is None:
        row = SkillSession.objects.filter(pk=session_id).first() if "\x00" not in session_id else None
        if row is None:
            raise no_such_session()
        state = state_of_row(row)
        if remembers:
            sessions.keep(state)
    if state.seat != seat:
        raise no_such_session()
    return state


def offer_to(state: SessionState, *, company: Company) -> Offer:
    """What a session is shown now, cut to the budget the company declares."""
    return offer_on(phase=state.phase, surface=state.surface, company=company)


def offer_on(*, phase: Phase, surface: Surface, company: Company) -> Offer:
    """What a session of a phase is shown on a surface now."""
    matching = registry.current().listed(phase=phase, surface=surface)
    catalogue = compose_catalogue(
        (served.skill for served in matching),
        phase=phase,
        variables=variables_in_force(company),
        limit=company.catalogue_budget_bytes,
    )
    names = frozenset(catalogue.names)
    return Offer(catalogue=catalogue, listed=tuple(served for served in matching if served.skill.key in names))


def view_of(state: SessionState, *, offer: Offer) -> SessionView:
    """A session with its catalogue."""
    return SessionView(
        id=state.id,
        phase=state.phase,
        turn=state.turn or None,
        tools=state.tools,
        servers=state.servers,
        composed=offer.catalogue,
        loaded=state.loaded,
        unarmed=state.unarmed,
    )
