"""The parameters of the skill tool: their shape, and what the usual wrong names for them meant. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from skills.folders.arguments import Given
from skills.folders.codes import MAX_NAME, NAME

_TOLD = 8
"""How many wrong parameters an answer names one by one."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

_USE_NAME = "use 'name'"
_USE_ARGUMENTS = "use 'arguments'"
_IMPLICIT = "drop it; calling the tool activates the skill"
_SESSION = "drop it; skill context is session-scoped; no per-call override"
_RELOAD = "drop it; skills load once per session; edit the skill file and restart the session to refresh"
_FORK = "drop it; subagent-forked skills deferred to v1.1"
_PATHS = "drop it; activation by file paths deferred to v1.1"
_MODEL = "drop it; model / effort overrides are harness concerns, not tool parameters (deferred to v1.1)"
_BY_NAME = "drop it; skills dispatch by name, not path; the harness owns discovery"

ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("skill", "skill_name", "name_of_skill", "slug"), _USE_NAME),
    **dict.fromkeys(("args", "args_string", "input", "params", "parameters"), _USE_ARGUMENTS),
    **dict.fromkeys(("invoke", "activate", "run"), _IMPLICIT),
    **dict.fromkeys(("context", "session"), _SESSION),
    **dict.fromkeys(("reload", "fresh", "force_reload", "refresh"), _RELOAD),
    **dict.fromkeys(("fork", "subagent", "isolated"), _FORK),
    **dict.fromkeys(("paths", "scope_paths"), _PATHS),
    **dict.fromkeys(("model", "effort"), _MODEL),
    **dict.fromkeys(("file", "file_path", "skill_path", "dir"), _BY_NAME),
}
"""What a model that writes one of these meant, from the source of the tool (§2.1)."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A well-formed call."""

    name: str
    arguments: Given


@dataclass(frozen=True, kw_only=True)
class Malformed:
    """A call that is refused as INVALID_PARAM."""

    message: str


def read_call(params: object) -> Call | Malformed:
    """The call a model made, or why it is none. Takes anything: it comes from a model."""
    if not isinstance(params, Mapping):
        return Malformed(message="the tool takes an object with 'name' and, where the skill wants them, 'arguments'")
    wrong = [_wrong(str(key)) for key in params if key not in ("name", "arguments")]
    if wrong:
        more = f"; and {len(wrong) - _TOLD} more" if len(wrong) > _TOLD else ""
        return Malformed(message="; ".join(wrong[:_TOLD]) + more)
    name = params.get("name")
    given = params.get("arguments")
    problem = _problem_of_name(name) or _problem_of_arguments(given)
    if problem or not isinstance(name, str):
        return Malformed(message=problem or "skill name must be a string")
    return Call(name=name, arguments=dict(given) if isinstance(given, Mapping) else given)


def _problem_of_arguments(given: object) -> str | None:
    if isinstance(given, str):
        return "arguments hold NUL or half of a character pair" if _UNSTORABLE.search(given) else None
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return "arguments must be a string or an object of strings"
    for key, value in given.items():
        if not isinstance(key, str) or not isinstance(value, str):
            return f"argument '{_shown(str(key))}' must be a string"
        if _UNSTORABLE.search(key + value):
            return f"argument '{_shown(key)}' holds NUL or half of a character pair"
    return None


def _problem_of_name(name: object) -> str | None:
    if name is None:
        return "skill name is required"
    if not isinstance(name, str):
        return "skill name must be a string"
    if not name:
        return "skill name must not be empty"
    if len(name) > MAX_NAME:
        return f"skill name has {len(name)} characters; at most {MAX_NAME} are allowed"
    if not NAME.fullmatch(name):
        return f"skill name must be lowercase-kebab-case, not '{name}'"
    return None


def _wrong(key: str) -> str:
    if key in ALIASES:
        return f"'{key}' is not a parameter: {ALIASES[key]}"
    return f"unknown parameter '{_shown(key)}'; the tool takes 'name' and 'arguments'"


def _shown(key: str) -> str:
    """A key a model made up, fit to be told back."""
    return key[:MAX_NAME].encode("utf-8", "replace").decode()
