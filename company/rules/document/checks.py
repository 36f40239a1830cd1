"""What must agree between the sections of a document. Pure; every problem is told, not the first alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from company.rules.document.outline import SeatEntry, UnitEntry, entries, seats_of, section, text_of, units_of
from company.rules.document.schema import KEY_PATTERN
from company.rules.document.text import Path

Found = tuple[Path, str]
"""Where a problem is, and the sentence that says what to do."""

RESERVED_VARIABLE = "crewlet_base_url"
DEFAULT_ROOT_SPACE = "HOME"
DEFAULT_SKILLS_CONTAINER = "TS"

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_document(document: dict[str, Any]) -> tuple[Found, ...]:
    """Every disagreement of a document, in the order of the sections."""
    seats, units = seats_of(document), units_of(document)
    checks: tuple[Callable[[], Iterator[Found]], ...] = (
        lambda: _timezone(document),
        lambda: _knowledge(document),
        lambda: _skill_variables(document),
        lambda: _skill_folders(document),
        lambda: _servers(document),
        lambda: _handles(seats),
        lambda: _unit_keys(units),
        lambda: _leads(seats, units),
        lambda: _spaces(document, seats, units),
        lambda: _projects(seats, units),
    )
    return tuple(found for check in checks for found in check())


def _timezone(document: dict[str, Any]) -> Iterator[Found]:
    name = document.get("timezone")
    if not isinstance(name, str):
        return
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        yield ("timezone",), f"'{name}' is no IANA time zone. Write one such as 'Europe/Helsinki'."


def _knowledge(document: dict[str, Any]) -> Iterator[Found]:
    knowledge = section(document, "knowledge")
    backend = knowledge.get("backend")
    confluence = section(document, "integrations").get("confluence") is not None
    if backend == "native" and confluence:
        yield (
            ("knowledge", "backend"),
            "The native backend and integrations.confluence would keep pages in two places. Remove one.",
        )
    if backend == "confluence" and not confluence:
        yield (
            ("knowledge", "backend"),
            "The Confluence backend needs integrations.confluence. Declare the site, or choose another backend.",
        )
    if backend == "none" and knowledge.get("scope"):
        yield ("knowledge", "scope"), "With backend 'none' nothing is searched. Remove the scope, or choose a backend."
    if knowledge.get("vectors") in (True, "yes", "on") and not section(document, "providers", "embeddings"):
        yield (
            ("knowledge", "vectors"),
            "Search by meaning needs providers.embeddings. Declare it, or remove 'vectors: true'.",
        )


def _skill_variables(document: dict[str, Any]) -> Iterator[Found]:
    for name in section(document, "skill_variables"):
        if name == RESERVED_VARIABLE:
            yield (
                ("skill_variables", name),
                f"'{name}' is taken from integrations.dashboard_base_url. Set that, and remove the variable.",
            )
        elif not _IDENTIFIER.fullmatch(name):
            yield (
                ("skill_variables", name),
                f"'{name}' is no identifier: letters, digits and underscores, not beginning with a digit.",
            )


def _skill_folders(document: dict[str, Any]) -> Iterator[Found]:
    """A root or address that begins with a reference is judged when it is used: only the server knows what it says."""
    for path, data in entries(section(document, "skills"), "roots", ("skills",)):
        root = text_of(data, "path")
        if root and not root.startswith(("/", "~/", "${")) and root != "~":
            yield (
                (*path, "path"),
                f"'{root}' is relative, and what it means would depend on the process. Give an absolute folder.",
            )
    url = text_of(section(document, "skills", "hook"), "url")
    if url and not url.startswith(("http://", "https://", "${")):
        yield ("skills", "hook", "url"), f"'{url}' is no web address. Begin it with https:// or http://."


def _servers(document: dict[str, Any]) -> Iterator[Found]:
    seen: dict[str, Path] = {}
    for path, data in entries(document, "mcp_servers", ()):
        name = text_of(data, "name")
        if name and name in seen:
            yield (*path, "name"), f"The server '{name}' is declared twice. Keep one."
        seen.setdefault(name, path)


def _handles(seats: tuple[SeatEntry, ...]) -> Iterator[Found]:
    seen: dict[str, SeatEntry] = {}
    for seat in seats:
        if not seat.handle:
            if seat.name:
                yield (
                    (*seat.path, "handle"),
                    f"'{seat.name}' holds neither letter nor digit to make a handle of. Give the seat a handle.",
                )
            continue
        first = seen.setdefault(seat.handle.casefold(), seat)
        if first is not seat:
            yield (
                (*seat.path, "handle"),
                f"'{seat.handle}' is the handle of '{first.name}' too. Give one of them another handle.",
            )


def _unit_keys(units: tuple[UnitEntry, ...]) -> Iterator[Found]:
    seen: dict[str, UnitEntry] = {}
    for unit in units:
        if not unit.key:
            if unit.name:
                yield (
                    (*unit.path, "key"),
                    f"'{unit.name}' holds neither letter nor digit to make a key of. Give the unit a key.",
                )
            continue
        first = seen.setdefault(unit.key.casefold(), unit)
        if first is not unit:
            yield (
                (*unit.path, "key"),
                f"'{unit.key}' is the key of the unit '{first.name}' too. Give one of them another key.",
            )


def find_lead(word: str, seats: tuple[SeatEntry, ...]) -> tuple[SeatEntry, ...]:
    """The seats a unit's `lead` may mean: the one with that handle, else those with that name."""
    by_handle = tuple(seat for seat in seats if seat.handle == word)
    return by_handle or tuple(seat for seat in seats if seat.name == word)


def _leads(seats: tuple[SeatEntry, ...], units: tuple[UnitEntry, ...]) -> Iterator[Found]:
    for unit in units:
        word = unit.data.get("lead")
        if not isinstance(word, str):
            continue
        meant = find_lead(word, seats)
        if not meant:
            yield (
                (*unit.path, "lead"),
                f"'{word}' is neither the handle nor the name of a seat. Name a seat of this document.",
            )
        elif len(meant) > 1:
            yield (*unit.path, "lead"), f"{len(meant)} seats are called '{word}'. Give the lead's handle instead."


def _spaces(document: dict[str, Any], seats: tuple[SeatEntry, ...], units: tuple[UnitEntry, ...]) -> Iterator[Found]:
    knowledge = section(document, "knowledge")
    root = knowledge.get("root_space")
    root = DEFAULT_ROOT_SPACE if root is None else root
    skills = knowledge.get("skills_container")
    skills = DEFAULT_SKILLS_CONTAINER if skills is None else skills
    if root == skills:
        yield (
            ("knowledge", "skills_container"),
            f"'{skills}' is knowledge.root_space too. Give the tool skills a container of their own.",
        )
    taken: dict[str, str] = {}
    for holder in _holders(units, seats):
        key = _claim(holder.data, "space")
        if key is None:
            continue
        where = (*holder.path, "space")
        if key == root:
            yield (
                where,
                f"'{key}' is the company's root space (knowledge.root_space). Choose another key for one of them.",
            )
        elif key == skills:
            yield (
                where,
                f"'{key}' holds the tool skills (knowledge.skills_container). Choose another key for one of them.",
            )
        elif key in taken:
            yield where, f"'{key}' is the space of '{taken[key]}' already. A space is declared once."
        taken.setdefault(key, holder.name)


def _projects(seats: tuple[SeatEntry, ...], units: tuple[UnitEntry, ...]) -> Iterator[Found]:
    taken: dict[str, str] = {}
    for holder in _holders(units, seats):
        key = _claim(holder.data, "project")
        if key is None:
            continue
        if key in taken:
            yield (
                (*holder.path, "project"),
                f"'{key}' is the project of '{taken[key]}' already. A project is declared once.",
            )
        taken.setdefault(key, holder.name)


def _holders(units: tuple[UnitEntry, ...], seats: tuple[SeatEntry, ...]) -> tuple[UnitEntry | SeatEntry, ...]:
    """Whatever may claim a space or a project."""
    return (*units, *seats)


def _claim(data: dict[str, Any], field: str) -> str | None:
    """A well-formed key a unit or seat claims; a malformed one is the schema's to refuse."""
    key = data.get(field)
    return key if isinstance(key, str) and re.fullmatch(KEY_PATTERN, key) else None
