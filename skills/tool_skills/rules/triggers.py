"""Triggers: what a skill is for. Read from front matter, matched against a surface, asked what they cover. Pure.

A trigger is one of `tool`, `mcp_server`, `any_of`, `all_of`, nested at most `MAX_DEPTH` deep. A surface is what a
session can reach: names of tools and names of servers, compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from company.rules.refusals import Code
from skills.frontmatter import Field, Problem, join_path

MAX_DEPTH = 8
"""How deep `any_of` and `all_of` may nest: far beyond what anybody can read, and a bound on matching."""

MAX_NAME_LENGTH = 256

OPERATORS = ("tool", "mcp_server", "any_of", "all_of")


@dataclass(frozen=True, kw_only=True)
class Surface:
    """What a session can reach."""

    tools: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Tool:
    """Fires where the tool is on the surface."""

    name: str


@dataclass(frozen=True, kw_only=True)
class McpServer:
    """Fires where the server's tools reach the seat."""

    name: str


@dataclass(frozen=True, kw_only=True)
class AnyOf:
    """Fires where one part fires."""

    parts: tuple[Trigger, ...]


@dataclass(frozen=True, kw_only=True)
class AllOf:
    """Fires where every part fires."""

    parts: tuple[Trigger, ...]


Trigger = Tool | McpServer | AnyOf | AllOf


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The calls a trigger covers: the tools it names, and every tool of the servers it names."""

    tools: frozenset[str]
    servers: frozenset[str]

    def as_dict(self) -> dict[str, list[str]]:
        """The shape of coverage in every public answer."""
        return {"tools": sorted(self.tools), "servers": sorted(self.servers)}


def matches(trigger: Trigger, surface: Surface) -> bool:
    """Whether the trigger fires on a surface."""
    match trigger:
        case Tool(name=name):
            return name in surface.tools
        case McpServer(name=name):
            return name in surface.servers
        case AnyOf(parts=parts):
            return any(matches(part, surface) for part in parts)
        case AllOf(parts=parts):
            return all(matches(part, surface) for part in parts)


def leaves(trigger: Trigger) -> Iterator[Tool | McpServer]:
    """The tools and servers a trigger names, in the order they are written."""
    if isinstance(trigger, AnyOf | AllOf):
        for part in trigger.parts:
            yield from leaves(part)
    else:
        yield trigger


def coverage_of(trigger: Trigger) -> Coverage:
    """What a trigger covers: the union of its leaves, whichever way they are combined."""
    named = tuple(leaves(trigger))
    return Coverage(
        tools=frozenset(leaf.name for leaf in named if isinstance(leaf, Tool)),
        servers=frozenset(leaf.name for leaf in named if isinstance(leaf, McpServer)),
    )


def as_dict(trigger: Trigger) -> dict[str, Any]:
    """A trigger as it is written."""
    match trigger:
        case Tool(name=name):
            return {"tool": name}
        case McpServer(name=name):
            return {"mcp_server": name}
        case AnyOf(parts=parts):
            return {"any_of": [as_dict(part) for part in parts]}
        case AllOf(parts=parts):
            return {"all_of": [as_dict(part) for part in parts]}


def why(trigger: Trigger, surface: Surface) -> str:
    """One clause that says why a trigger fires on a surface or does not."""
    match trigger:
        case Tool(name=name):
            return f"the tool '{name}' is {'' if name in surface.tools else 'not '}on the surface"
        case McpServer(name=name):
            return f"the server '{name}' {'reaches' if name in surface.servers else 'does not reach'} it"
        case AnyOf(parts=parts):
            fires = next((part for part in parts if matches(part, surface)), None)
            if fires is not None:
                return why(fires, surface)
            return "none of these fires: " + _joined(why(part, surface) for part in parts)
        case AllOf(parts=parts):
            fails = next((part for part in parts if not matches(part, surface)), None)
            if fails is not None:
                return why(fails, surface)
            return "all of these fire: " + _joined(why(part, surface) for part in parts)


def unmet(trigger: Trigger, surface: Surface) -> tuple[Tool | McpServer, ...]:
    """The names that keep a trigger from firing on a surface, each once; none where it fires.

    Of an `any_of` one of them would do, of an `all_of` each is needed.
    """
    match trigger:
        case AnyOf(parts=parts) | AllOf(parts=parts):
            if matches(trigger, surface):
                return ()
            return tuple(dict.fromkeys(leaf for part in parts for leaf in unmet(part, surface)))
        case Tool() | McpServer():
            return () if matches(trigger, surface) else (trigger,)


def _joined(clauses: Iterator[str]) -> str:
    return "(" + "; ".join(clauses) + ")"


def read_trigger(field: Field, *, path: str, problems: list[Problem], depth: int = 1) -> Trigger | None:
    """The trigger a field writes, or None with what is wrong appended to `problems`."""
    if field.entries is None:
        code = Code.REQUIRED if field.value is None else Code.INVALID
        detail = f"A trigger is a mapping with one of {', '.join(OPERATORS)}."
        problems.append(Problem(code=code, detail=detail, field=path, line=field.line))
        return None
    unknown = [name for name in field.entries if name not in OPERATORS]
    for name in unknown:
        detail = f"A trigger has no '{name}'. It has one of {', '.join(OPERATORS)}."
        line = field.entries[name].line
        problems.append(Problem(code=Code.UNKNOWN_FIELD, detail=detail, field=join_path(path, name), line=line))
    if unknown:
        return None
    if len(field.entries) != 1:
        found = " and ".join(field.entries) or "none"
        detail = f"A trigger has exactly one of {', '.join(OPERATORS)}; this one has {found}."
        code = Code.INVALID if field.entries else Code.REQUIRED
        problems.append(Problem(code=code, detail=detail, field=path, line=field.line))
        return None
    ((operator, value),) = field.entries.items()
    below = join_path(path, operator)
    if operator in ("tool", "mcp_server"):
        return _read_leaf(value, operator=operator, path=below, problems=problems)
    return _read_parts(value, operator=operator, path=below, problems=problems, depth=depth)


def _read_leaf(field: Field, *, operator: str, path: str, problems: list[Problem]) -> Trigger | None:
    what = "a tool" if operator == "tool" else "an MCP server"
    name = field.value
    if name is None or name == "":
        detail = f"'{operator}' is the name of {what}; it is empty."
        problems.append(Problem(code=Code.REQUIRED, detail=detail, field=path, line=field.line))
    elif not isinstance(name, str):
        detail = f"'{operator}' is the name of {what}, as text. Put quotes around a name YAML takes for something else."
        problems.append(Problem(code=Code.INVALID, detail=detail, field=path, line=field.line))
    elif any(character.isspace() or not character.isprintable() for character in name):
        detail = f"'{operator}' is the name of {what}, without white space."
        problems.append(Problem(code=Code.INVALID, detail=detail, field=path, line=field.line))
    elif len(name) > MAX_NAME_LENGTH:
        detail = f"The name of {what} has at most {MAX_NAME_LENGTH} characters; this one has {len(name)}."
        problems.append(Problem(code=Code.TOO_LONG, detail=detail, field=path, line=field.line))
    else:
        return Tool(name=name) if operator == "tool" else McpServer(name=name)
    return None


def _read_parts(field: Field, *, operator: str, path: str, problems: list[Problem], depth: int) -> Trigger | None:
    if not field.items:
        detail = f"'{operator}' is a list of one trigger or more."
        problems.append(Problem(code=Code.INVALID, detail=detail, field=path, line=field.line))
        return None
    if depth >= MAX_DEPTH:
        detail = f"A trigger nests at most {MAX_DEPTH} deep. Write it flatter."
        problems.append(Problem(code=Code.INVALID, detail=detail, field=path, line=field.line))
        return None
    parts = [
        read_trigger(item, path=join_path(path, index), problems=problems, depth=depth + 1)
        for index, item in enumerate(field.items)
    ]
    whole = tuple(part for part in parts if part is not None)
    if len(whole) < len(parts):
        return None
    return AnyOf(parts=whole) if operator == "any_of" else AllOf(parts=whole)
