"""What an item can be changed in, each value checked: the one list every door fills and every write takes.

A value that is None is not asked for. An empty `assignee`, `parent` or `due` takes away what is there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from typing import Any, TypeVar

from company.rules.refusals import Code, Refused
from knowledge.rules.edits import Edit
from knowledge.rules.labels import clean_labels
from knowledge.rules.texts import check_text, clean_line
from tracker.rules.keys import parse_key
from tracker.rules.limits import DESCRIPTION_BYTES, LABEL_BYTES, LABELS, TITLE_BYTES
from tracker.rules.vocabulary import Priority, Status, Type

Word = TypeVar("Word", bound=StrEnum)

_LAST_DAY = date(9999, 12, 30)


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What is asked of an item, as the doors hand it over."""

    title: str | None = None
    description: str | None = None
    edit: Edit | None = None
    type: str | None = None
    status: str | None = None
    priority: str | None = None
    assignee: str | None = None
    labels: Sequence[str] | None = None
    parent: str | None = None
    due: str | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of what is asked for."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is not None)


def clean_changes(changes: Changes, *, handles: Collection[str]) -> dict[str, Any]:
    """The values that are asked for, as an item keeps them; `edit` and `parent` are left to the write.

    Refuses `invalid` (a word outside the vocabulary, a handle no seat has, a text that shows nothing, a day that is
    none) and `too_long`.
    """
    cleaned: dict[str, Any] = {}
    if changes.title is not None:
        cleaned["title"] = clean_line(changes.title, attr="title", limit=TITLE_BYTES)
    if changes.description is not None:
        cleaned["description"] = check_description(changes.description)
    if changes.type is not None:
        cleaned["type"] = word_of(changes.type, Type, attr="type")
    if changes.status is not None:
        cleaned["status"] = word_of(changes.status, Status, attr="status")
    if changes.priority is not None:
        cleaned["priority"] = word_of(changes.priority, Priority, attr="priority")
    if changes.assignee is not None:
        cleaned["assignee"] = check_assignee(changes.assignee, handles=handles)
    if changes.labels is not None:
        cleaned["labels"] = clean_labels(changes.labels, at_most=LABELS, limit=LABEL_BYTES)
    if changes.due is not None:
        cleaned["due"] = day_of(changes.due)
    return cleaned


def check_description(text: str, *, attr: str = "description") -> str:
    """A description, byte for byte as it came (at most 32 KiB)."""
    return check_text(text, attr=attr, limit=DESCRIPTION_BYTES)


def check_assignee(handle: str, *, handles: Collection[str]) -> str:
    """The seat an item is given to; empty for nobody."""
    if handle and handle not in handles:
        raise Refused(
            Code.INVALID, f"No seat has the handle '{handle}'. An item is assigned to a seat.", attr="assignee"
        )
    return handle


def word_of(text: str, words: type[Word], *, attr: str) -> Word:
    """A word of a vocabulary; `invalid` for any other, naming those there are."""
    try:
        return words(text)
    except ValueError as error:
        known = ", ".join(words)
        raise Refused(Code.INVALID, f"There is no {attr} '{text[:64]}'. It is one of: {known}.", attr=attr) from error


def day_of(text: str) -> date | None:
    """The day something is due, written `2026-12-01`; None for an empty text."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day > _LAST_DAY or len(text) != 10:
        raise Refused(Code.INVALID, "A day is written like 2026-12-01.", attr="due")
    return day


def check_key(text: str, *, attr: str) -> str:
    """A key in its one spelling; `invalid` for a text that is none."""
    parsed = parse_key(text)
    if parsed is None:
        raise Refused(Code.INVALID, f"'{text[:64]}' is no key of an item. A key is written like ENG-12.", attr=attr)
    return f"{parsed[0]}-{parsed[1]}"


def check_field_bases(
    base_version: int, *, version: int, changed_at: Mapping[str, int], asked: Collection[str]
) -> None:
    """The one conflict rule, field by field: refuse a base on which something asked for has been changed since.

    What others changed besides is no conflict, just as a rename is none for a save of a page's body. Refuses
    `stale_version` (with `current_version`), also for a version the item never reached.
    """
    since = sorted(name for name in asked if changed_at.get(name, 1) > base_version)
    if since or not 1 <= base_version <= version:
        what = " and ".join(since) if since else "it"
        raise Refused(
            Code.STALE_VERSION,
            f"The item is at version {version} and you began from version {base_version}; {what} changed since. "
            "Read the item again and bring the two together; nothing was saved.",
            attr="base_version",
            extras={"current_version": version},
        )
