"""The lines of a hunk side by side: the old text on the one side, the new one on the other. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.rules.diff.hunks import Hunk, Line, Op


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line and the one that stands in its place; None where the other text has no such line."""

    old: Line | None
    new: Line | None


def side_by_side(hunk: Hunk) -> Iterator[Row]:
    """The rows of a hunk, in order: lines that became one another share a row, the others have one to themselves."""
    removed: list[Line] = []
    added: list[Line] = []
    for line in hunk.lines:
        if line.op is Op.REMOVED:
            removed.append(line)
        elif line.op is Op.ADDED:
            added.append(line)
        else:
            yield from _block(removed, added)
            removed, added = [], []
            yield Row(old=line, new=line)
    yield from _block(removed, added)


def _block(removed: list[Line], added: list[Line]) -> Iterator[Row]:
    waiting = iter(added)
    for old in removed:
        if old.twin is None:
            yield Row(old=old, new=None)
            continue
        for new in waiting:
            if new.twin == old.old:
                yield Row(old=old, new=new)
                break
            yield Row(old=None, new=new)
    for new in waiting:
        yield Row(old=None, new=new)
