"""Writes of sessions: opening, changing the surface, loading a skill, and asking the guard.

A change locks the session's row, so that loads and patches that run at once all stay; it raises the row's generation,
and the copies in memory follow after the commit. A gate that answers 'allowed' reads memory and writes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction

from company import live
from company.rules.actors import Actor, Scope
from company.rules.chart import Company
from company.rules.occasions import Occasion
from company.rules.refusals import Code, Refused
from company.writes import ledger
from company.writes.ledger import News, Target
from knowledge.writes.reading import PageRead, Via, record_read
from skills import registry
from skills.models.sessions import SkillSession
from skills.reads.sessions import SessionView, offer_to, session_state, state_of_row, view_of
from skills.registry import ServedSkill
from skills.registry.findings import variables_in_force
from skills.tool_skills.memory import sessions
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.guard import Missing, Unarmed, block_message
from skills.tool_skills.rules.variables import render
from skills.tool_skills.sessions import (
    MAX_TURN_LENGTH,
    Allowed,
    SessionState,
    is_free,
    judge,
    no_such_session,
    once_each,
    require_names,
    require_seat,
)
from skills.writes.usage import Counted, UsedSkill, count_usage

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class LoadedSkill:
    """A skill as a model reads it, its variables in place."""

    key: str
    title: str
    body: str


@dataclass(frozen=True, kw_only=True)
class GateAnswer:
    """Whether a call may go ahead; where it may not, what the model is told and which keys it has to load."""

    allowed: bool
    message: str = ""
    missing: tuple[str, ...] = ()


def open_session(
    *,
    actor: Actor,
    phase: str,
    tools: Sequence[str],
    servers: Sequence[str],
    turn: str = "",
    loaded: Sequence[str] = (),
) -> SessionView:
    """A new session of the actor's seat, its catalogue offered.

    `loaded` carries what a resumed message history has already read; a key that nobody registers now is kept, because
    a session remembers keys. Refuses: `forbidden` without a seat, `invalid` for a phase or a name that is none,
    `too_long`.
    """
    seat = require_seat(actor, Scope.WRITE)
    if phase not in list(Phase):
        names = ", ".join(known.value for known in Phase)
        raise Refused(Code.INVALID, f"There is no phase '{phase}'. The phases are {names}.", attr="phase")
    if len(turn) > MAX_TURN_LENGTH:
        raise Refused(
            Code.TOO_LONG,
            f"A turn's name has at most {MAX_TURN_LENGTH} characters.",
            attr="turn",
            extras={"limit": MAX_TURN_LENGTH},
        )
    if "\x00" in turn:
        raise Refused(Code.INVALID, "A turn's name holds no NUL.", attr="turn")
    require_names({"tools": tools, "servers": servers, "loaded": loaded})
    company = live.current_for_write()
    with transaction.atomic():
        row = SkillSession(
            id=f"ses_{secrets.token_urlsafe(18)}",
            seat=seat,
            phase=phase,
            turn=turn,
            tools=once_each(tools),
            servers=once_each(servers),
            loaded=once_each(loaded),
        )
        offer = offer_to(state_of_row(row), company=company)
        _offer(row, offer.listed, company=company)
        row.save(force_insert=True)
        state = _commit(row, actor=actor, verb="session.open")
    _warn_if_disabled(state)
    return view_of(state, offer=offer)


def change_session(
    *,
    actor: Actor,
    session_id: str,
    tools: Sequence[str] | None = None,
    servers: Sequence[str] | None = None,
    loaded: Sequence[str] | None = None,
) -> SessionView:
    """The session with each list that is given replaced, and whatever its catalogue had not shown before offered.

    Refuses: `forbidden` without a seat, `not_found` for a session that is not this seat's, `invalid`, `too_long`.
    """
    seat = require_seat(actor, Scope.WRITE)
    given = {"tools": tools, "servers": servers, "loaded": loaded}
    require_names(given)
    company = live.current_for_write()
    with transaction.atomic():
        row = hold_session(session_id, seat=seat)
        was_unarmed = state_of_row(row).unarmed
        changed = False
        for name, value in given.items():
            if value is not None and getattr(row, name) != once_each(value):
                setattr(row, name, once_each(value))
                changed = True
        offer = offer_to(state_of_row(row), company=company)
        changed = _offer(row, offer.listed, company=company) or changed
        state = save_session(row, actor=actor, verb="session.change") if changed else state_of_row(row)
    if state.unarmed is not was_unarmed:
        _warn_if_disabled(state)
    return view_of(state, offer=offer)


def show_session(*, actor: Actor, session_id: str) -> SessionView:
    """The whole session as it is now. A skill its catalogue had not shown yet is recorded as offered.

    Refuses: `forbidden` without a seat, `not_found` for a session that is not this seat's.
    """
    seat = require_seat(actor, Scope.READ)
    company = live.current()
    row = SkillSession.objects.filter(pk=session_id).first() if "\x00" not in session_id else None
    if row is None or row.seat != seat:
        raise no_such_session()
    state = state_of_row(row)
    offer = offer_to(state, company=company)
    if set(offer.catalogue.names) - state.offered:
        company = live.current_for_write()
        with transaction.atomic():
            row = hold_session(session_id, seat=seat)
            offer = offer_to(state_of_row(row), company=company)
            shown = _offer(row, offer.listed, company=company)
            state = save_session(row, actor=actor, verb="session.show") if shown else state_of_row(row)
    return view_of(state, offer=offer)


def load_skill(*, actor: Actor, session_id: str, key: str) -> LoadedSkill:
    """The title and body of a skill, which from now on counts as read in this session.

    Refuses, and unlocks nothing: `not_found` for a session that is not this seat's and for a key nobody registers (the
    sentence lists the keys there are), `forbidden` in a review, which has no loader.
    """
    seat = require_seat(actor, Scope.WRITE)
    company = live.current_for_write()
    with transaction.atomic():
        row = hold_session(session_id, seat=seat)
        if row.phase == Phase.REVIEW:
            raise Refused(
                Code.FORBIDDEN, "A review weighs the work against the skills its catalogue lists; it loads none."
            )
        held = registry.current()
        served = held.by_key.get(key)
        if served is None:
            known = ", ".join(held.by_key) or "none"
            raise Refused(
                Code.NOT_FOUND, f"There is no tool skill with the key '{key}'. The keys are: {known}.", attr="key"
            )
        note_load(LoadedFrom(key=key, page_id=served.page_id, page_title=served.page_title), row=row, company=company)
        if key not in row.loaded:
            row.loaded = [*row.loaded, key]
            save_session(row, actor=actor, verb="session.load", detail={"key": key})
    variables = variables_in_force(company)
    return LoadedSkill(key=key, title=render(served.skill.title, variables), body=render(served.skill.body, variables))


def check_gate(*, actor: Actor, session_id: str, tool: str, server: str | None = None) -> GateAnswer:
    """Whether a session may call a tool now. A block is counted and published.

    Judged by the registry of this moment. `server` is where the call goes; without it, the declared server that lists
    the tool. Refuses: `forbidden` without a seat, `not_found` for a session that is not this seat's.
    """
    seat = require_seat(actor, Scope.WRITE)
    held, company = registry.current(), live.current()
    seen = sessions.seen(session_id)
    if (
        seen is not None
        and seen.seat == seat
        and is_free(phase=seen.phase, tool=tool, server=server, registry=held, company=company)
    ):
        return GateAnswer(allowed=True)
    state = session_state(seat=seat, session_id=session_id)
    verdict = judge(state, tool=tool, server=server, registry=held, company=company)
    if isinstance(verdict, Allowed):
        return GateAnswer(allowed=True)
    company = live.current_for_write()
    with transaction.atomic():
        # Judged again by the row itself: a block is said and counted only where it is certain.
        row = SkillSession.objects.filter(pk=session_id).first()
        if row is None:
            raise no_such_session()
        state = state_of_row(row)
        verdict = judge(state, tool=tool, server=server, registry=registry.current(), company=company)
        if isinstance(verdict, Allowed):
            return GateAnswer(allowed=True)
        _note_block(verdict.missing, tool=tool, state=state, company=company)
    return GateAnswer(
        allowed=False,
        message=block_message(tool, verdict.missing, variables_in_force(company)),
        missing=tuple(one.key for one in verdict.missing),
    )


def forget_sessions(*, before: datetime) -> int:
    """Drop the sessions last changed before a moment; answers how many. For the duty, so without an actor."""
    with transaction.atomic():
        dropped, _ = SkillSession.objects.filter(updated_at__lt=before).delete()
    return dropped


def hold_session(session_id: str, *, seat: str) -> SkillSession:
    """The row of a seat's session, held until the transaction ends."""
    row = SkillSession.objects.select_for_update().filter(pk=session_id).first() if "\x00" not in session_id else None
    if row is None or row.seat != seat:
        raise no_such_session()
    return row


def save_session(row: SkillSession, *, actor: Actor, verb: str, detail: dict[str, str] | None = None) -> SessionState:
    """Keep a changed row at its next generation, recorded."""
    row.generation += 1
    row.save()
    return _commit(row, actor=actor, verb=verb, detail=detail)


def _commit(row: SkillSession, *, actor: Actor, verb: str, detail: dict[str, str] | None = None) -> SessionState:
    """Record the write and let memory follow once it is committed."""
    ledger.record(
        actor=actor,
        verb=verb,
        target=Target(kind="session", id=row.id),
        version_before=row.generation - 1 or None,
        version_after=row.generation,
        detail=detail,
    )
    state = state_of_row(row)
    transaction.on_commit(lambda: sessions.keep(state))
    return state


def _offer(row: SkillSession, listed: tuple[ServedSkill, ...], *, company: Company) -> bool:
    """Record the skills the catalogue shows for the first time in this session; answers whether there are any."""
    before = set(row.offered)
    fresh = [served for served in listed if served.skill.key not in before]
    if not fresh:
        return False
    row.offered = [*row.offered, *(served.skill.key for served in fresh)]
    count_usage(
        company=company,
        seat=row.seat,
        counted=Counted.OFFERED,
        skills=[UsedSkill(page_id=served.page_id, key=served.skill.key) for served in fresh],
    )
    _record(Via.SKILL_INJECTED, [(one.page_id, one.page_title) for one in fresh], row=row, company=company)
    return True


@dataclass(frozen=True, kw_only=True)
class LoadedFrom:
    """A skill a session has loaded: the key or name it was asked for by, and its page where it has one."""

    key: str
    page_id: int | None = None
    page_title: str = ""


def note_load(loaded: LoadedFrom, *, row: SkillSession, company: Company) -> None:
    """Count and publish that a session loaded a skill; part of the caller's transaction."""
    held = company.seat_by_handle.get(row.seat)
    payload = {
        "seat": row.seat,
        "role": held.name if held is not None else row.seat,
        "turn_id": row.turn or None,
        "phase": row.phase,
        "key": loaded.key,
        "source_page_id": loaded.page_id,
        "source_container": company.skills_container if loaded.page_id is not None else None,
    }
    ledger.publish(News(type="skill_used", payload=payload, seat=row.seat))
    if loaded.page_id is not None:
        used = UsedSkill(page_id=loaded.page_id, key=loaded.key)
        count_usage(company=company, seat=row.seat, counted=Counted.LOADED, skills=[used])
        _record(Via.SKILL_LOADED, [(loaded.page_id, loaded.page_title)], row=row, company=company)


def _record(via: Via, pages: Sequence[tuple[int, str]], *, row: SkillSession, company: Company) -> None:
    """Keep that a seat was shown these pages, ids with titles."""
    record_read(
        seat=row.seat,
        via=via,
        occasion=Occasion(phase=row.phase, turn_id=row.turn or None),
        pages=[
            PageRead(id=page_id, container=company.skills_container or "", title=title, rank=rank)
            for rank, (page_id, title) in enumerate(pages, 1)
        ],
    )


def _note_block(missing: tuple[Missing, ...], *, tool: str, state: SessionState, company: Company) -> None:
    count_usage(
        company=company,
        seat=state.seat,
        counted=Counted.BLOCKED,
        skills=[UsedSkill(page_id=one.page_id, key=one.key) for one in missing],
    )
    payload = {
        "seat": state.seat,
        "phase": state.phase.value,
        "tool": tool,
        "skill_keys": [one.key for one in missing],
        "turn_id": state.turn or None,
    }
    ledger.publish(News(type="phase.tool_skill_blocked", payload=payload, seat=state.seat))


def _warn_if_disabled(state: SessionState) -> None:
    if state.unarmed is Unarmed.NO_LOADER:
        log.warning("skill_guard_disabled_no_loader", session=state.id)
