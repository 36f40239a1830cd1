"""Keys of items: `ENG-12`, the project an item was filed in and its number there. A key stays when the item moves."""

from __future__ import annotations

import re

_KEY = re.compile(r"^([A-Z][A-Z0-9]{1,9})-([1-9][0-9]{0,8})$")


def key_of(project: str, number: int) -> str:
    """The key of the item with this number of a project."""
    return f"{project}-{number}"


def parse_key(text: str) -> tuple[str, int] | None:
    """The project and the number a key names; None for a text that is no key. Case and outer blanks do not count."""
    match = _KEY.match(text.strip().upper()) if len(text) < 64 else None
    return (match[1], int(match[2])) if match else None
