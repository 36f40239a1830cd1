"""What a list, a board or a saved view asks for: read from the words of an address, and written back as one. Pure.

The same words stand in an address of a screen and in a query of REST. A word nobody knows is refused, never ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from company.rules.refusals import Code, Refused
from tracker.rules.changes import check_key, word_of
from tracker.rules.vocabulary import OPEN, Priority, Status, Type

Word = TypeVar("Word", bound=StrEnum)

ME, NOBODY = "me", "none"
MOST_WORDS = 200


class Sort(StrEnum):
    """The orders of a list."""

    UPDATED = "updated"
    CREATED = "created"
    PRIORITY = "priority"
    DUE = "due"


class Due(StrEnum):
    """When something has to be done by, seen from today."""

    OVERDUE = "overdue"
    WEEK = "week"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What is asked for; whatever is empty narrows nothing. `assignee` and `author` are handles, or `me`; an assignee
    may be `none`. `trashed` asks for the trash instead of what is living."""

    project: str = ""
    status: tuple[Status, ...] = ()
    type: tuple[Type, ...] = ()
    priority: tuple[Priority, ...] = ()
    assignee: str = ""
    author: str = ""
    watcher: str = ""
    label: str = ""
    parent: str = ""
    page: int | None = None
    due: Due | None = None
    q: str = ""
    sort: Sort = Sort.UPDATED
    trashed: bool = False

    @property
    def narrows(self) -> bool:
        """Whether anything but a project and an order is asked for."""
        return replace(self, project="", sort=Sort.UPDATED) != Filters()

    @property
    def is_open(self) -> bool:
        """Whether exactly what is still to be done is asked for."""
        return self.status == OPEN

    def query(self, **changes: object) -> str:
        """The filters as the query of an address, each in its place, with `changes` made; empty where none is asked."""
        asked = replace(self, **changes)  # type: ignore[arg-type]  # the names are this class's own
        words = [
            ("project", asked.project),
            ("status", "open" if asked.status == OPEN else ",".join(asked.status)),
            ("type", ",".join(asked.type)),
            ("priority", ",".join(asked.priority)),
            ("assignee", asked.assignee),
            ("author", asked.author),
            ("watcher", asked.watcher),
            ("label", asked.label),
            ("parent", asked.parent),
            ("page", str(asked.page or "")),
            ("due", asked.due or ""),
            ("q", asked.q),
            ("sort", "" if asked.sort is Sort.UPDATED else asked.sort.value),
            ("trashed", "true" if asked.trashed else ""),
        ]
        return urlencode([(name, value) for name, value in words if value])


FILTERS = (
    "project", "status", "type", "priority", "assignee", "author", "watcher", "label", "parent", "page", "due", "q",
    "sort", "trashed",
)  # fmt: skip
"""The names of what can be asked."""


def parse_filters(asked: Mapping[str, Sequence[str]]) -> Filters:
    """The filters of a query, by name and values; a list is divided by commas, or its name repeats.

    `status=open` stands for everything that is still to be done. Refuses `invalid` for a word outside its vocabulary,
    a page that is no number, and a text with NUL; `too_long` for `q` above 200 characters.
    """
    one = {name: values[-1] for name, values in asked.items() if name in FILTERS and values and values[-1]}
    for name, value in one.items():
        if "\x00" in value:
            raise Refused(Code.INVALID, f"'{name}' holds a NUL character. Take it out.", attr=name)
    if len(one.get("q", "")) > MOST_WORDS:
        raise Refused(
            Code.TOO_LONG,
            f"'q' has more than {MOST_WORDS} characters. Search finds by whole texts.",
            attr="q",
            extras={"limit": MOST_WORDS},
        )
    statuses = [
        status
        for word in _listed(asked.get("status", ()))
        for status in (OPEN if word == "open" else (word_of(word, Status, attr="status"),))
    ]
    return Filters(
        project=one.get("project", ""),
        status=tuple(dict.fromkeys(statuses)),
        type=_words(asked.get("type", ()), Type, attr="type"),
        priority=_words(asked.get("priority", ()), Priority, attr="priority"),
        assignee=one.get("assignee", ""),
        author=one.get("author", ""),
        watcher=one.get("watcher", ""),
        label=one.get("label", ""),
        parent=check_key(one["parent"], attr="parent") if "parent" in one else "",
        page=_number(one["page"]) if "page" in one else None,
        due=word_of(one["due"], Due, attr="due") if "due" in one else None,
        q=" ".join(one.get("q", "").split()),
        sort=word_of(one["sort"], Sort, attr="sort") if "sort" in one else Sort.UPDATED,
        trashed=_flag(one.get("trashed", "false")),
    )


def is_overdue(due: date | None, *, status: Status, today: date) -> bool:
    """Whether something that is still to be done should have been."""
    return due is not None and due < today and status in OPEN


def _words(values: Sequence[str], words: type[Word], *, attr: str) -> tuple[Word, ...]:
    return tuple(dict.fromkeys(word_of(value, words, attr=attr) for value in _listed(values)))


def _listed(values: Sequence[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Refused(Code.INVALID, "'page' is the id of a page.", attr="page")
    return int(text)


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise Refused(Code.INVALID, "'trashed' is true or false.", attr="trashed")
    return text == "true"
