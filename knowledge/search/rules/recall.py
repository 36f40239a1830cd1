"""Recall: how much of the exact ranking a search finds, how much it has to, and what an index may read for it. Pure.

A sign code keeps which side of each axis a vector lies on, and how much that says about cosine is a property of the
corpus alone. So nothing here is promised; it is measured on the corpus itself, against its own exact ranking.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

#: What must be found of the exact ranking, by how many documents are searched: a code tells fewer of more apart.
_FLOORS = ((20_000, 0.98), (120_000, 0.93), (500_000, 0.88))

#: How deep into the ranking no document may be missing.
HEAD = 10

#: How many documents of the corpus are asked for as if they were questions.
SAMPLED = 25

#: Below this many sources a scan is as quick as anything.
FEWEST_SOURCES = 1_024

_ROWS_A_LIST = 200
_FEWEST_LISTS = 8
_MOST_LISTS = 2_048


@dataclass(frozen=True, slots=True)
class Recall:
    """What a search found of the exact ranking over several questions: the mean share, the worst one, and how many
    documents of the exact top ten were missing in all."""

    mean: float
    worst: float
    head_misses: int

    def meets(self, floor: float) -> bool:
        """Whether this is good enough: the mean is not below the floor, and no top ten misses a document."""
        return self.mean >= floor and self.head_misses == 0


def recall_of(pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Recall:
    """The recall over questions, each the exact ranking and what was found; a question with nothing to find is met."""
    shares = [len(set(exact) & set(found)) / len(exact) if exact else 1.0 for exact, found in pairs]
    misses = sum(len(set(exact[:HEAD]) - set(found)) for exact, found in pairs)
    return Recall(mean=sum(shares) / len(shares) if shares else 1.0, worst=min(shares, default=1.0), head_misses=misses)


def floor_of(sources: int) -> float:
    """The least recall of a search over so many documents: flat outside of the curve, even in the logarithm within."""
    if sources <= _FLOORS[0][0]:
        return _FLOORS[0][1]
    for (fewer, higher), (more, lower) in pairwise(_FLOORS):
        if sources <= more:
            part = math.log(sources / fewer) / math.log(more / fewer)
            return higher - (higher - lower) * part
    return _FLOORS[-1][1]


def lists_for(sources: int) -> int:
    """Into how many lists the codes of so many documents are filed."""
    return max(_FEWEST_LISTS, min(_MOST_LISTS, sources // _ROWS_A_LIST))


def most_probes(lists: int) -> int:
    """How many lists an index may read: past half of them, a scan costs as much and misses nothing."""
    return lists // 2


def fewest_probes(is_enough: Callable[[int], bool], *, most: int) -> int | None:
    """The smallest count of lists that is enough, None where `most` is not.

    Asked by doubling and then by halving what is left, since reading more lists never finds less.
    """
    short, probes = 0, 1
    while not is_enough(probes):
        if probes >= most:
            return None
        short, probes = probes, min(2 * probes, most)
    while probes - short > 1:
        middle = (short + probes) // 2
        if is_enough(middle):
            probes = middle
        else:
            short = middle
    return probes


def is_outgrown(*, trained_on: int, now: int) -> bool:
    """Whether a corpus is so much larger or smaller than its index was trained on that it has to be trained anew."""
    return now >= 2 * trained_on or 2 * now <= trained_on


def is_lopsided(*, fullest: float, fullest_at_training: float, lists: int) -> bool:
    """Whether the fullest list, as a share of all rows, has outgrown the others since the training filed it.

    A corpus full of equal documents piles them into one list whatever the training, so a share that was large from the
    beginning is no reason.
    """
    return fullest > 4 / lists and fullest >= 2 * fullest_at_training
