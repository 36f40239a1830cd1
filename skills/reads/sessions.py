"""Reads of sessions: the row as a value, and what a session is shown by the registry of this moment."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from company.rules.chart import Company
from skills import registry
from skills.models.sessions import SkillSession
from skills.registry import ServedSkill
from skills.registry.findings import variables_in_force
from skills.tool_skills.memory import sessions
from skills.tool_skills.rules.catalogue import render_catalogue
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.guard import Unarmed
from skills.tool_skills.sessions import SessionState, no_such_session


@dataclass(frozen=True, kw_only=True)
class SessionView:
    """The whole session, as every answer shows it. `skills` are the keys its catalogue lists now."""

    id: str
    phase: Phase
    turn: str | None
    tools: tuple[str, ...]
    servers: tuple[str, ...]
    catalogue: str
    skills: tuple[str, ...]
    loaded: tuple[str, ...]
    unarmed: Unarmed | None


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


def listed_in(state: SessionState) -> tuple[ServedSkill, ...]:
    """The skills a session's catalogue lists now."""
    return registry.current().listed(phase=state.phase, surface=state.surface)


def view_of(state: SessionState, *, listed: tuple[ServedSkill, ...], company: Company) -> SessionView:
    """A session with its catalogue."""
    return SessionView(
        id=state.id,
        phase=state.phase,
        turn=state.turn or None,
        tools=state.tools,
        servers=state.servers,
        catalogue=render_catalogue(
            (served.skill for served in listed), phase=state.phase, variables=variables_in_force(company)
        ),
        skills=tuple(served.skill.key for served in listed),
        loaded=state.loaded,
        unarmed=state.unarmed,
    )
