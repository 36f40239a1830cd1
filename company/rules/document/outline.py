"""The seats, units and claims of a document that may still be wrong in shape. Pure.

Checks read this outline, so that a misspelt section far away hides no other problem: whatever has the right type is
seen, the rest is left to the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from company.rules.document.slugs import slug_of
from company.rules.document.text import Path


@dataclass(frozen=True, kw_only=True)
class SeatEntry:
    """A seat of the document and where it stands."""

    path: Path
    data: dict[str, Any]
    name: str
    handle: str


@dataclass(frozen=True, kw_only=True)
class UnitEntry:
    """A unit of the document and where it stands."""

    path: Path
    data: dict[str, Any]
    name: str
    key: str


def section(data: object, *path: str) -> dict[str, Any]:
    """The mapping at a path; empty where there is none."""
    for part in path:
        data = data.get(part) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def text_of(data: dict[str, Any], key: str) -> str:
    """The text under a key; empty where there is none."""
    value = data.get(key)
    return value if isinstance(value, str) else ""


def entries(data: dict[str, Any], key: str, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The mappings of the list under a key, each with its path."""
    listed = data.get(key)
    if isinstance(listed, list):
        for at, item in enumerate(listed):
            if isinstance(item, dict):
                yield (*path, key, at), item


def seats_of(document: dict[str, Any]) -> tuple[SeatEntry, ...]:
    """Every seat, those outside units first, then unit by unit."""
    found = [_seat(path, data) for path, data in entries(document, "roles", ())]
    for unit in units_of(document):
        found.extend(_seat(path, data) for path, data in entries(unit.data, "roles", unit.path))
    return tuple(found)


def units_of(document: dict[str, Any]) -> tuple[UnitEntry, ...]:
    """Every unit, each before the units inside it."""
    found: list[UnitEntry] = []

    def walk(data: dict[str, Any], key: str, path: Path) -> None:
        for where, item in entries(data, key, path):
            name = text_of(item, "name")
            found.append(UnitEntry(path=where, data=item, name=name, key=text_of(item, "key") or slug_of(name)))
            walk(item, "children", where)

    walk(document, "units", ())
    return tuple(found)


def _seat(path: Path, data: dict[str, Any]) -> SeatEntry:
    name = text_of(data, "name")
    return SeatEntry(path=path, data=data, name=name, handle=text_of(data, "handle") or slug_of(name))
