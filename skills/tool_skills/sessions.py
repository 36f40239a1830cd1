"""Sessions: what one phase's message history can reach and has read, and what the guard makes of a call in it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from company.rules.actors import Actor, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_app
from company.rules.refusals import Code, Problem, Refused
from skills.registry import Registry
from skills.tool_skills.rules.documents import KEY, Phase
from skills.tool_skills.rules.guard import NEVER_GATED, Missing, Unarmed, servers_of_call, unarmed_because
from skills.tool_skills.rules.triggers import MAX_NAME_LENGTH, Surface

MAX_NAMES = 5_000
"""Names of tools, servers or keys in one list: above every real surface, and a bound on what a row may hold."""
MAX_TURN_LENGTH = 128


@dataclass(frozen=True, kw_only=True)
class SessionState:
    """A session as its row has it at one generation."""

    id: str
    seat: str
    phase: Phase
    turn: str
    tools: tuple[str, ...]
    servers: tuple[str, ...]
    offered: frozenset[str]
    loaded: tuple[str, ...]
    generation: int

    @cached_property
    def surface(self) -> Surface:
        """What the session can reach."""
        return Surface(tools=frozenset(self.tools), servers=frozenset(self.servers))

    @cached_property
    def unarmed(self) -> Unarmed | None:
        """Why the guard holds nothing back here, or None where it is armed."""
        return unarmed_because(phase=self.phase, tools=self.surface.tools)

    @cached_property
    def read_keys(self) -> frozenset[str]:
        """The keys loaded so far."""
        return frozenset(self.loaded)


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """The call may go ahead."""


@dataclass(frozen=True, kw_only=True)
class Blocked:
    """The call waits for these skills, in order of their keys."""

    missing: tuple[Missing, ...]


def is_free(*, phase: Phase, tool: str, server: str | None, registry: Registry, company: Company) -> bool:
    """Whether a call goes ahead in every session of a phase, whatever it can reach and has read.

    Most calls do, and for them nothing of a session has to be known but that it is there.
    """
    if phase is Phase.REVIEW or tool in NEVER_GATED:
        return True
    servers = (server,) if server is not None else company.servers_by_tool.get(tool, ())
    return not registry.covering(tool=tool, servers=servers, phase=phase)


def judge(
    session: SessionState, *, tool: str, server: str | None, registry: Registry, company: Company
) -> Allowed | Blocked:
    """Whether a session may call a tool now, by the registry and the company of this moment."""
    if session.unarmed is not None or tool in NEVER_GATED:
        return Allowed()
    servers = servers_of_call(
        tool=tool, server=server, declared=company.servers_by_tool, reached=session.surface.servers
    )
    missing = tuple(
        Missing(key=served.skill.key, page_id=served.page_id, summary=served.skill.summary)
        for served in registry.holding_back(tool=tool, servers=servers, phase=session.phase, surface=session.surface)
        if served.skill.key not in session.read_keys
    )
    return Blocked(missing=missing) if missing else Allowed()


def require_seat(actor: Actor, scope: Scope) -> str:
    """The seat a session belongs to; refuses credentials that are no seat's (`forbidden`).

    A person who holds a seat signs in as a person: a session is a model's, and only the seat's own token opens one.
    """
    require_app(actor, Permission.KNOWLEDGE, scope)
    if actor.seat is None or actor.login is not None:
        raise Refused(
            Code.FORBIDDEN, "Sessions belong to seats. Send the token of a seat; people and services have none."
        )
    return actor.seat


def no_such_session() -> Refused:
    """The refusal for a session that does not exist or is another seat's: the two are not told apart."""
    return Refused(Code.NOT_FOUND, "There is no such session of this seat. Open one with POST /api/v1/sessions.")


def require_names(lists: Mapping[str, Sequence[str] | None]) -> None:
    """Refuse lists of names that are too long or hold what is no name (`too_long`, `invalid`), all at once."""
    problems: list[Problem] = []
    for attr, names in lists.items():
        if names is None:
            continue
        if len(names) > MAX_NAMES:
            problems.append(Problem(code=Code.TOO_LONG, detail=f"At most {MAX_NAMES} names.", attr=attr))
            continue
        for index, name in enumerate(names):
            where = f"{attr}.{index}"
            if attr == "loaded" and KEY.fullmatch(name) is None:
                problems.append(Problem(code=Code.INVALID, detail="This is no key of a skill.", attr=where))
            elif not name or not name.isprintable():
                detail = "A name is text without control characters, and not empty."
                problems.append(Problem(code=Code.INVALID, detail=detail, attr=where))
            elif len(name) > MAX_NAME_LENGTH:
                detail = f"A name has at most {MAX_NAME_LENGTH} characters."
                problems.append(Problem(code=Code.TOO_LONG, detail=detail, attr=where))
    if problems:
        limit = MAX_NAMES if problems[0].attr in lists else MAX_NAME_LENGTH
        raise Refused.of(tuple(problems), extras={"limit": limit} if problems[0].code is Code.TOO_LONG else None)


def once_each(names: Sequence[str]) -> list[str]:
    """`names` without repetitions, in their order."""
    return list(dict.fromkeys(names))
