"""The budget of a catalogue: how far its summaries are cut, and what is left out, so that it weighs no more than it
may. Pure.

Every summary is cut to one greatest length, the longest with which the catalogue fits: the long ones pay first, and a
short one stays as it is. Where even `LEAST_SUMMARY` bytes each are too much, the names stand alone. Only then are
skills left out, as few as can be (the longest names first), and never one that has to stay.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skills.frontmatter import size_of

LEAST_SUMMARY = 32
"""Bytes. What is shorter says too little for a model to choose by."""
CUT = "…"

_JOINERS = "\u200d\ufe0e\ufe0f"


class Entry(NamedTuple):
    """A skill as a catalogue would list it. `kept`: it stays whatever it weighs."""

    name: str
    summary: str
    kept: bool = False


@dataclass(frozen=True, kw_only=True)
class Line:
    """A skill's line as the catalogue has it. `size` counts its line end too: what the skill adds to every prompt."""

    name: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """A catalogue as a prompt carries it, and what its limit (0: none) did to it. Sizes are bytes of UTF-8.

    `names` are the keys or names it lists, `written` their lines. `whole_size` is what it would weigh without a limit;
    `shortened` and `dropped` are names in order. `size` is above the limit only where the bare names of what has to
    stay already are.
    """

    text: str
    names: tuple[str, ...]
    written: tuple[str, ...]
    limit: int
    size: int
    whole_size: int
    shortened: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """The line of each skill it lists."""
        pairs = zip(self.names, self.written, strict=True)
        return tuple(Line(name=name, size=size_of(line) + 1) for name, line in pairs)

    @property
    def is_over(self) -> bool:
        """Whether it weighs more than it may."""
        return bool(self.limit) and self.size > self.limit


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a catalogue is written: an entry as a line, and the text of lines, which are those of `entries`, from which
    so many others were left out."""

    line: Callable[[Entry], str]
    text: Callable[[Sequence[str], Sequence[Entry], int], str]

    def write(self, entries: Sequence[Entry], left_out: int = 0) -> str:
        """The catalogue of some entries."""
        return self.text([self.line(entry) for entry in entries], entries, left_out)


def compose(entries: Sequence[Entry], *, limit: int, form: Form) -> Catalogue:
    """The catalogue of some entries, in their order, cut to a limit in bytes; 0 is no limit."""
    standing = tuple(entries)
    dropped: tuple[str, ...] = ()
    lines = [form.line(entry) for entry in standing]
    text = form.text(lines, standing, 0)
    size = whole_size = size_of(text)
    if limit and whole_size > limit:
        standing, dropped = _fit(standing, limit=limit, form=form)
        lines = [form.line(entry) for entry in standing]
        text = form.text(lines, standing, len(dropped))
        size = size_of(text)
    shortened: tuple[str, ...] = ()
    if size != whole_size:
        asked = {entry.name: entry.summary for entry in entries}
        shortened = tuple(entry.name for entry in standing if entry.summary != asked[entry.name])
    return Catalogue(
        text=text,
        names=tuple(entry.name for entry in standing),
        written=tuple(lines),
        limit=limit,
        size=size,
        whole_size=whole_size,
        shortened=shortened,
        dropped=dropped,
    )


def cut_to(text: str, most: int) -> str:
    """`text` with at most so many bytes: whole, or cut after a word where there is one, and marked as cut."""
    if size_of(text) <= most:
        return text
    room = max(most - size_of(CUT), 0)
    piece = text.encode(errors="surrogatepass")[:room].decode(errors="ignore")
    if not text[len(piece)].isspace():
        words = piece.rpartition(" ")[0]
        piece = words if len(words) * 2 > len(piece) else _whole_signs(piece, text)
    piece = piece.rstrip()
    return piece + CUT if piece else ""


def _whole_signs(piece: str, text: str) -> str:
    """`piece`, a beginning of `text`, without the start of a sign that goes on where it ends."""
    end = len(piece)
    while end and (unicodedata.combining(text[end]) or text[end] in _JOINERS or text[end - 1] == "\u200d"):
        end -= 1
    return piece[:end]


def _fit(entries: tuple[Entry, ...], *, limit: int, form: Form) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """What stands of entries that are too heavy, and the names of what does not."""
    lengths = range(LEAST_SUMMARY, max(size_of(entry.summary) for entry in entries))
    fitting = bisect_right(lengths, limit, key=lambda most: size_of(form.write(_shortened(entries, most))))
    standing = _shortened(entries, lengths[fitting - 1] if fitting else 0)
    loose = sorted(
        (entry for entry in standing if not entry.kept), key=lambda one: (size_of(one.name), one.name), reverse=True
    )
    if fitting or not loose or size_of(form.write(standing)) <= limit:
        return standing, ()

    def without(many: int) -> tuple[Entry, ...]:
        gone = {entry.name for entry in loose[:many]}
        return tuple(entry for entry in standing if entry.name not in gone)

    # The more is left out the less there is to weigh, so the negatives of the weights rise.
    many = 1 + bisect_left(range(1, len(loose)), -limit, key=lambda some: -size_of(form.write(without(some), some)))
    return without(many), tuple(sorted(entry.name for entry in loose[:many]))


def _shortened(entries: tuple[Entry, ...], most: int) -> tuple[Entry, ...]:
    return tuple(entry._replace(summary=cut_to(entry.summary, most)) for entry in entries)
