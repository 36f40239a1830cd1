"""The lines two texts share, in order. Pure.

A line is what ends in LF; its end counts, so that a change from CRLF or of the last newline is a change.

Lines that occur once in both texts are matched first, in their longest common order, which keeps a moved paragraph
from tearing its neighbours apart. What lies between them is matched by rapidfuzz, bit by bit in parallel
(`docs/decisions/diff.md` has the figures). Its cost is the product of both lengths: a stretch beyond `MAX_AREA` is
matched only where at most `MAX_EDITS` edits lie between its two sides, and else counts as replaced whole, which is
true, only longer.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel, LCSseq, Levenshtein

# 2**28 bits of one stretch are 32 MiB of working memory and 40 ms; all the stretches of a text share 2**30
MAX_AREA = 2**28
MAX_AREA_IN_ALL = 2**30
MAX_EDITS = 2_000
MAX_ROUNDS = 24


@dataclass(frozen=True, kw_only=True)
class Match:
    """`length` lines that are the same, from `old` in the one text and from `new` in the other (counted from 0)."""

    old: int
    new: int
    length: int


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its end; joined they are the text."""
    lines = text.split("\n")
    kept = [f"{line}\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def match_lines(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """The stretches both texts share, in order and without overlap."""
    a, b = numbered(old, new)
    pairs = _Matcher(a, b).pairs()
    matches: list[Match] = []
    start = 0
    for end in range(1, len(pairs) + 1):
        if end == len(pairs) or pairs[end] != (pairs[end - 1][0] + 1, pairs[end - 1][1] + 1):
            matches.append(Match(old=pairs[start][0], new=pairs[start][1], length=end - start))
            start = end
    return matches


def numbered(old: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]]:
    """Both sequences as numbers that are equal exactly where their texts are."""
    numbers: dict[str, int] = {}
    return (
        [numbers.setdefault(text, len(numbers)) for text in old],
        [numbers.setdefault(text, len(numbers)) for text in new],
    )


class _Matcher:
    """One matching of two sequences of numbers, with what is left of its budget."""

    def __init__(self, a: list[int], b: list[int]) -> None:
        self.a = a
        self.b = b
        self.area = MAX_AREA_IN_ALL
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
            found += self._shared(i, i_end, j, j_end)
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

    def _shared(self, i: int, i_end: int, j: int, j_end: int) -> list[tuple[int, int]]:
        """The pairs of a longest common sequence of one stretch; none where finding it would cost too much."""
        a, b = self.a[i:i_end], self.b[j:j_end]
        area = len(a) * len(b)
        if area <= min(MAX_AREA, self.area):
            self.area -= area
            steps = LCSseq.opcodes(a, b)
        elif (edits := Indel.distance(a, b, score_cutoff=MAX_EDITS)) <= MAX_EDITS:
            # Levenshtein's search stays within a band of the edits it is told of, whatever the lengths.
            steps = Levenshtein.opcodes(a, b, score_hint=edits)
        else:
            return []
        return [
            (i + step.src_start + n, j + step.dest_start + n)
            for step in steps
            if step.tag == "equal"
            for n in range(step.src_end - step.src_start)
        ]
