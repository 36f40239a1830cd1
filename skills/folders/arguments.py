"""Arguments of a skill: what it declares, which form a call may use, and how placeholders are filled. Pure.

Placeholders are filled in one pass, so that nothing an argument says is taken for a placeholder itself. A placeholder
nothing was given for stays as the author wrote it; so does a price (`$10,000`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Given: TypeAlias = "str | Mapping[str, str] | None"
"""What a call passes: text for positional skills, named values for skills that declare them, or nothing."""

ARGUMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
"""Use with `fullmatch`: what can stand in `${…}`."""

# One alternative for each form; a backslash before any of them makes it text. Each part is bounded or consumes what it
# matches once, so the time is linear in the body. `$1` before `,5` or `.5` is the beginning of a price.
_PLACEHOLDER = re.compile(
    r"(?P<escape>\\)?"
    r"\$(?:"
    r"ARGUMENTS\[(?P<index>[0-9]{1,6})\]"
    r"|(?P<all>ARGUMENTS)(?![A-Za-z0-9_])"
    r"|\{(?P<name>[A-Za-z_][A-Za-z0-9_-]{0,63})\}"
    r"|(?P<number>[0-9]+)(?P<price>[.,](?=[0-9]))?"
    r")"
)


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One named argument a skill declares. `type` is kept for harnesses; every value is text."""

    name: str
    type: str = "string"
    required: bool = False
    description: str = ""


def refusal_of_form(*, skill: str, declared: Sequence[Argument], given: Given) -> str | None:
    """Why a call's arguments do not fit what the skill declares; None when they do."""
    if given is None:
        missing = [argument.name for argument in declared if argument.required]
        return _missing(skill, missing) if missing else None
    if isinstance(given, str):
        if declared:
            return f"skill {skill} expects named arguments: {', '.join(argument.name for argument in declared)}"
        return None
    if not declared:
        return f"skill {skill} does not accept named arguments"
    names = [argument.name for argument in declared]
    unknown = [key for key in given if key not in names]
    if unknown:
        return f"skill {skill} does not declare {_listed(unknown)}; it declares: {', '.join(names)}"
    missing = [argument.name for argument in declared if argument.required and argument.name not in given]
    return _missing(skill, missing) if missing else None


def substitute(body: str, *, declared: Sequence[Argument], given: Given) -> str:
    """The body with its placeholders filled. Without arguments it is returned as it is, to the byte.

    `$ARGUMENTS` is the whole text, or `key=value` pairs in the order of the declaration; `$1` and `$ARGUMENTS[0]` are
    the words of the text; `${name}` is a named value, where the skill declares it. `\\$1` gives `$1`.
    """
    if given is None:
        return body
    words: list[str] = []
    named: dict[str, str] = {}
    if isinstance(given, str):
        words = given.split()
        whole = given
    else:
        named = {argument.name: given[argument.name] for argument in declared if argument.name in given}
        whole = " ".join(f"{key}={value}" for key, value in named.items())

    def fill(match: re.Match[str]) -> str:
        text = match.group(0)
        if match["escape"]:
            return text[1:]
        if match["all"]:
            return whole
        if match["name"]:
            return named.get(match["name"], text)
        if match["index"]:
            position = int(match["index"])
        elif match["price"] or match["number"].startswith("0") or len(match["number"]) > 6:
            return text
        else:
            position = int(match["number"]) - 1
        return words[position] if position < len(words) else text

    return _PLACEHOLDER.sub(fill, body)


def _missing(skill: str, names: list[str]) -> str:
    return f"skill {skill} requires {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name[:64]}'" for name in names)
