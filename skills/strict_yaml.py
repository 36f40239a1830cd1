"""Strict YAML as nodes: PyYAML's safe loader, noting whatever would let two readers of a text disagree. Pure.

Two parsers stand behind it. PyYAML's own decides what is read and says what is wrong; libyaml's, in C, is several times
as fast. A text that holds one of the few forms that libyaml alone accepts goes to PyYAML's at once, and so does every
text that libyaml refuses, so what is read and what is told is the same whichever came first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from yaml.composer import Composer
from yaml.error import Mark
from yaml.events import AliasEvent, CollectionStartEvent, NodeEvent, ScalarEvent
from yaml.nodes import Node, ScalarNode
from yaml.reader import ReaderError
from yaml.resolver import Resolver

if TYPE_CHECKING:
    _Parser: Any
else:
    try:
        from yaml.cyaml import CParser as _Parser
    except ImportError:  # PyYAML was built without libyaml
        _Parser = None

MAX_DEPTH = 32
"""Deeper nesting is refused: no skill needs it, and it bounds the recursion of every reader."""

_READ_DIFFERENTLY = re.compile("[\t\ufeff]|[|>][-+0-9]*#")
"""A tab before a value, a byte-order mark, a comment hard upon the head of a block: libyaml alone accepts them."""
_FLOW = re.compile(r"[\[{]")


@dataclass(frozen=True, kw_only=True)
class Note:
    """One thing wrong: the character it stands at, and a sentence that says what to do."""

    index: int
    detail: str


def compose(raw: str) -> tuple[Node | None, list[Note]]:
    """The root node of a text and what is wrong with it; no node where there is none, or it cannot be read at all."""
    if _Parser is not None and not _is_read_differently(raw):
        try:
            fast = _Fast(raw)
            node = fast.get_single_node()
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
            return _compose_exactly(raw)
        return (node, []) if not fast.notes else _compose_exactly(raw)
    return _compose_exactly(raw)


def index_of(mark: Mark | None) -> int:
    """The character a mark of PyYAML stands at; 0 for a node that was made up."""
    return mark.index if mark is not None else 0


def _is_read_differently(raw: str) -> bool:
    """Whether the two parsers could read a text differently. Inside `[` and `{` they differ over a question mark."""
    return _READ_DIFFERENTLY.search(raw) is not None or ("?" in raw and _FLOW.search(raw) is not None)


def _compose_exactly(raw: str) -> tuple[Node | None, list[Note]]:
    loader: _Exact | None = None
    notes: list[Note] = []
    try:
        loader = _Exact(raw, notes)
        return loader.get_single_node(), notes
    except _Refused:
        pass
    except ReaderError as error:
        name = f"U+{ord(error.character):04X}" if isinstance(error.character, str) else f"0x{error.character:02X}"
        detail = f"The control character {name} cannot stand in front matter. Remove it."
        notes.append(Note(index=error.position, detail=detail))
    except yaml.MarkedYAMLError as error:
        notes.append(_in_words(error))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        # PyYAML lets a few of Python's own errors through: "\UFFFFFFFF" has no character, %YAML 1.<5000 digits>.
        detail = "The front matter is not valid YAML here: an escape or a number is out of range."
        notes.append(Note(index=loader.index if loader else 0, detail=detail))
    return None, notes


class _Refused(yaml.YAMLError):
    """Raised inside a loader to stop where going on has no sense."""


class _Noting(Composer):
    """Composes nodes and notes aliases, tags and depth instead of following them."""

    raw: str
    notes: list[Note]
    depth = 0

    def compose_node(self, parent: Node | None, index: object) -> Node | None:
        event = self.peek_event()  # type: ignore[attr-defined]  # a parser stands beside
        at = index_of(event.start_mark)
        if isinstance(event, AliasEvent):
            self.get_event()  # type: ignore[attr-defined]  # a parser stands beside
            self.note(at, f"'*{event.anchor}' is an alias. Write the value out; if it is text, put it in quotes.")
            return ScalarNode("tag:yaml.org,2002:str", "")
        if isinstance(event, (ScalarEvent, CollectionStartEvent)) and event.tag is not None:
            tag = self.raw[at:].split(maxsplit=1)[0]
            self.note(at, f"'{tag}' is a YAML tag. Write the value without it; if it is text, put it in quotes.")
            event.tag = None
            event.implicit = (True, False) if isinstance(event, ScalarEvent) else True
        if isinstance(event, NodeEvent):
            event.anchor = None  # an anchor without aliases means nothing, and a second one of that name no harm
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.note(at, f"Values are nested more than {MAX_DEPTH} deep. Flatten them.")
            raise _Refused
        try:
            return super().compose_node(parent, index)  # type: ignore[arg-type]  # the stubs leave index out
        finally:
            self.depth -= 1

    def note(self, index: int, detail: str) -> None:
        self.notes.append(Note(index=index, detail=detail))


class _Exact(_Noting, yaml.SafeLoader):
    """On PyYAML's own parser."""

    def __init__(self, raw: str, notes: list[Note]) -> None:
        self.raw, self.notes = raw, notes
        yaml.SafeLoader.__init__(self, raw)


class _Fast(_Noting, _Parser or object, Resolver):  # type: ignore[misc]  # libyaml's parser has no types
    """On libyaml's parser."""

    def __init__(self, raw: str) -> None:
        self.raw, self.notes = raw, []
        _Parser.__init__(self, raw)
        Composer.__init__(self)
        Resolver.__init__(self)


# PyYAML's complaints, recognised by a part of theirs, as sentences that say what to do. True where the line an author
# has to look at is the one on which the broken thing began; False where it is the one on which the reader gave up.
_SENTENCES: tuple[tuple[str, bool, str], ...] = (
    (
        "mapping values are not allowed",
        False,
        "A colon followed by a blank begins a new value here. Put the whole text in quotes.",
    ),
    ("'\\t'", False, "A tab cannot indent YAML. Use blanks."),
    (
        "could not find expected ':'",
        True,
        "This line has no colon after its field's name. Write 'field: value', or indent text that goes on.",
    ),
    ("expected alphabetic or numeric", True, "A plain text cannot begin with '*' or '&'. Put the text in quotes."),
    ("cannot start any token", False, "A plain text cannot begin with this character. Put the text in quotes."),
    (
        "expected <block end>",
        False,
        "The indentation or the quotes do not fit the lines before. Check both, and put the text in quotes.",
    ),
    ("found unexpected end of stream", True, "A quote is opened here and never closed. Close it."),
    (
        "expected ',' or ']'",
        True,
        "The list that begins here is not closed. Close it with ']', or put the text in quotes.",
    ),
    (
        "expected ',' or '}'",
        True,
        "The mapping that begins here is not closed. Close it with '}', or put the text in quotes.",
    ),
)


def _in_words(error: yaml.MarkedYAMLError) -> Note:
    """Where PyYAML's complaint belongs, and a sentence for it."""
    problem = str(error.problem or error.context or "it cannot be read")
    for part, at_context, sentence in _SENTENCES:
        if part in problem:
            mark = error.context_mark if at_context and error.context_mark else error.problem_mark
            return Note(index=index_of(mark), detail=sentence)
    detail = f"The front matter is not valid YAML: {problem}."
    return Note(index=index_of(error.problem_mark or error.context_mark), detail=detail)
