"""Which skills hold the words of a question, the best first: by what they are called and say of themselves. Pure.

Words are cut and stemmed as the search of pages does it. A skill earns, for each term it holds, more the fewer skills
hold it, and twice for one in its name or title. The beginning of a word counts a little, so that `git` finds `github`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from knowledge.search.rules.analysis import Analyser
from knowledge.search.rules.queries import query_tokens

IN_HEADING = 2.0
"""A term in the name or title, of one in the text: the order of magnitude the search of pages gives a title."""
BEGUN = 0.25
"""The beginning of a word, of the word itself."""
SHORTEST = 3
"""Characters; shorter ones are the beginning of too much."""
REMEMBERED = 20_000
"""Texts whose tokens a process keeps: more than a large library has."""


class Wording(NamedTuple):
    """What a skill is found by: what it is called, and what it says of itself."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Held:
    """A skill that holds words of the question: its place in the list, what it earned, whether its name was given."""

    place: int
    score: float
    is_named: bool


def held(question: str, among: Sequence[Wording]) -> list[Held]:
    """The skills that hold any word of a question: those named whole first, then by what they earned, equal ones in
    the order of the list. None for a question without words."""
    tokens = query_tokens(question)
    given = question.casefold().split()
    cut = [_cut(f"{one.name} {one.title}", one.text) for one in among]
    earned = [0.0] * len(among)
    for stems in tokens.stems:
        wanted = frozenset(stems)
        weights = [
            IN_HEADING if wanted & one.heading else 1.0 if wanted & one.text else 0.0 for one in cut
        ]  # fmt: skip
        _earn(earned, weights)
    for word in (*tokens.exact, *tokens.wholes):
        if len(word) >= SHORTEST:
            _earn(earned, [BEGUN if f" {word}" in one.letters else 0.0 for one in cut])
    found = [
        Held(place=place, score=score, is_named=among[place].name.casefold() in given)
        for place, score in enumerate(earned)
        if score
    ]
    return sorted(found, key=lambda one: (not one.is_named, -one.score, one.place))


def _earn(earned: list[float], weights: Sequence[float]) -> None:
    """Add what one term brings: its weight in each skill, times how rare it is."""
    holding = sum(1 for weight in weights if weight)
    if holding:
        rarity = math.log(1 + len(weights) / holding)
        for place, weight in enumerate(weights):
            earned[place] += weight * rarity


class _Cut(NamedTuple):
    heading: frozenset[str]
    text: frozenset[str]
    letters: str


class _Mine(threading.local):
    """An analyser remembers the chunks it has met, and is one thread's."""

    def __init__(self) -> None:
        self.analyser = Analyser()


_mine = _Mine()


@lru_cache(maxsize=REMEMBERED)
def _cut(heading: str, text: str) -> _Cut:
    first, second = _mine.analyser.analyse(heading, text)
    return _Cut(
        heading=frozenset(first.stems.split()),
        text=frozenset(second.stems.split()),
        letters=f" {first.exact} {second.exact}",
    )
