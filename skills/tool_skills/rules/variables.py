"""Skill variables: puts the company's own facts into a skill's text where it is shown to a model. Pure.

Only `${name}` of a declared variable with a value is replaced, once: a value is never looked into. Everything else,
`$name`, `$$`, `{name}` and an unknown `${name}`, stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

BASE_URL = "crewlet_base_url"
"""The one variable a company cannot declare: where people reach this deployment."""

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def variables_of(*, declared: Mapping[str, str], dashboard_base_url: str) -> dict[str, str]:
    """The variables in force: those declared that have a value, and the engine's own."""
    found = {name: value for name, value in declared.items() if value and name != BASE_URL}
    if dashboard_base_url:
        found[BASE_URL] = dashboard_base_url.rstrip("/")
    return found


def render(text: str, variables: Mapping[str, str]) -> str:
    """`text` with each reference to a variable in force replaced by its value."""
    if "${" not in text:
        return text
    return _REFERENCE.sub(lambda match: variables.get(match.group(1)) or match.group(), text)


def missing_in(text: str, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The names `text` refers to that have no value, each once, in the order they appear."""
    if "${" not in text:
        return ()
    names = (match.group(1) for match in _REFERENCE.finditer(text))
    return tuple(dict.fromkeys(name for name in names if not variables.get(name)))
