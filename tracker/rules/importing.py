"""Items in a CSV file: its head, its rows, and what each asks for. Pure; what is wrong with a row is told by its line.

The first line names the columns, in any order and case: `title` has to be there; `description`, `type`, `status`,
`priority`, `assignee`, `labels` (divided by commas or semicolons), `parent` and `due` may be, and what has no column is
left as it is. `id` tells a row from any other, so that the file brought in again finds its items; without it, a title
does, the first of that title, the second, and so on. `parent` is the `id` of a row above, or the key of an item. Words
of a vocabulary may be written as people write them (`In progress`). Other columns are named and left out.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from company.rules.refusals import Code, Refused
from tracker.rules.changes import Changes, clean_changes

COLUMNS = ("title", "description", "type", "status", "priority", "assignee", "labels", "parent", "due")
IDENTITY = "id"
FILE_BYTES = 16 * 1024 * 1024
ROWS = 20_000
HEADS = 256
"""How many columns a file has at most; what it has beside those of an item is named in the report."""
HEAD_CHARACTERS = 64
IDENTITY_CHARACTERS = 255
_DELIMITERS = (",", ";", "\t")

csv.field_size_limit(FILE_BYTES)  # a long cell is told by its row, as any other fault, and does not stop the reading


class Verdict(StrEnum):
    """What became of a row."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Line:
    """A row's verdict: the line it begins on, the column that is wrong where one is, and why."""

    line: int
    verdict: Verdict
    key: str = ""
    field: str = ""
    reason: str = ""

    def as_dict(self) -> dict[str, object]:
        """The line as the report's file has it."""
        return {
            "line": self.line,
            "verdict": self.verdict.value,
            "key": self.key,
            "field": self.field,
            "reason": self.reason,
        }


@dataclass(kw_only=True)
class Report:
    """What an import did, row by row; `ignored` are the columns it did not read, `total` is how many rows there are."""

    total: int = 0
    lines: list[Line] = field(default_factory=list)
    ignored: tuple[str, ...] = ()
    dry_run: bool = False

    def counts(self) -> dict[str, int]:
        """How many of each verdict."""
        found = Counter(line.verdict for line in self.lines)
        return {verdict.value: found[verdict] for verdict in Verdict}

    @property
    def telling(self) -> list[Line]:
        """The rows somebody has to look at."""
        return [line for line in self.lines if line.verdict in (Verdict.REFUSED, Verdict.SKIPPED)]

    def as_dict(self) -> dict[str, object]:
        """The whole report."""
        return {
            "dry_run": self.dry_run,
            "counts": self.counts(),
            "ignored": list(self.ignored),
            "rows": [line.as_dict() for line in self.lines],
        }


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row that can be filed: what tells it from others, what it holds, and in `said` a digest of each of its cells.

    `parent` is what it is put under, an identity or a key; empty for nothing, None where the file says nothing of it.
    """

    line: int
    identity: str
    parent: str | None
    values: Mapping[str, Any]
    said: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The rows of a file in their order, each a `Row` or the `Line` that refuses it."""

    rows: tuple[Row | Line, ...]
    ignored: tuple[str, ...]


def read_sheet(data: bytes, *, handles: Collection[str]) -> Sheet:
    """The rows of a file. Refuses the file whole (`invalid`, `too_long`) where it is no CSV with a title column."""
    if len(data) > FILE_BYTES:
        raise Refused(
            Code.TOO_LONG, f"The file has more than {FILE_BYTES >> 20} MiB. Divide it.", attr="file",
            extras={"limit": FILE_BYTES},
        )  # fmt: skip
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(
            Code.INVALID, "The file is not UTF-8. Save it as CSV in UTF-8 and send that.", attr="file"
        ) from error
    return _read(text, handles=handles)


def _read(text: str, *, handles: Collection[str]) -> Sheet:
    head = re.split(r"[\r\n]", text, maxsplit=1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = _names(next(reader, []))
        rows = tuple(_rows(reader, names, handles=handles))
    except csv.Error as error:
        raise Refused(
            Code.INVALID, f"The file cannot be read as CSV from line {reader.line_num} on: {error}.", attr="file"
        ) from error
    others = [name for name in names if name and name not in (*COLUMNS, IDENTITY)]
    ignored = tuple(name if len(name) <= HEAD_CHARACTERS else f"{name[:HEAD_CHARACTERS]}…" for name in others)
    return Sheet(rows=rows, ignored=ignored)


def _names(head: Sequence[str]) -> list[str]:
    if len(head) > HEADS:
        raise Refused(
            Code.TOO_LONG, f"The first line names {len(head):,} columns; at most {HEADS} are read. Leave some out.",
            attr="file", extras={"limit": HEADS},
        )  # fmt: skip
    names = [name.strip().casefold() for name in head]
    if "title" not in names:
        raise Refused(
            Code.INVALID, "The first line names the columns, and none of them is called 'title'.", attr="title"
        )
    twice = [name for name, number in Counter(names).items() if number > 1 and name in (*COLUMNS, IDENTITY)]
    if twice:
        raise Refused(Code.INVALID, f"The column '{twice[0]}' stands in the file twice.", attr=twice[0])
    return names


def _rows(reader: Any, names: list[str], *, handles: Collection[str]) -> Iterator[Row | Line]:
    seen: Counter[str] = Counter()
    known: set[str] = set()
    before = reader.line_num
    for number, cells in enumerate(reader, start=1):
        line, before = before + 1, reader.line_num
        if number > ROWS:
            raise Refused(
                Code.TOO_LONG, f"The file has more than {ROWS:,} rows. Divide it.", attr="file", extras={"limit": ROWS}
            )
        if not any(cell.strip() for cell in cells):
            continue
        if any(cell.strip() for cell in cells[len(names) :]):
            reason = (
                f"This row has {len(cells):,} cells and the first line names {len(names)} columns. "
                "Put quotes around a cell that holds the sign between cells."
            )
            yield Line(line=line, verdict=Verdict.REFUSED, reason=reason)
            continue
        given = dict.fromkeys(names, "") | dict(zip(names, cells, strict=False))
        try:
            values = clean_changes(_asked(given), handles=handles)
        except Refused as refused:
            problem = refused.problems[0]
            yield Line(line=line, verdict=Verdict.REFUSED, field=problem.attr or "", reason=problem.detail)
            continue
        title = values["title"]
        seen[title] += 1
        identity = _identity(given.get(IDENTITY, "")) or _identity(f"{title}#{seen[title]}")
        if identity in known:
            reason = f"Another row before this one has the id '{identity[:64]}'."
            yield Line(line=line, verdict=Verdict.REFUSED, field=IDENTITY, reason=reason)
            continue
        known.add(identity)
        parent = _identity(given["parent"]) if "parent" in given else None
        told = values if parent is None else {**values, "parent": parent}
        said = {name: _digest(value) for name, value in told.items()}
        yield Row(line=line, identity=identity, parent=parent, values=values, said=said)


def _digest(value: Any) -> str:
    """Enough of a digest to tell whether a cell says what it said before."""
    return hashlib.sha256(json.dumps(value, default=str, ensure_ascii=False).encode()).hexdigest()[:16]


def _identity(cell: str) -> str:
    """What a row is known by, as it is kept: a cell that no column holds is known by its digest."""
    text = cell.strip()
    if len(text) > IDENTITY_CHARACTERS or "\x00" in text:
        return hashlib.sha256(text.encode()).hexdigest()
    return text


def _asked(given: Mapping[str, str]) -> Changes:
    """What a row asks for. A column the file does not have asks for nothing."""

    def word(name: str) -> str | None:
        return given.get(name, "").strip().casefold().replace(" ", "_").replace("-", "_") or None

    def text(name: str) -> str | None:
        return given[name].strip() if name in given else None

    labels, assignee = text("labels"), text("assignee")
    return Changes(
        title=given["title"],
        description=given.get("description"),
        type=word("type"),
        status=word("status"),
        priority=word("priority"),
        assignee=assignee.removeprefix("@") if assignee is not None else None,
        labels=[label.strip() for label in re.split("[,;]", labels) if label.strip()] if labels is not None else None,
        due=text("due"),
    )
