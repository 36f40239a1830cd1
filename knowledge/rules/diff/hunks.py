"""The hunks of a difference: changed lines, the lines around them, and the words that changed in them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from knowledge.rules.diff.matching import Match, match_lines, split_lines
from knowledge.rules.diff.words import Budget, Marks, mark_words, pair_lines

CONTEXT = 3


class Op(StrEnum):
    """What became of a line."""

    SAME = " "
    ADDED = "+"
    REMOVED = "-"


class Level(StrEnum):
    """How closely a difference was looked at: down to words, or by line alone where words would have cost too much."""

    WORD = "word"
    LINE = "line"


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a hunk, with its numbers in the texts it stands in (counted from 1).

    `text` is without the line end, which is `end`: LF, CRLF, or nothing at the end of a text. `twin` is the number of
    the line this one was or became, in the other text. `marks` are the stretches the twin lacks.
    """

    op: Op
    text: str
    end: str
    old: int | None
    new: int | None
    twin: int | None = None
    marks: Marks = ()


@dataclass(frozen=True, kw_only=True)
class Hunk:
    """Changed lines with `CONTEXT` lines around them. Starts are counted from 1; a side without lines has the line
    before, 0 standing before the first."""

    old_start: int
    new_start: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The hunks between two texts, in order, and how many lines were added and removed in all.

    At `Level.LINE` some changed lines carry no marks, because comparing their words would have cost too much.
    """

    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    level: Level = Level.WORD


def diff_lines(old: str, new: str) -> Difference:
    """What has to be removed from and added to `old` to make `new`."""
    before, after = split_lines(old), split_lines(new)
    lines: list[Line] = []
    budget = Budget()
    i = j = 0
    for match in [*match_lines(before, after), Match(old=len(before), new=len(after), length=0)]:
        lines += _changed(before[i : match.old], after[j : match.new], old=i + 1, new=j + 1, budget=budget)
        lines += [
            _line(Op.SAME, before[match.old + n], old=match.old + n + 1, new=match.new + n + 1)
            for n in range(match.length)
        ]
        i, j = match.old + match.length, match.new + match.length
    counts = Counter(line.op for line in lines)
    return Difference(
        hunks=tuple(_hunks(lines)),
        added=counts[Op.ADDED],
        removed=counts[Op.REMOVED],
        level=Level.LINE if budget.exceeded else Level.WORD,
    )


def _line(op: Op, text: str, *, old: int | None, new: int | None, twin: int | None = None, marks: Marks = ()) -> Line:
    shown, end = _without_end(text)
    return Line(op=op, text=shown, end=end, old=old, new=new, twin=twin, marks=marks)


def _without_end(text: str) -> tuple[str, str]:
    """A line and its end apart."""
    end = "\r\n" if text.endswith("\r\n") else "\n" if text.endswith("\n") else ""
    return text[: len(text) - len(end)], end


def _changed(removed: list[str], added: list[str], *, old: int, new: int, budget: Budget) -> Iterator[Line]:
    """The lines of one change, numbered from `old` and `new`: what goes, then what comes, each with its twin."""
    gone: dict[int, tuple[int, Marks]] = {}
    come: dict[int, tuple[int, Marks]] = {}
    if removed and added:
        for i, j in pair_lines(removed, added):
            marked = mark_words(_without_end(removed[i])[0], _without_end(added[j])[0], budget=budget) or ((), ())
            gone[i], come[j] = (new + j, marked[0]), (old + i, marked[1])
    for i, text in enumerate(removed):
        twin, marks = gone.get(i, (None, ()))
        yield _line(Op.REMOVED, text, old=old + i, new=None, twin=twin, marks=marks)
    for j, text in enumerate(added):
        twin, marks = come.get(j, (None, ()))
        yield _line(Op.ADDED, text, old=None, new=new + j, twin=twin, marks=marks)


def _hunks(lines: list[Line]) -> list[Hunk]:
    """The changed lines, gathered with the lines around them."""
    changed = [index for index, line in enumerate(lines) if line.op is not Op.SAME]
    hunks: list[Hunk] = []
    index = 0
    olds = news = seen = 0
    while index < len(changed):
        last = index
        while last + 1 < len(changed) and changed[last + 1] - changed[last] <= 2 * CONTEXT + 1:
            last += 1
        start, end = max(0, changed[index] - CONTEXT), min(len(lines), changed[last] + CONTEXT + 1)
        for line in lines[seen:start]:
            olds += line.old is not None
            news += line.new is not None
        seen = start
        part = tuple(lines[start:end])
        has_old, has_new = any(line.old for line in part), any(line.new for line in part)
        hunks.append(Hunk(old_start=olds + has_old, new_start=news + has_new, lines=part))
        index = last + 1
    return hunks
