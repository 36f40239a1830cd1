"""Repairs of a SKILL.md that other harnesses would drop: what its author plainly meant, as YAML can read it. Pure.

A repair never touches a field that says what a skill may do. It quotes text (`description: Use when: …`), settles the
name with the folder, makes nested metadata flat, and drops blank lines before the first fence. It refuses to guess
where the lines of the front matter could be read as other fields than YAML sees after the repair, and it leaves tags
and aliases refused: they are no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from skills import frontmatter
from skills.folders.codes import MAX_NAME, NAME
from skills.frontmatter import Broken, Field, Parsed, Unfenced, Value, join_path

TEXT_FIELDS = ("name", "description", "license", "compatibility", "argument-hint", "version", "when_to_use", "author")
"""Fields whose value is text for people. Every other field is left as it is, above all those that name tools."""

_GUARDED = re.compile(
    r"^[ \t]+(?:allowed[-_]tools|tools|disable-model-invocation|user-invocable|hooks|shell|context|agent|model)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
"""A line inside a text that reads like a field which says what a skill may do: whose it is, is not guessed."""
_KEY_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?=[ \t\r\n]|$)")
_CHILD_LINE = re.compile(r"([ \t]+)([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*:[ \t]+(?=\S)")
_NO_PLAIN_TEXT = ("", "|", ">", "!", "&", "*")
"""How a value begins that is no plain text: nothing, block text, a tag, an anchor, an alias."""
_BLANK_BEFORE_FENCE = re.compile(r"\s+(?=---)")
_NOT_KEBAB = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, kw_only=True)
class Repair:
    """One thing that was repaired, as the report shows it."""

    field: str
    line: int | None
    detail: str

    @property
    def text(self) -> str:
        where = f"line {self.line}: " if self.line is not None else ""
        return f"{where}{self.field}: {self.detail}"


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """A text after its repairs. Its lines stand `lines_added` below those of the original."""

    text: str
    folder: str | None
    repairs: tuple[Repair, ...]
    lines_added: int = 0


@dataclass(frozen=True, kw_only=True)
class Unrepairable:
    """A text in which nothing could be repaired without guessing."""


Outcome: TypeAlias = Repaired | Unrepairable


class _DidNotHoldError(Exception):
    """A repair has left front matter that YAML cannot read: odd line ends or characters can do that."""


def repair(text: str, *, folder: str | None) -> Outcome:
    """Everything that can be repaired in a SKILL.md at once. Never raises; the caller checks the result like a file."""
    work = _Work(text=text.removeprefix("\ufeff"), folder=folder)
    try:
        work.drop_blank_lines()
        if not work.quote_texts():
            return Unrepairable()
        work.quote_readable_texts()
        work.flatten_metadata()
        work.settle_name()
    except _DidNotHoldError:
        return Unrepairable()
    if not work.repairs:
        return Unrepairable()
    return Repaired(
        text=work.text, folder=work.folder, repairs=tuple(work.repairs), lines_added=work.inserted - work.dropped
    )


@dataclass(kw_only=True)
class _Work:
    """A text under repair."""

    text: str
    folder: str | None
    repairs: list[Repair] = field(default_factory=list)
    dropped: int = 0
    inserted: int = 0

    @property
    def line_end(self) -> str:
        """How the file ends its lines, as its first fence shows."""
        fence = self.text.splitlines(keepends=True)[0]
        return fence[len(fence.rstrip()) :].strip(" \t") or "\n"

    def note(self, path: str, line: int | None, detail: str) -> None:
        original = None if line is None else line - self.inserted + self.dropped
        self.repairs.append(Repair(field=path, line=original, detail=detail))

    def drop_blank_lines(self) -> None:
        blank = _BLANK_BEFORE_FENCE.match(self.text)
        if blank is not None and "\n" in blank[0]:
            self.note("file", 1, "blank lines before the first '---' are dropped")
            self.dropped = blank[0].count("\n")
            self.text = self.text[blank.end() :]

    def quote_texts(self) -> bool:
        """Quote texts that YAML cannot read. False where the front matter is unreadable for another reason."""
        reading = frontmatter.parse(self.text)
        if isinstance(reading, Unfenced):
            return False
        if isinstance(reading, Parsed):
            return True
        blocks = _blocks_of(reading)
        if blocks is None:
            return False
        pieces: list[str] = []
        for block in blocks:
            quoted = block.text
            if block.key in TEXT_FIELDS:
                quoted = _quoted_entry(block.text, block.text.index(":") + 1)
            elif block.key == "metadata":
                quoted = _quoted_children(block.text)
            if block.key is not None and quoted != block.text:
                self.note(block.key, block.line, "the text is put in quotes, so that YAML reads all of it as text")
            pieces.append(quoted)
        self.replace_front_matter(reading.raw, "".join(pieces))
        again = frontmatter.parse(self.text)
        # YAML has to see the very fields that stand at the beginning of the lines: none swallowed, none made up.
        return isinstance(again, Parsed) and list(again.fields) == [block.key for block in blocks if block.key]

    def quote_readable_texts(self) -> None:
        """Quote texts that YAML reads as a list or a mapping (`description: [beta]`)."""
        for key in TEXT_FIELDS:
            reading = self.reading()
            entry = reading.fields.get(key)
            if entry is None or entry.text is not None or key == "argument-hint" or _GUARDED.search(f" {entry.source}"):
                continue
            self.note(key, entry.line, "YAML would read the text as a list or a mapping; it is put in quotes")
            self.replace_value(reading, entry, _single_quoted(entry.source))

    def flatten_metadata(self) -> None:
        reading = self.reading()
        entry = reading.fields.get("metadata")
        if entry is None or entry.entries is None or all(value.text is not None for value in entry.entries.values()):
            return
        flat: dict[str, str] = {}
        for key, text in _flat(entry, ""):
            if key in flat:
                return  # two values for one name: which one would stay is not guessed
            flat[key] = text
        nested = [join_path("metadata", key) for key, value in entry.entries.items() if value.text is None]
        self.note("metadata", entry.line, f"nested values are made flat text: {', '.join(nested)[:200]}")
        start = entry.span[0]
        indent = " " * (start - (max(reading.raw.rfind("\n", 0, start), reading.raw.rfind("\r", 0, start)) + 1))
        flow = entry.source.startswith("{")
        dumped = yaml.safe_dump(
            flat, allow_unicode=True, sort_keys=False, width=float("inf"), default_flow_style=flow
        ).rstrip("\n")
        self.replace_value(reading, entry, dumped if flow else dumped.replace("\n", f"{self.line_end}{indent}"))

    def settle_name(self) -> None:
        reading = self.reading()
        entry = reading.fields.get("name")
        name = entry.text.strip() if entry is not None and entry.text is not None else ""
        folder = self.folder if self.folder is not None and _is_name(self.folder) else None
        if _is_name(name):
            if self.folder is not None and name != self.folder:
                line = entry.line if entry else None
                self.note(
                    "name", line, f"the folder '{self.folder[:200]}' is taken in as '{name}', the skill's own name"
                )
                self.folder = name
            return
        better = folder or _NOT_KEBAB.sub("-", name.lower()).strip("-")
        if not _is_name(better):
            return
        if entry is None:
            self.note("name", None, f"the missing name is taken from the folder: '{better}'")
            self.replace_front_matter(reading.raw, f"name: {better}{self.line_end}{reading.raw}")
            self.inserted += 1
        elif entry.text is not None:
            said = f"'{name[:80]}'" if name else "empty"
            self.note("name", entry.line, f"the name was {said} and becomes '{better}'")
            if entry.source:
                self.replace_value(reading, entry, better)
            else:
                position = reading.raw.index(":", _start_of_line(reading, entry.line)) + 1
                self.replace_front_matter(reading.raw, f"{reading.raw[:position]} {better}{reading.raw[position:]}")
        self.folder = better if self.folder is not None else None

    def reading(self) -> Parsed:
        """The front matter as it stands after the repairs so far."""
        reading = frontmatter.parse(self.text)
        if not isinstance(reading, Parsed):
            raise _DidNotHoldError
        return reading

    def replace_value(self, reading: Parsed, entry: Field, value: str) -> None:
        start, end = entry.span
        self.replace_front_matter(reading.raw, f"{reading.raw[:start]}{value}{reading.raw[end:]}")

    def replace_front_matter(self, old: str, new: str) -> None:
        begin = len(self.text.splitlines(keepends=True)[0])  # the raw text begins on the line after the first fence
        self.text = f"{self.text[:begin]}{new}{self.text[begin + len(old) :]}"


@dataclass(frozen=True, kw_only=True)
class _Block:
    """A top-level field as lines: from the line of its key to the line before the next one. Comments have no key."""

    key: str | None
    line: int
    text: str


def _blocks_of(reading: Broken) -> list[_Block] | None:
    """The top-level fields by their lines; None where the lines do not tell, or one field stands twice."""
    if not reading.closed:
        return None
    blocks: list[_Block] = []
    seen: set[str] = set()
    for number, line in enumerate(reading.raw.splitlines(keepends=True), start=reading.first_line):
        key = _KEY_LINE.match(line)
        if key is not None:
            if key[1] in seen:
                return None
            seen.add(key[1])
            blocks.append(_Block(key=key[1], line=number, text=line))
        elif line.startswith("#") or not blocks:
            if line.strip() and not line.startswith("#"):
                return None
            blocks.append(_Block(key=None, line=number, text=line))
        elif line[0] in " \t\r\n" or line.startswith("- "):
            last = blocks[-1]
            blocks[-1] = _Block(key=last.key, line=last.line, text=last.text + line)
        else:
            return None
    return blocks


def _quoted_entry(entry: str, value_at: int) -> str:
    """An entry with its value in quotes, where YAML cannot read it as it is; else the entry unchanged."""
    fields, problems = frontmatter.parse_yaml(entry)
    value = entry[value_at:]
    first, divided, continued = value.partition("\n")
    if (fields and not problems) or first.strip()[:1] in _NO_PLAIN_TEXT or _GUARDED.search(divided + continued):
        return entry
    opening = value.strip()[0]
    if opening in "'\"" and value.count(opening) == 1:
        return entry  # a quote that never closes: which of the following lines it was meant to hold, is not guessed
    start = value_at + len(value) - len(value.lstrip())
    end = value_at + len(value.rstrip())
    return f"{entry[:start]}{_single_quoted(entry[start:end])}{entry[end:]}"


def _quoted_children(block: str) -> str:
    """A block of `metadata` with each value in quotes that YAML cannot read; only values of one line."""
    pieces: list[str] = []
    for line in block.splitlines(keepends=True):
        child = _CHILD_LINE.match(line)
        if child is None:
            pieces.append(line)
        else:
            indent = len(child[1])
            pieces.append(line[:indent] + _quoted_entry(line[indent:], child.end() - indent))
    return "".join(pieces)


def _single_quoted(text: str) -> str:
    """Text as a single-quoted scalar: no escapes, and its lines fold as those of plain text do."""
    return "'" + text.replace("'", "''") + "'"


def _flat(entry: Field, path: str) -> Iterator[tuple[str, str]]:
    """The texts inside a value with their dotted names; a list of texts is one text."""
    if entry.entries is not None:
        for key, value in entry.entries.items():
            yield from _flat(value, f"{path}.{key}" if path else key)
    elif entry.items is not None and all(item.text is not None for item in entry.items):
        yield path, ", ".join(item.text or "" for item in entry.items)
    elif entry.items is not None:
        for position, item in enumerate(entry.items):
            yield from _flat(item, f"{path}.{position}")
    else:
        yield path, entry.text or ""


def _is_name(text: str) -> bool:
    return len(text) <= MAX_NAME and NAME.fullmatch(text) is not None


def _start_of_line(reading: Parsed, line: int) -> int:
    lines = reading.raw.splitlines(keepends=True)
    return sum(len(each) for each in lines[: line - reading.first_line])


def guarded_values(reading: Parsed) -> dict[str, Value]:
    """What the fields say that no repair may change: everything but text for people, metadata and the name."""
    return {key: entry.value for key, entry in reading.fields.items() if key not in TEXT_FIELDS and key != "metadata"}
