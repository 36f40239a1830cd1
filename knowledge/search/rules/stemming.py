"""Stems: the part of a word that its plural and verb forms share. Pure.

A word's script chooses the stemmer, and among Latin letters the language of the text it stands in, English where that
is not clear. The exact word is always indexed beside the stem.
"""

from __future__ import annotations

import threading

import Stemmer

from knowledge.search.rules.languages import ENGLISH, LANGUAGES

#: First and last code point of a script, and the Snowball algorithm for its words.
_BY_SCRIPT = (
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
)

_LAST_LATIN = 0x024F
_LONGEST = 40

_of_thread = threading.local()


def stemmed(word: str, language: str = ENGLISH) -> str:
    """The stem of a folded word; the word itself where no stemmer knows its script."""
    if len(word) < 3 or len(word) > _LONGEST:
        return word
    point = ord(word[0])
    if point <= _LAST_LATIN:
        return _stemmer(language).stemWord(word) or word if point > 0x40 else word
    for first, last, algorithm in _BY_SCRIPT:
        if first <= point <= last:
            return _stemmer(algorithm).stemWord(word) or word
    return word


def stems_in_any_language(word: str) -> tuple[str, ...]:
    """Every stem a folded word may have, the English one first, without repeats."""
    return tuple(dict.fromkeys(stemmed(word, language) for language in LANGUAGES))


def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    """This thread's own: a stemmer keeps state between calls."""
    stemmers: dict[str, Stemmer.Stemmer] = _of_thread.__dict__.setdefault("stemmers", {})
    if algorithm not in stemmers:
        stemmers[algorithm] = Stemmer.Stemmer(algorithm)
    return stemmers[algorithm]
