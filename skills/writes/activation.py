"""The skill tool's write: one call in a session, every decision on record.

The hook is asked before any row is held, because it may take seconds. What the session has loaded is looked at again
under the lock, so that two calls at once load a skill once.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from company import live
from company.rules.actors import Actor, ActorKind, Permission, Scope
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from company.writes import ledger
from company.writes.ledger import Target
from skills import registry
from skills.folders import Activated, Answer, AuditRecord, activate, answers
from skills.models.sessions import SkillSession
from skills.reads.skill_tool import directory_of, served_tool
from skills.tool_skills.sessions import no_such_session
from skills.writes.sessions import LoadedFrom, hold_session, note_load, save_session


def activate_skill(*, actor: Actor, session_id: str, params: object, user_initiated: bool = False) -> Answer:
    """The tool's answer to one call; what an author or a model did wrong is an answer, too.

    `user_initiated` says that a person asked for the skill; for an agent it counts as not said. Refuses: `forbidden`
    without a seat, `not_found` for a session that is not this seat's.
    """
    seat = _require_seat(actor)
    company = live.current_for_write()
    row = SkillSession.objects.filter(pk=session_id).first() if "\x00" not in session_id else None
    if row is None or row.seat != seat:
        raise no_such_session()
    tool = served_tool(company)
    decisions: list[AuditRecord] = []
    answer = activate(
        params,
        registry=tool.registry,
        discovery=tool.discovery,
        policy=tool.policy,
        loaded=row.activated,
        user_initiated=user_initiated and actor.author.kind is not ActorKind.AGENT,
        audit=decisions.append,
    )
    if not decisions:
        return answer  # nothing was decided and nothing has changed
    with transaction.atomic():
        for decision in decisions:
            _audit(decision, actor=actor, session_id=session_id)
        if not isinstance(answer, Activated):
            return answer
        row = hold_session(session_id, seat=seat)
        if answer.name in row.activated:
            return answers.already_loaded(name=answer.name, at_turn=row.activated[answer.name])
        row.activated = {**row.activated, answer.name: row.turn or None}
        save_session(row, actor=actor, verb="session.skill", detail={"name": answer.name, "dir": answer.dir})
        note_load(_loaded_from(answer), row=row, company=company)
    return answer


def activate_once(*, actor: Actor, name: str, arguments: object = None) -> Answer:
    """The tool's answer to somebody who asks for a skill outside of any session, such as for a prompt; every decision
    on record. A person asked for it, unless a seat's own credential did. Refuses: `scope_missing`, `forbidden`."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    tool = served_tool(live.current_for_write())
    decisions: list[AuditRecord] = []
    answer = activate(
        {"name": name, **({"arguments": arguments} if arguments is not None else {})},
        registry=tool.registry,
        discovery=tool.discovery,
        policy=tool.policy,
        loaded={},
        user_initiated=actor.own_seat is None,
        audit=decisions.append,
    )
    if decisions:
        with transaction.atomic():
            for decision in decisions:
                _audit(decision, actor=actor, session_id="")
    return answer


def _require_seat(actor: Actor) -> str:
    """The seat whose sessions the actor may use: its own, also for a person who holds one."""
    require_app(actor, Permission.KNOWLEDGE, Scope.WRITE)
    if actor.seat is None:
        raise Refused(Code.FORBIDDEN, "Sessions belong to seats. People and services without a seat have none.")
    return actor.seat


def _audit(decision: AuditRecord, *, actor: Actor, session_id: str) -> None:
    detail: Mapping[str, object] = {
        "session": session_id,
        "path": decision.path,
        "reason": decision.reason.value,
        "hook": decision.answer,
        "code": decision.code.value if decision.code is not None else None,
        "detail": decision.detail,
    }
    ledger.record(
        actor=actor,
        verb="skill.allow" if decision.allowed else "skill.deny",
        target=Target(kind="skill", id=decision.name),
        detail=detail,
    )


def _loaded_from(answer: Activated) -> LoadedFrom:
    served = registry.current().folders.get(answer.name)
    if served is None or answer.dir != directory_of(answer.name):
        return LoadedFrom(key=answer.name)
    return LoadedFrom(key=answer.name, page_id=served.page.page_id, page_title=served.page.title)
