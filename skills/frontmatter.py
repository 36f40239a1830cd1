"""Front matter: the fence, strict YAML with line numbers, and the shape of a problem. Pure.

All three dialects of skills (tool skills, prompt skills, skill folders) are text with YAML between two `---` lines
on top. This module owns what they share: finding the fences, reading the YAML between them (`strict_yaml`), and
remembering where each value stood. It refuses whatever would let two readers of the same file disagree: duplicate
keys, aliases, merge keys and tags. It knows no field of any dialect, and it never raises on bad text.
"""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from company.rules.refusals import Code
from skills import strict_yaml
from skills.strict_yaml import index_of

MAX_FRONTMATTER_BYTES = 64 * 1024
"""Contract §4, decision 12."""

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"
"""What a field may hold: nothing that JSON could not carry."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r"---[ \t]*\Z")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong in a skill's text.

    `code` is one of the contract's error codes, `field` a path such as `trigger.any_of[0].tool` (`frontmatter` or
    `body` for the part as a whole), `line` the line of the file counted from 1, or None where there is none, and
    `detail` a sentence that says what to do.
    """

    code: Code
    field: str
    line: int | None
    detail: str

    def as_dict(self) -> dict[str, str | int | None]:
        """The shape of a problem in every public answer."""
        return {"code": self.code.value, "field": self.field, "line": self.line, "detail": self.detail}


@dataclass(frozen=True, kw_only=True)
class Field:
    """One value of the front matter and where it stood.

    `line` is the line of its key (of the value itself inside a list). `text` is a scalar's own text as the author
    wrote it, quotes and folding resolved: `version: 1.10` has the text `1.10`. `entries` and `items` hold what a
    mapping or a list holds, as fields again; of the three, the one that is not None tells what the value is.
    """

    value: Value
    line: int
    text: str | None = None
    entries: Mapping[str, Field] | None = None
    items: tuple[Field, ...] | None = None
    source: str = ""
    """The value exactly as it stands in the file, without outer white space."""
    span: tuple[int, int] = (0, 0)
    """Where `source` begins and ends in the front matter's raw text."""
    plain: Value = None
    """The value as any reader of YAML has it: `1.10` is 1.1 and `010` is 8, where JSON can carry that."""

    @property
    def is_text(self) -> bool:
        """Whether YAML reads the value as a string."""
        return isinstance(self.value, str)


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """A text whose front matter could be read. `body` is everything after the line of the closing fence, exact."""

    fields: Mapping[str, Field]
    body: str
    body_line: int
    raw: str
    """The YAML between the fences, as it stands in the file."""
    first_line: int = 2
    """The line of the file on which `raw` begins."""

    @property
    def values(self) -> dict[str, Value]:
        """The front matter as plain values, in the order of the file."""
        return {key: entry.value for key, entry in self.fields.items()}


@dataclass(frozen=True, kw_only=True)
class Unfenced:
    """A text that does not begin with a fence: all of it is body."""

    body: str


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A text that begins with a fence and whose front matter cannot be trusted. `problems` is never empty.

    `raw` is the YAML as far as it goes, `body` is empty where there is no closing fence.
    """

    problems: tuple[Problem, ...]
    raw: str
    body: str = ""
    closed: bool = True
    first_line: int = 2


Reading: TypeAlias = Parsed | Unfenced | Broken


@dataclass(frozen=True, kw_only=True)
class Fenced:
    """The two halves of a text with both fences."""

    raw: str
    body: str
    body_line: int


@dataclass(frozen=True, kw_only=True)
class Unclosed:
    """A text with an opening fence and no closing one."""

    raw: str


def decode(data: bytes) -> str | Problem:
    """The text of a file, a byte-order mark included; a problem naming the encoding where it is not UTF-8.

    The mark stays because `split` drops it: whoever kept the text would otherwise keep another one than was judged.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return Problem(
                code=Code.INVALID, field="file", line=1, detail=f"The file is encoded in {name}. Save it as UTF-8."
            )
    nul = data.find(b"\0")
    if nul >= 0:
        detail = (
            "The file is encoded in UTF-16 or UTF-32. Save it as UTF-8."
            if nul < 4
            else f"Byte {nul} is NUL, so this is no text file. Remove it, or save the file as UTF-8."
        )
        return Problem(code=Code.INVALID, field="file", line=_line_of_byte(data, nul), detail=detail)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem(
            code=Code.INVALID,
            field="file",
            line=_line_of_byte(data, error.start),
            detail=f"Byte {error.start} (0x{data[error.start]:02x}) is no UTF-8. Save the file as UTF-8.",
        )


def _line_of_byte(data: bytes, position: int) -> int:
    return len(_LINE_END.findall(data[:position].decode("utf-8", "replace"))) + 1


def split(text: str) -> Fenced | Unclosed | Unfenced:
    """Where the front matter ends. A byte-order mark is dropped, a fence may end in blanks, lines may end in CRLF."""
    text = text.removeprefix("\ufeff")
    position = 0
    line_number = 0
    start: int | None = None
    while position <= len(text):
        end = _LINE_END.search(text, position)
        line = text[position : end.start() if end else len(text)]
        after = end.end() if end else len(text)
        line_number += 1
        if start is None:
            if not _FENCE.match(line):
                return Unfenced(body=text)
            start = after
        elif line.startswith("---") and _FENCE.match(line):
            return Fenced(raw=text[start:position], body=text[after:], body_line=line_number + 1)
        if end is None:
            break
        position = after
    return Unclosed(raw=text[start:])


def parse(text: str) -> Reading:
    """Read a skill's text. Never raises: what is wrong is told by `Broken`."""
    halves = split(text)
    if isinstance(halves, Unfenced):
        return halves
    if isinstance(halves, Unclosed):
        problem = _problem(1, "The front matter has no closing fence. End it with a line that is '---' alone.")
        return Broken(problems=(problem,), raw=halves.raw, closed=False)
    fields, problems = parse_yaml(halves.raw, first_line=2)
    unstorable = _UNSTORABLE.search(halves.body)
    if unstorable is not None:
        line = halves.body_line + len(_LINE_END.findall(halves.body, 0, unstorable.start()))
        detail = "The body holds NUL or half of a character pair, which no text can. Remove it."
        problems = (*problems, _problem(line, detail, path="body"))
    if problems:
        return Broken(problems=problems, raw=halves.raw, body=halves.body)
    return Parsed(fields=fields, body=halves.body, body_line=halves.body_line, raw=halves.raw)


def size_of(text: str) -> int:
    """Bytes of UTF-8, which is what every cap counts."""
    return len(text.encode("utf-8", "surrogatepass"))


def parse_yaml(raw: str, *, first_line: int = 1) -> tuple[Mapping[str, Field], tuple[Problem, ...]]:
    """Read the YAML of a front matter: its fields, or everything that is wrong with it.

    An empty front matter has no fields and no problem. Fields are empty whenever there is a problem: half of a front
    matter is never served.
    """
    size = size_of(raw)
    if size > MAX_FRONTMATTER_BYTES:
        detail = f"The front matter is {size} bytes; at most {MAX_FRONTMATTER_BYTES} are read. Move text into the body."
        return {}, (Problem(code=Code.TOO_LONG, field="frontmatter", line=first_line, detail=detail),)
    reader = _Reader(raw=raw, first_line=first_line)
    node = reader.compose()
    if node is None:
        return {}, tuple(reader.problems)
    if not isinstance(node, MappingNode):
        reader.report(
            index_of(node.start_mark), "The front matter is not a set of fields. Write each as 'field: value'."
        )
        return {}, tuple(reader.problems)
    top = reader.field_of(node, line=first_line, path="")
    if reader.problems:
        return {}, tuple(reader.problems)
    return top.entries or {}, ()


def join_path(path: str, step: str | int) -> str:
    """A field path one step deeper: `trigger` and `any_of`, `trigger.any_of` and 0."""
    if isinstance(step, int):
        return f"{path}[{step}]"
    return f"{path}.{step}" if path else step


def _problem(line: int | None, detail: str, *, path: str = "frontmatter") -> Problem:
    return Problem(code=Code.INVALID, field=path, line=line, detail=detail)


@dataclass(kw_only=True)
class _Reader:
    """One reading of one front matter: composes it, turns nodes into fields, collects problems."""

    raw: str
    first_line: int
    problems: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.line_starts = [end.end() for end in _LINE_END.finditer(self.raw)]

    def line_at(self, index: int) -> int:
        return self.first_line + bisect.bisect_right(self.line_starts, index)

    def report(self, index: int, detail: str, *, path: str = "frontmatter") -> None:
        self.problems.append(_problem(self.line_at(index), detail, path=path))

    def compose(self) -> Node | None:
        """The root node, or None when there is nothing or something is wrong (then `problems` says what)."""
        node, notes = strict_yaml.compose(self.raw)
        for note in notes:
            self.report(note.index, note.detail)
        return node

    def field_of(self, node: Node, *, line: int, path: str) -> Field:
        start, end = index_of(node.start_mark), index_of(node.end_mark)
        end = start + len(self.raw[start:end].rstrip())
        source, span = self.raw[start:end], (start, end)
        if isinstance(node, MappingNode):
            entries = self._entries(node, path=path)
            value: Value = {key: entry.value for key, entry in entries.items()}
            plain: Value = {key: entry.plain for key, entry in entries.items()}
            return Field(
                value=value, line=line, entries=MappingProxyType(entries), source=source, span=span, plain=plain
            )
        if isinstance(node, SequenceNode):
            items = tuple(
                self.field_of(item, line=self.line_at(index_of(item.start_mark)), path=join_path(path, position))
                for position, item in enumerate(node.value)
            )
            return Field(
                value=[item.value for item in items],
                line=line,
                items=items,
                source=source,
                span=span,
                plain=[item.plain for item in items],
            )
        text = str(node.value)
        if _UNSTORABLE.search(text):
            self.report(
                index_of(node.start_mark),
                "The text holds an escape that stands for no character (NUL or half a pair). Remove it.",
                path=path,
            )
        kept = _scalar(node.tag, text)
        return Field(
            value=kept, line=line, text=text, source=source, span=span, plain=_plain(node.tag, text, kept=kept)
        )

    def _entries(self, node: MappingNode, *, path: str) -> dict[str, Field]:
        entries: dict[str, Field] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self.report(
                    index_of(key_node.start_mark),
                    "A field's name is a list or a mapping. Write 'field: value'.",
                    path=path or "frontmatter",
                )
                continue
            key = str(key_node.value)
            line = self.line_at(index_of(key_node.start_mark))
            below = join_path(path, key)
            if _UNSTORABLE.search(key):
                self.report(
                    key_node.start_mark.index,
                    "A field's name holds no NUL and no half of a pair.",
                    path=path or "frontmatter",
                )
            elif key_node.tag == "tag:yaml.org,2002:merge":
                self.report(key_node.start_mark.index, "'<<' merges mappings. Write the fields out.", path=below)
            elif key in entries:
                self.report(
                    index_of(key_node.start_mark),
                    f"'{key}' stands here a second time (first on line {entries[key].line}). Keep one of them.",
                    path=below,
                )
            else:
                entries[key] = self.field_of(value_node, line=line, path=below)
        return entries


def _scalar(tag: str, text: str) -> Value:
    """What a scalar means in YAML 1.1, as far as JSON can carry it and nothing of the author's text is lost.

    A number is a number only where its digits read back as written: `1.10`, `010`, `1:30` and `.inf` stay text, and so
    do dates.
    """
    kind = tag.removeprefix("tag:yaml.org,2002:")
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in ("true", "yes", "on")
    if kind == "int" and len(text) <= 18 and re.fullmatch(r"0|-?[1-9][0-9]*", text):
        return int(text)
    if kind == "float" and len(text) <= 18 and re.fullmatch(r"-?[0-9]+\.[0-9]+", text) and repr(float(text)) == text:
        return float(text)
    return text


def _plain(tag: str, text: str, *, kept: Value) -> Value:
    """The same as other readers have it: a number that was kept as text is a number, if it is a finite one."""
    if not isinstance(kept, str) or tag not in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        return kept
    try:
        number = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return kept
    return number if isinstance(number, int) or (isinstance(number, float) and math.isfinite(number)) else kept
