"""Differences of two texts, line by line. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 3


@dataclass(frozen=True, kw_only=True)
class DiffLine:
    """One line: kept (a blank), gone (`-`) or new (`+`), without its line end."""

    op: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Hunk:
    """Lines that changed with some around them. Starts count from 1; of a side without lines, it is the line before."""

    old_start: int
    new_start: int
    lines: tuple[DiffLine, ...]


def diff_lines(old: str, new: str) -> tuple[Hunk, ...]:
    """The hunks that turn one text into the other."""
    before, after = old.splitlines(), new.splitlines()
    hunks: list[Hunk] = []
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(CONTEXT):
        lines: list[DiffLine] = []
        for op, old_from, old_to, new_from, new_to in group:
            if op == "equal":
                lines.extend(DiffLine(op=" ", text=text) for text in before[old_from:old_to])
                continue
            lines.extend(DiffLine(op="-", text=text) for text in before[old_from:old_to])
            lines.extend(DiffLine(op="+", text=text) for text in after[new_from:new_to])
        (_, old_from, _, new_from, _), (_, _, old_to, _, new_to) = group[0], group[-1]
        hunks.append(
            Hunk(
                old_start=old_from + (old_to > old_from),
                new_start=new_from + (new_to > new_from),
                lines=tuple(lines),
            )
        )
    return tuple(hunks)
