"""What changed inside a line: which removed line became which added one, and the words that differ. Pure.

Words are runs of letters, marks and digits; every other character, and every ideograph, kana or syllable of a script
that writes no spaces, is one of its own. A mark never begins inside a character that is written with another one.
Work is bounded by `Budget`: past it a line carries no marks, and the answer says that it is by line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Indel, LCSseq

from knowledge.rules.diff.matching import numbered

MAX_WORD = 64
MAX_PAIRS = 20_000
MAX_WORDS = 131_072
MAX_AREA = 2**24
MAX_AREA_IN_ALL = 2**28
MAX_BLOCK = 400
ALIKE_FROM = 0.4
COMPARED = 512

Marks = tuple[tuple[int, int], ...]

_WORD = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    rf"|[^\W_]{{1,{MAX_WORD}}}|\s+|."
)


@dataclass(kw_only=True)
class Budget:
    """What is left for the marks of one difference, and whether it was ever too little."""

    pairs: int = MAX_PAIRS
    words: int = MAX_WORDS
    area: int = MAX_AREA_IN_ALL
    exceeded: bool = False

    def begin(self) -> bool:
        """Whether another pair of lines may be looked at."""
        if not (self.pairs and self.words):
            self.exceeded = True
            return False
        self.pairs -= 1
        return True

    def take(self, old: int, new: int) -> bool:
        """Whether so many words on either side may still be compared; they are paid for if so."""
        if old * new > min(MAX_AREA, self.area):
            self.exceeded = True
            return False
        if old + new > self.words:
            self.words, self.exceeded = 0, True
            return False
        self.words -= old + new
        self.area -= old * new
        return True


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A stretch of a line, marked or not."""

    text: str
    marked: bool


def pieces_of(text: str, marks: Marks) -> tuple[Piece, ...]:
    """The line cut at its marks, in order; joined the pieces are the line."""
    pieces: list[Piece] = []
    at = 0
    for start, end in marks:
        pieces += [Piece(text=text[at:start], marked=False), Piece(text=text[start:end], marked=True)]
        at = end
    pieces.append(Piece(text=text[at:], marked=False))
    return tuple(piece for piece in pieces if piece.text)


def pair_lines(removed: Sequence[str], added: Sequence[str]) -> list[tuple[int, int]]:
    """Which removed line became which added one, in order: each with its own number where there are as many, else
    those that are most alike; beyond `MAX_BLOCK` combinations, none."""
    if len(removed) == len(added):
        return [(n, n) for n in range(len(removed))]
    if len(removed) * len(added) > MAX_BLOCK:
        return []
    return _most_alike(removed, added)


def mark_words(old: str, new: str, *, budget: Budget) -> tuple[Marks, Marks] | None:
    """The stretches (from, to; counted in characters from 0) of each line that the other lacks; None past the budget.

    Blanks between two changed words belong to the change, so that a rewritten phrase is one mark.
    """
    if not budget.begin():
        return None
    head = _common_head(old, new)
    most = min(len(old), len(new)) - head
    tail = _common_head(old[: -most - 1 : -1], new[: -most - 1 : -1])
    start = min(_word_start(old, head), _word_start(new, head))
    tail = min(_word_tail(old, tail), _word_tail(new, tail), len(old) - start, len(new) - start)
    a, b = old[start : len(old) - tail], new[start : len(new) - tail]
    if len(a) + len(b) > 8 * MAX_WORDS:
        budget.exceeded = True
        return None
    before, after = _words(a), _words(b)
    if not budget.take(len(before), len(after)):
        return None
    steps = LCSseq.opcodes(*numbered(before, after)) if before and after else None
    if steps is None:
        return _spans(start, [len(a)], [(0, 1)] if a else []), _spans(start, [len(b)], [(0, 1)] if b else [])
    gone = [(step.src_start, step.src_end) for step in steps if step.tag != "equal" and step.src_end > step.src_start]
    come = [
        (step.dest_start, step.dest_end) for step in steps if step.tag != "equal" and step.dest_end > step.dest_start
    ]
    return (
        _spans(start, [len(word) for word in before], _joined(gone, before)),
        _spans(start, [len(word) for word in after], _joined(come, after)),
    )


def _common_head(a: str, b: str) -> int:
    """How many characters two texts begin with in common."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _words(text: str) -> list[str]:
    found: list[str] = _WORD.findall(text)
    if text.isascii():
        return found
    words: list[str] = []
    for word in found:
        if words and _hangs_on(words[-1][-1], word[0]):
            words[-1] += word
        else:
            words.append(word)
    return words


@lru_cache(maxsize=4_096)
def _clings(character: str) -> bool:
    """Whether a character is written on the one before it: a vowel sign, an accent, a joiner, the tone of an emoji."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me") or character in "\u200c\u200d" or (
        "\U0001f3fb" <= character <= "\U0001f3ff"
    )  # fmt: skip


def _hangs_on(left: str, right: str) -> bool:
    """Whether a word that a mark has torn goes on here, or a character is written on the one before it."""
    return _clings(right) or left == "\u200d" or (_clings(left) and right.isalnum())


def _joined(spans: list[tuple[int, int]], words: list[str]) -> list[tuple[int, int]]:
    """The spans of words, those with nothing but blanks between them as one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start - joined[-1][1] <= 1 and "".join(words[joined[-1][1] : start]).isspace():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _spans(start: int, lengths: list[int], spans: list[tuple[int, int]]) -> Marks:
    """Spans of words as spans of characters."""
    places = [start]
    for length in lengths:
        places.append(places[-1] + length)
    return tuple((places[first], places[last]) for first, last in spans)


def _inside(text: str, at: int) -> bool:
    """Whether a cut before `at` would go through a word."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    return _hangs_on(left, right) or (left.isalnum() and right.isalnum())


def _word_start(text: str, at: int) -> int:
    """The beginning of the word a cut falls into; a word longer than `MAX_WORD` is cut where it is."""
    start = at
    while start > 0 and at - start < MAX_WORD and _inside(text, start):
        start -= 1
    return at if _inside(text, start) and not _clings(text[at : at + 1] or " ") else start


def _word_tail(text: str, tail: int) -> int:
    """How much of a common tail is left when it gives the word it begins in back."""
    at = end = len(text) - tail
    while end < len(text) and end - at < MAX_WORD and _inside(text, end):
        end += 1
    return tail if _inside(text, end) else len(text) - end


def _most_alike(removed: Sequence[str], added: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs, in order and none twice, that are the most alike in all."""
    rows, columns = len(removed), len(added)
    alike = [
        [_alikeness(old, new) for new in (line[:COMPARED] for line in added)]
        for old in (line[:COMPARED] for line in removed)
    ]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + alike[i][j])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if alike[i][j] and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _alikeness(old: str, new: str) -> float:
    alike = Indel.normalized_similarity(old.strip(), new.strip())
    return alike if alike >= ALIKE_FROM and (old.strip() or new.strip()) else 0.0
