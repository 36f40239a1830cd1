"""`${NAME}` references to the server's environment. Pure: the environment is handed in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def resolve_references(text: str, environ: Mapping[str, str]) -> str:
    """The text with each `${NAME}` replaced from the environment; a name that is not set becomes empty."""
    return REFERENCE.sub(lambda found: environ.get(found[1], ""), text)


def resolve_all(value: Any, environ: Mapping[str, str]) -> Any:
    """A copy of plain data with the references in every text resolved. What it answers may hold secrets."""
    if isinstance(value, str):
        return resolve_references(value, environ)
    if isinstance(value, dict):
        return {key: resolve_all(inner, environ) for key, inner in value.items()}
    if isinstance(value, list):
        return [resolve_all(inner, environ) for inner in value]
    return value


def references_in(value: object) -> frozenset[str]:
    """The names of the environment that plain data refers to."""
    if isinstance(value, str):
        return frozenset(REFERENCE.findall(value))
    if isinstance(value, dict):
        return frozenset().union(*(references_in(inner) for inner in value.values()))
    if isinstance(value, list):
        return frozenset().union(*(references_in(inner) for inner in value))
    return frozenset()
