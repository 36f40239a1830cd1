"""What a tool is: its name, its words, its arguments, whom it is offered, and the function behind it.

Arguments are judged strictly, as bodies are at the REST door: a field nobody knows is `unknown_field`, never ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from company.rules.actors import Actor, Permission, Scope
from company.rules.occasions import NO_OCCASION, Occasion
from company.rules.refusals import Code, Problem, Refused

_CODES = {
    "missing": Code.REQUIRED,
    "extra_forbidden": Code.UNKNOWN_FIELD,
    "string_too_long": Code.TOO_LONG,
    "too_long": Code.TOO_LONG,
}


class Audience(StrEnum):
    """Whom a server is for: whoever comes with a seat's own token, or people and services."""

    AGENTS = "agent"
    OPERATORS = "operator"


BOTH = frozenset(Audience)
AGENTS = frozenset({Audience.AGENTS})
OPERATORS = frozenset({Audience.OPERATORS})


def audience_of(actor: Actor) -> Audience:
    """Whose server a credential belongs to: a seat's own has one, those of people and services the other."""
    return Audience.AGENTS if actor.own_seat is not None else Audience.OPERATORS


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who calls, on which occasion, and the addresses under which this deployment is known to them."""

    actor: Actor
    occasion: Occasion = NO_OCCASION
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a tool answers: markdown for a model, beside it data where a program decides by it.

    `failed` marks an answer that tells of a failure without being a refusal, such as the skill tool's own errors.
    """

    text: str
    data: Mapping[str, Any] | None = None
    failed: bool = False


class Arguments(BaseModel):
    """The arguments of a tool. A subclass's fields are its parameters, their descriptions what a model reads."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool.

    It is listed for an actor whose credential has the `scope` and whose holder has the `permission`. What it then
    refuses is decided by the read or write it calls, so listing is a courtesy and never a check.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    call: Callable[[Caller, Any], Said]
    audiences: frozenset[Audience] = BOTH
    scope: Scope = Scope.READ
    permission: Permission = Permission.KNOWLEDGE
    reads_only: bool = False
    destroys: bool = False
    repeatable: bool = field(default=False)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, without the titles that say each name twice."""
        schema: dict[str, Any] = _untitled(self.arguments.model_json_schema())
        return schema

    def is_for(self, actor: Actor, audience: Audience) -> bool:
        """Whether the tool is listed for an actor at a server."""
        if audience not in self.audiences or not actor.has_scope(self.scope):
            return False
        return actor.is_admin if self.permission is Permission.ADMIN else actor.holds(self.permission)

    def run(self, caller: Caller, arguments: Mapping[str, Any]) -> Said:
        """The answer to one call. Raises `Refused`, with a problem for each argument that is wrong."""
        try:
            given = self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            raise Refused.of(tuple(self._problem(found) for found in error.errors())) from error
        return self.call(caller, given)

    def _problem(self, found: Any) -> Problem:
        place = ".".join(str(part) for part in found["loc"][:1] or ("arguments",))
        code = _CODES.get(found["type"], Code.INVALID)
        known = ", ".join(self.arguments.model_fields)
        detail = {
            Code.REQUIRED: f"'{place}' is required by {self.name}.",
            Code.UNKNOWN_FIELD: f"{self.name} takes no '{place}'. It takes: {known or 'nothing'}.",
        }.get(code, f"'{place}' is not as {self.name} takes it: {found['msg']}.")
        return Problem(code=code, detail=detail, attr=place)


def in_words(refused: Refused) -> str:
    """A refusal as a model reads it: a line for each problem, its code first, then whatever stands beside them."""
    lines = [f"{problem.code.value}: {problem.detail}" for problem in refused.problems]
    lines += [f"{name}: {value}" for name, value in refused.extras.items()]
    if refused.retry_after is not None:
        lines.append(f"retry after {refused.retry_after} seconds")
    return "\n".join(lines)


def _untitled(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            name: _untitled(value) for name, value in schema.items() if not (name == "title" and isinstance(value, str))
        }
    return [_untitled(value) for value in schema] if isinstance(schema, list) else schema
