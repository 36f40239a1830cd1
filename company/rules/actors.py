"""Who acts: the one value every write and every narrowed read is given.

Owns the vocabulary of identity (kinds, apps, scopes) and the `Actor`. Refuses to know where an actor came
from: the doors build one through `company.reads.actors`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class ActorKind(StrEnum):
    """What stands behind a name: an agent's seat, a person's seat, or a credential that holds no seat."""

    AGENT = "agent"
    HUMAN = "human"
    OPERATOR = "operator"


class Permission(StrEnum):
    """An app a credential may use, or `admin`, which includes both."""

    KNOWLEDGE = "knowledge"
    TRACKER = "tracker"
    ADMIN = "admin"


class Scope(StrEnum):
    """How far a token reaches. A scope only ever narrows what its holder may do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


ALL_SCOPES = frozenset(Scope)


class Door(StrEnum):
    """Which door a request came through; kept in the audit trail."""

    FORM = "form"
    REST = "rest"
    MCP = "mcp"
    COMMAND = "command"
    ENGINE = "engine"


@dataclass(frozen=True, kw_only=True)
class Author:
    """A name as it is written under a change, and what kind of name it is."""

    name: str
    kind: ActorKind

    def as_dict(self) -> dict[str, str]:
        """The shape of an author in every public answer: `{name, kind}`."""
        return {"name": self.name, "kind": self.kind.value}


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Somebody who asks for something, with all that a rule needs to decide it.

    `credential` names the session or token behind the request (`login:ada`, `token:12`) and is what the audit
    calls `operator_id`. `permissions` are those of the holder before scopes narrow them. `proven_until` is the
    end of the last proof of identity of this credential, if it gave one.
    """

    author: Author
    credential: str
    door: Door
    seat: str | None = None
    login: str | None = None
    permissions: frozenset[Permission] = field(default_factory=frozenset)
    scopes: frozenset[Scope] = ALL_SCOPES
    proven_until: datetime | None = None

    @property
    def is_agent(self) -> bool:
        """Whether an agent's seat acts."""
        return self.author.kind is ActorKind.AGENT

    @property
    def own_seat(self) -> str | None:
        """The seat whose own credential this is; None for people, who hold a seat besides, and for services.

        What a seat reads and loads is recorded; what people read is not.
        """
        return self.seat if self.login is None else None

    @property
    def is_admin(self) -> bool:
        """Whether the holder administers the company; an agent never does."""
        return Permission.ADMIN in self.permissions and not self.is_agent

    def holds(self, permission: Permission) -> bool:
        """Whether the holder may use an app; `admin` includes every app."""
        return permission in self.permissions or Permission.ADMIN in self.permissions

    def has_scope(self, scope: Scope) -> bool:
        """Whether the credential reaches as far as `scope`; writing includes reading, admin is its own."""
        if scope is Scope.READ:
            return bool(self.scopes & {Scope.READ, Scope.WRITE})
        return scope in self.scopes


def engine_actor(name: str) -> Actor:
    """The engine acting on the company's behalf, such as a duty; recorded as an operator."""
    return Actor(
        author=Author(name=name, kind=ActorKind.OPERATOR),
        credential=f"engine:{name}",
        door=Door.ENGINE,
        permissions=frozenset({Permission.ADMIN}),
    )


def command_actor(user: str) -> Actor:
    """Whoever runs a command on the server, `user` being their account there. The machine is theirs, so nothing is
    held back, and the audit names the account."""
    return Actor(
        author=Author(name=user, kind=ActorKind.OPERATOR),
        credential=f"command:{user}",
        door=Door.COMMAND,
        permissions=frozenset({Permission.ADMIN}),
    )
