"""How alike what two skills say of themselves is: by an embedding provider, or by their words where there is none.

A model chooses among skills by these lines alone, so two that say nearly the same make it choose by chance. The
thresholds were measured on 421 public skills; docs/decisions/alike-skills.md has the figures.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Indel

BY_WORDS = "words"
"""The measure where no provider is configured."""
ALIKE_BY_WORDS = 800
"""Of a thousand: four of five characters are the same after the words were put in one order."""
SAME_WORDS = 0.5
"""Pairs of which fewer words are the same are not looked at closer: comparing letters costs a hundred times as much."""
ALIKE_BY_MEANING = 820
"""Of a thousand: the cosine from which more of the pairs were truly about one thing than not, by the local model."""
NEAREST = 10
"""So many of the most alike are kept for each skill, so that a container of copies is no square of rows."""

_ROWS = 256
_FIRST_SIGN = 0xE000
"""Above the surrogates, which no text may hold."""
_SIGNS = 0x110000 - _FIRST_SIGN
"""More words than there are characters share some: the two texts are then looked at closer in vain."""
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")
"""A word, or a character of a script that puts no blanks between them."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two places in a list, the lower first, and how alike they are, of a thousand."""

    first: int
    second: int
    likeness: int


def digest_of(text: str, measure: str) -> str:
    """By which an unchanged text is known again: of the text, and of the measure it was compared by."""
    return hashlib.sha256(f"{measure}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def words_of(text: str) -> str:
    """A text as its words are compared: each once, in one case and one order."""
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return sorted(set(_WORD.findall(text.casefold())))


def pairs_by_words(texts: Sequence[str], changed: Sequence[int]) -> tuple[Pair, ...]:
    """Which of `texts` are alike, of those pairs that hold a changed one."""
    words = [_words(text) for text in texts]
    letters = [" ".join(one) for one in words]
    # One character a word: two texts are then compared by whole words, in a tenth of a microsecond.
    known = sorted({word for one in words for word in one})
    signs = {word: chr(_FIRST_SIGN + number % _SIGNS) for number, word in enumerate(known)}
    lines = ["".join(signs[word] for word in one) for one in words]

    def likeness(rows: Sequence[int]) -> NDArray[np.float32]:
        asked = [lines[row] for row in rows]
        found = np.asarray(
            process.cdist(asked, lines, scorer=Indel.normalized_similarity, score_cutoff=SAME_WORDS, dtype=np.float32)
        )
        for place, row in enumerate(rows):
            near = np.flatnonzero(found[place])
            closer = process.cdist(
                [letters[row]],
                [letters[other] for other in near],
                scorer=Indel.normalized_similarity,
                score_cutoff=ALIKE_BY_WORDS / 1000,
                dtype=np.float32,
            )
            found[place, near] = closer[0]
        return found

    return tuple(_pairs(likeness, changed, least=ALIKE_BY_WORDS))


def pairs_by_meaning(vectors: NDArray[np.float32], changed: Sequence[int]) -> tuple[Pair, ...]:
    """Which of some vectors of length one are alike, of those pairs that hold a changed one."""

    def likeness(rows: Sequence[int]) -> NDArray[np.float32]:
        return np.asarray(vectors[list(rows)] @ vectors.T, dtype=np.float32)

    return tuple(_pairs(likeness, changed, least=ALIKE_BY_MEANING))


def _pairs(
    likeness: Callable[[Sequence[int]], NDArray[np.float32]], changed: Sequence[int], *, least: int
) -> Iterator[Pair]:
    told: set[tuple[int, int]] = set()
    for start in range(0, len(changed), _ROWS):
        rows = changed[start : start + _ROWS]
        for row, found in zip(rows, np.rint(likeness(rows) * 1000).astype(int), strict=True):
            found[row] = 0
            near = np.flatnonzero(found >= least)
            for other in near[np.argsort(-found[near], kind="stable")[:NEAREST]]:
                both = (min(row, int(other)), max(row, int(other)))
                if both not in told:
                    told.add(both)
                    yield Pair(first=both[0], second=both[1], likeness=min(1000, int(found[other])))
