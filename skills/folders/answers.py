"""What the skill tool answers: four kinds, each with its text in `output`. Pure.

The `<skill>` block is what a harness looks for when it shortens a conversation, so nothing inside it may end it early:
the wrapper's own closing tags are escaped in `output`, and `body` stays exact.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from skills.folders import resources
from skills.folders.codes import ErrorCode, Kind
from skills.folders.resources import ResourceFolder
from skills.frontmatter import Value

_CLOSING_TAG = re.compile(r"<(\s*/\s*(?:skill|frontmatter|instructions|resources)\b[^<>]{0,200})(>?)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


Turn: TypeAlias = "int | str | None"
"""The turn a skill was loaded in, as the harness names its turns; None where it names none."""


@dataclass(frozen=True, kw_only=True)
class Activated:
    """The skill's body, loaded."""

    name: str
    dir: str
    body: str
    frontmatter: Mapping[str, Value]
    resources: tuple[str, ...]
    bytes: int
    output: str
    kind: Kind = Kind.OK

    def as_dict(self) -> dict[str, Value]:
        return {
            "kind": self.kind.value,
            "name": self.name,
            "dir": self.dir,
            "body": self.body,
            "frontmatter": dict(self.frontmatter),
            "resources": list(self.resources),
            "bytes": self.bytes,
            "output": self.output,
        }


@dataclass(frozen=True, kw_only=True)
class AlreadyLoaded:
    """The skill's body was loaded by an earlier call of the session."""

    name: str
    at_turn: Turn
    output: str
    kind: Kind = Kind.ALREADY_LOADED

    def as_dict(self) -> dict[str, Value]:
        return {"kind": self.kind.value, "name": self.name, "at_turn": self.at_turn, "output": self.output}


@dataclass(frozen=True, kw_only=True)
class NotFound:
    """No skill has the name; `siblings` are names like it."""

    name: str
    siblings: tuple[str, ...]
    output: str
    kind: Kind = Kind.NOT_FOUND

    def as_dict(self) -> dict[str, Value]:
        return {
            "kind": self.kind.value,
            "name": self.name,
            "siblings": list(self.siblings),
            "output": self.output,
        }


@dataclass(frozen=True, kw_only=True)
class Failed:
    """The call was refused."""

    code: ErrorCode
    message: str
    output: str
    kind: Kind = Kind.ERROR

    def as_dict(self) -> dict[str, Value]:
        return {
            "kind": self.kind.value,
            "code": self.code.value,
            "message": self.message,
            "output": self.output,
        }


Answer: TypeAlias = Activated | AlreadyLoaded | NotFound | Failed


def activated(
    *,
    name: str,
    directory: str,
    body: str,
    frontmatter: Mapping[str, Value],
    folders: Sequence[ResourceFolder],
) -> Activated:
    """The answer with a body whose placeholders are filled."""
    size = len(body.encode())
    shown = yaml.safe_dump(dict(frontmatter), sort_keys=False, allow_unicode=True, width=float("inf"))
    block = [
        f'<skill name="{html.escape(name)}" dir="{html.escape(_one_line(directory))}">',
        "<frontmatter>",
        escape_closing_tags(shown.rstrip("\n")),
        "</frontmatter>",
        "<instructions>",
        escape_closing_tags(body),
        "</instructions>",
    ]
    names = resources.lines(folders)
    if names:
        block += ["<resources>", *(escape_closing_tags(_one_line(line)) for line in names), "</resources>"]
    block.append("</skill>")
    block.append(
        f'(Skill "{name}" activated. Body is {size} bytes. Scripts available via bash(<skill-dir>/scripts/<name>). '
        "References via read(<skill-dir>/references/<name>).)"
    )
    return Activated(
        name=name,
        dir=directory,
        body=body,
        frontmatter=frontmatter,
        resources=resources.shown(folders),
        bytes=size,
        output="\n".join(block),
    )


def already_loaded(*, name: str, at_turn: Turn) -> AlreadyLoaded:
    """The answer to a second activation."""
    when = f"at turn {at_turn}" if at_turn is not None else "earlier"
    output = f'(Skill "{name}" is already active in this session. Body was loaded {when}. No new content was added.)'
    return AlreadyLoaded(name=name, at_turn=at_turn, output=output)


def not_found(*, name: str, siblings: Sequence[str]) -> NotFound:
    """The answer to a name nothing has."""
    hint = f" Did you mean: {', '.join(siblings)}?" if siblings else ""
    output = f'(No skill matches "{name}".{hint} Run with a listed name from the catalog.)'
    return NotFound(name=name, siblings=tuple(siblings), output=output)


def failed(code: ErrorCode, message: str) -> Failed:
    """A refusal."""
    return Failed(code=code, message=message, output=f"Error [{code.value}]: {message}")


def escape_closing_tags(text: str) -> str:
    """The text with the closing tags of the wrapper as entities, in any case and with blanks inside."""
    return _CLOSING_TAG.sub(lambda match: f"&lt;{match[1]}{'&gt;' if match[2] else ''}", text)


def _one_line(text: str) -> str:
    """A file name cannot begin a line of its own in the block."""
    return _CONTROL.sub("?", text)
