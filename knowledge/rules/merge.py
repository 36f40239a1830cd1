"""Bringing together two edits of one text, by line. Pure; nothing either side wrote is ever left out.

Owns the three-way merge a conflict screen proposes: what only one side changed is taken, what both changed in the
same way is taken once, and what they changed differently is kept from both, between marks.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.rules.diff import match_lines, split_lines

MARK_YOURS = "<<<<<<< yours"
MARK_DIVIDE = "======="
MARK_THEIRS = ">>>>>>> theirs"


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The proposal, and how many places in it need a person's choice."""

    text: str
    conflicts: int


def merge_texts(*, base: str, yours: str, theirs: str) -> Merged:
    """A text with both edits of `base` in it.

    Without conflicts it is exact to the byte. A place both changed differently holds both, yours first, between
    `MARK_YOURS`, `MARK_DIVIDE` and `MARK_THEIRS`, each on a line of its own.
    """
    old, mine, other = split_lines(base), split_lines(yours), split_lines(theirs)
    to_mine = _positions(old, mine)
    to_other = _positions(old, other)
    out: list[str] = []
    conflicts = 0
    o = m = t = 0
    while True:
        stable = o
        while stable < len(old) and not (stable in to_mine and stable in to_other):
            stable += 1
        at_end = stable == len(old)
        m_end = len(mine) if at_end else to_mine[stable]
        t_end = len(other) if at_end else to_other[stable]
        part, clashes = _settle(old[o:stable], mine[m:m_end], other[t:t_end])
        out += part
        conflicts += clashes
        if at_end:
            return Merged(text="".join(out), conflicts=conflicts)
        out.append(old[stable])
        o, m, t = stable + 1, m_end + 1, t_end + 1


def count_marked(text: str) -> int:
    """How many places of a text still stand between the marks of a merge."""
    yours = theirs = 0
    for line in text.splitlines():
        yours += line == MARK_YOURS
        theirs += line == MARK_THEIRS
    return min(yours, theirs)


def _positions(old: list[str], new: list[str]) -> dict[int, int]:
    """Where each line of `old` that survived stands in `new`."""
    return {match.old + offset: match.new + offset for match in match_lines(old, new) for offset in range(match.length)}


def _settle(old: list[str], mine: list[str], other: list[str]) -> tuple[list[str], int]:
    """The lines of one place between lines that all three share, and whether it is in conflict (0 or 1)."""
    if mine in (old, other):
        return other, 0
    if other == old:
        return mine, 0
    end = "\r\n" if any(line.endswith("\r\n") for line in [*mine, *other]) else "\n"
    return [
        f"{MARK_YOURS}{end}",
        *_ended(mine, end),
        f"{MARK_DIVIDE}{end}",
        *_ended(other, end),
        f"{MARK_THEIRS}{end}",
    ], 1


def _ended(lines: list[str], end: str) -> list[str]:
    """Lines of which the last ends, so that a mark can follow it."""
    return lines if not lines or lines[-1].endswith("\n") else [*lines[:-1], lines[-1] + end]
