"""What changed between two texts, by line. Pure, and bounded in time on bodies of any shape.

Owns the matching of lines (`match_lines`), which the merge uses too, and the hunks a screen shows. A line is what
ends in LF; its end counts, so that a change from CRLF or of the last newline is a change.

Lines that occur once in both texts are matched first, in their longest common order; what lies between them is matched
by the shortest edit. That search has a budget of `MAX_STEPS`: a stretch it cannot finish is shown as replaced whole,
which is true, only longer.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

CONTEXT = 3
MAX_STEPS = 2_000_000
MAX_EDITS = 600
MAX_ROUNDS = 24


class Op(StrEnum):
    """What became of a line."""

    SAME = " "
    ADDED = "+"
    REMOVED = "-"


@dataclass(frozen=True, kw_only=True)
class Match:
    """`length` lines that are the same, from `old` in the one text and from `new` in the other (counted from 0)."""

    old: int
    new: int
    length: int


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a hunk, without its line end, with its numbers in the texts it stands in (counted from 1)."""

    op: Op
    text: str
    old: int | None
    new: int | None


@dataclass(frozen=True, kw_only=True)
class Hunk:
    """Changed lines with `CONTEXT` lines around them. Starts are counted from 1; 0 stands before the first line."""

    old_start: int
    new_start: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The hunks between two texts, in order, and how many lines were added and removed in all."""

    hunks: tuple[Hunk, ...]
    added: int
    removed: int


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its end; joined they are the text."""
    lines = text.split("\n")
    kept = [f"{line}\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def diff_lines(old: str, new: str) -> Difference:
    """What has to be removed from and added to `old` to make `new`."""
    before, after = split_lines(old), split_lines(new)
    lines: list[Line] = []
    i = j = 0
    for match in [*match_lines(before, after), Match(old=len(before), new=len(after), length=0)]:
        lines += [_line(Op.REMOVED, before[n], old=n + 1, new=None) for n in range(i, match.old)]
        lines += [_line(Op.ADDED, after[n], old=None, new=n + 1) for n in range(j, match.new)]
        lines += [
            _line(Op.SAME, before[match.old + n], old=match.old + n + 1, new=match.new + n + 1)
            for n in range(match.length)
        ]
        i, j = match.old + match.length, match.new + match.length
    counts = Counter(line.op for line in lines)
    return Difference(hunks=tuple(_hunks(lines)), added=counts[Op.ADDED], removed=counts[Op.REMOVED])


def match_lines(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """The stretches both texts share, in order and without overlap."""
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(line, len(numbers)) for line in old]
    b = [numbers.setdefault(line, len(numbers)) for line in new]
    pairs = _Matcher(a, b).pairs()
    matches: list[Match] = []
    start = 0
    for end in range(1, len(pairs) + 1):
        if end == len(pairs) or pairs[end] != (pairs[end - 1][0] + 1, pairs[end - 1][1] + 1):
            matches.append(Match(old=pairs[start][0], new=pairs[start][1], length=end - start))
            start = end
    return matches


def _line(op: Op, text: str, *, old: int | None, new: int | None) -> Line:
    return Line(op=op, text=text.removesuffix("\n").removesuffix("\r"), old=old, new=new)


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


class _Matcher:
    """One matching of two sequences of numbers, with what is left of its budget."""

    def __init__(self, a: list[int], b: list[int]) -> None:
        self.a = a
        self.b = b
        self.steps = MAX_STEPS
        self.found: list[tuple[int, int]] = []

    def pairs(self) -> list[tuple[int, int]]:
        """The matched positions, in order."""
        waiting = [(0, len(self.a), 0, len(self.b), 0)]
        while waiting:
            waiting += self._narrow(*waiting.pop())
        self.found.sort()
        return self.found

    def _narrow(self, i: int, i_end: int, j: int, j_end: int, rounds: int) -> list[tuple[int, int, int, int, int]]:
        """Match what is plain in a stretch; answer the stretches in it that need another look."""
        a, b, found = self.a, self.b, self.found
        while i < i_end and j < j_end and a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        while i < i_end and j < j_end and a[i_end - 1] == b[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
            found.append((i_end, j_end))
        if i == i_end or j == j_end:
            return []
        anchors = self._anchors(i, i_end, j, j_end) if rounds < MAX_ROUNDS else []
        if not anchors:
            found += self._shortest(i, i_end, j, j_end)
            return []
        found += anchors
        edges = [(i - 1, j - 1), *anchors, (i_end, j_end)]
        return [(left[0] + 1, right[0], left[1] + 1, right[1], rounds + 1) for left, right in itertools.pairwise(edges)]

    def _anchors(self, i: int, i_end: int, j: int, j_end: int) -> list[tuple[int, int]]:
        """Lines that occur once on both sides of a stretch, in their longest common order (patience)."""
        once_a, once_b = Counter(self.a[i:i_end]), Counter(self.b[j:j_end])
        where = {self.b[n]: n for n in range(j, j_end)}
        candidates = [
            (n, where[self.a[n]]) for n in range(i, i_end) if once_a[self.a[n]] == 1 and once_b.get(self.a[n]) == 1
        ]
        tails: list[int] = []
        ends: list[int] = []
        before: list[int] = []
        for index, (_, position) in enumerate(candidates):
            place = bisect_left(tails, position)
            before.append(ends[place - 1] if place else -1)
            tails[place : place + 1] = [position]
            ends[place : place + 1] = [index]
        chain: list[tuple[int, int]] = []
        index = ends[-1] if ends else -1
        while index >= 0:
            chain.append(candidates[index])
            index = before[index]
        return chain[::-1]

    def _shortest(self, i: int, i_end: int, j: int, j_end: int) -> list[tuple[int, int]]:
        """The pairs of a shortest edit of one stretch (Myers), or none where the budget ends first."""
        a, b = self.a, self.b
        n, m = i_end - i, j_end - j
        reach = {1: 0}
        trail: list[dict[int, int]] = []
        for edits in range(min(n + m, MAX_EDITS) + 1):
            trail.append(dict(reach))
            self.steps -= 2 * edits + 1
            for k in range(-edits, edits + 1, 2):
                down = k == -edits or (k != edits and reach.get(k - 1, -1) < reach.get(k + 1, -1))
                x = reach.get(k + 1, 0) if down else reach.get(k - 1, 0) + 1
                y = x - k
                begun = x
                while x < n and y < m and a[i + x] == b[j + y]:
                    x, y = x + 1, y + 1
                self.steps -= x - begun
                reach[k] = x
                if x >= n and y >= m:
                    return self._walk_back(trail, i=i, j=j, n=n, m=m)
            if self.steps < 0:
                return []
        return []

    def _walk_back(self, trail: list[dict[int, int]], *, i: int, j: int, n: int, m: int) -> list[tuple[int, int]]:
        pairs: list[tuple[int, int]] = []
        x, y = n, m
        for edits in range(len(trail) - 1, -1, -1):
            reach = trail[edits]
            k = x - y
            down = k == -edits or (k != edits and reach.get(k - 1, -1) < reach.get(k + 1, -1))
            k_before = k + 1 if down else k - 1
            x_before = reach.get(k_before, 0)
            y_before = x_before - k_before
            while x > x_before and y > y_before and x > 0 and y > 0:
                x, y = x - 1, y - 1
                pairs.append((i + x, j + y))
            x, y = x_before, max(y_before, 0)
        return pairs
