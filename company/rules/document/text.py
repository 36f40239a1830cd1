"""Reads a document's text, YAML or JSON, into plain data that knows its lines. Pure.

YAML is read from PyYAML's safe events rather than its constructors, because the house needs less than YAML offers and
more than PyYAML tells: duplicate keys, aliases and tags are refused, every value knows its line and where it stands in
the text, and nothing becomes a date or, as in `skills_review: off`, a boolean. Scalars follow the YAML 1.2 core schema.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from company.rules.refusals import Code, Problem, Refused

MAX_BYTES = 1_048_576
"""A document of one megabyte describes some thousands of seats."""

MAX_DEPTH = 60
"""Nesting allowed; far above any chart, and far below what would exhaust a reader that recurses."""

Path = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, object] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_LONGEST_NUMBER = 100


@dataclass(frozen=True, kw_only=True)
class Span:
    """Where a scalar stands: its line (from 1) and the characters of the text it covers."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """The data of a text. `lines` tells the line of each path, `scalars` the place of each scalar; both are empty for
    JSON, whose reader does not tell."""

    data: Any
    lines: dict[Path, int] = field(default_factory=dict)
    scalars: dict[Path, Span] = field(default_factory=dict)
    is_json: bool = False


def dotted(path: Path) -> str:
    """A path as problems name it: `units.0.roles.1.handle`."""
    return ".".join(str(part) for part in path)


def load_text(text: str) -> Loaded:
    """The data of a YAML or JSON text.

    Raises `too_long` (with `limit`) past `MAX_BYTES`, and `config_invalid` listing every duplicate key, alias and tag,
    or the first place the text cannot be read at.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise Refused(
            Code.TOO_LONG, f"The document is at most {MAX_BYTES} bytes.", attr="document", extras={"limit": MAX_BYTES}
        )
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        try:
            return _load_json(text)
        except json.JSONDecodeError:
            pass  # a YAML flow mapping begins with a brace too
    return _Reader(text.removeprefix("\ufeff")).read()


def dump_yaml(data: object) -> str:
    """Data as YAML text, in the order it has."""
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def _unreadable(detail: str, attr: str | None = None) -> NoReturn:
    raise Refused(Code.CONFIG_INVALID, detail, attr=attr or None)


def _load_json(text: str) -> Loaded:
    doubled: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        seen = dict(items)
        if len(seen) < len(items):
            names = [name for name, _ in items]
            doubled.extend(sorted({name for name in names if names.count(name) > 1}))
        return seen

    def no_constant(name: str) -> NoReturn:
        _unreadable(f"'{name}' is not a value of JSON. Write a number.")

    def integer(digits: str) -> int:
        if len(digits) > _LONGEST_NUMBER:
            _unreadable("A number of the document has too many digits.")
        return int(digits)

    try:
        data = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=pairs, parse_constant=no_constant, parse_int=integer
        )
    except RecursionError:
        _unreadable(f"The document is nested deeper than {MAX_DEPTH} levels.")
    if doubled:
        raise Refused.of(
            tuple(
                Problem(code=Code.CONFIG_INVALID, detail=f"'{name}' is given twice in one object. Keep one.", attr=name)
                for name in doubled
            )
        )
    _check_json(data)
    return Loaded(data=data, is_json=True)


def _check_json(data: object) -> None:
    """Refuse what JSON can say and the database cannot keep: depth, infinity, half characters."""
    waiting: list[tuple[object, Path]] = [(data, ())]
    while waiting:
        value, path = waiting.pop()
        if len(path) > MAX_DEPTH:
            _unreadable(f"The document is nested deeper than {MAX_DEPTH} levels.", dotted(path))
        if isinstance(value, dict):
            for key, inner in value.items():
                _check_text(key, path, None)
                waiting.append((inner, (*path, key)))
        elif isinstance(value, list):
            waiting.extend((inner, (*path, at)) for at, inner in enumerate(value))
        elif isinstance(value, str):
            _check_text(value, path, None)
        elif isinstance(value, float) and not math.isfinite(value):
            _unreadable("This number is too large.", dotted(path))


def _check_text(value: str, path: Path, line: int | None) -> None:
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        where = f"Line {line}: " if line is not None else ""
        _unreadable(f"{where}A text may hold no NUL and no half of a surrogate pair.", dotted(path))


@dataclass(kw_only=True)
class _Frame:
    """A collection that is being read. `key` is the mapping's key that waits for its value."""

    into: dict[str, Any] | list[Any]
    path: Path
    key: str | None = None


class _Reader:
    """Builds data from a YAML text's events, without recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.lines: dict[Path, int] = {}
        self.scalars: dict[Path, Span] = {}
        self.frames: list[_Frame] = []
        self.root: Any = None
        self.documents = 0

    def read(self) -> Loaded:
        try:
            for event in yaml.parse(self.text, Loader=yaml.SafeLoader):
                self._take(event)
        except yaml.reader.ReaderError as error:
            line = self.text.count("\n", 0, error.position) + 1
            _unreadable(f"Line {line}: the character {error.character!r} may not stand in YAML.")
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f"Line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
            what = ", ".join(part for part in (error.context, error.problem) if part)
            _unreadable(f"{where}this is not YAML ({what}). A value that begins with '*' or '&' stands in quotes.")
        if self.problems:
            raise Refused.of(tuple(self.problems))
        return Loaded(data=self.root, lines=self.lines, scalars=self.scalars)

    def _take(self, event: yaml.Event) -> None:
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:  # PyYAML's reader marks every event; its types do not say so
            raise RuntimeError("a YAML event without a place")
        line = start.line + 1
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    _unreadable(f"Line {line}: a second YAML document begins here. Keep one.")
            case yaml.AliasEvent():
                self._problem(f"Line {line}: '*{event.anchor}' is an alias. Write the value out.")
                self._value(None, line=line, span=None)
            case yaml.ScalarEvent():
                self._scalar(event, Span(line=line, start=start.index, end=end.index))
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open(event, line)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.frames.pop()

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent, line: int) -> None:
        if event.tag is not None:
            self._problem(f"Line {line}: the tag '{event.tag}' is not read. Leave it out.")
        if self.frames and isinstance(self.frames[-1].into, dict) and self.frames[-1].key is None:
            _unreadable(f"Line {line}: a key is a text, not a list or a mapping.", dotted(self.frames[-1].path))
        if len(self.frames) >= MAX_DEPTH:
            _unreadable(f"Line {line}: the document is nested deeper than {MAX_DEPTH} levels.")
        into: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self._value(into, line=line, span=None)
        self.frames.append(_Frame(into=into, path=path))

    def _scalar(self, event: yaml.ScalarEvent, span: Span) -> None:
        line = span.line
        if event.tag is not None:
            self._problem(f"Line {line}: the tag '{event.tag}' is not read. Put a text in quotes instead.")
        frame = self.frames[-1] if self.frames else None
        if frame is not None and isinstance(frame.into, dict) and frame.key is None:
            _check_text(event.value, frame.path, line)
            if event.value in frame.into:
                first = self.lines[(*frame.path, event.value)]
                self._problem(
                    f"Line {line}: '{event.value}' is given twice; the first is on line {first}. Keep one.",
                    (*frame.path, event.value),
                )
            frame.key = event.value
            return
        plain = event.style is None or event.style == ""
        _check_text(event.value, frame.path if frame else (), line)
        self._value(
            self._resolve(event.value, line) if plain else event.value,
            line=line,
            span=span,
        )

    def _resolve(self, word: str, line: int) -> object:
        """What a plain scalar means in the core schema."""
        if word in _WORDS:
            return _WORDS[word]
        if _INTEGER.fullmatch(word) and len(word) <= _LONGEST_NUMBER:
            bases = {"0x": 16, "0o": 8}
            return int(word, bases.get(word[:2], 10))
        if _FLOAT.fullmatch(word) and len(word) <= _LONGEST_NUMBER:
            number = float(word)
            if not math.isfinite(number):
                _unreadable(f"Line {line}: this number is too large.")
            return number
        return word

    def _value(self, value: Any, *, line: int, span: Span | None) -> Path:
        """Put a value where the reader stands and answer its path."""
        if not self.frames:
            self.root = value
            path: Path = ()
        else:
            frame = self.frames[-1]
            if isinstance(frame.into, list):
                path = (*frame.path, len(frame.into))
                frame.into.append(value)
            else:
                key = frame.key or ""
                path = (*frame.path, key)
                frame.into[key] = value
                frame.key = None
        self.lines[path] = line
        if span is not None:
            self.scalars[path] = span
        return path

    def _problem(self, detail: str, path: Path = ()) -> None:
        self.problems.append(Problem(code=Code.CONFIG_INVALID, detail=detail, attr=dotted(path) or None))
