"""Handles and keys made from names. Pure."""

from __future__ import annotations

import unicodedata

_PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ß": "ss", "'": "", "’": ""}
)

LONGEST = 150
"""What the tables keep of a handle."""


def slug_of(name: str) -> str:
    """A name as a handle: lower case, words joined by hyphens, Latin letters without their diacritics.

    Other scripts keep their letters and marks, so that `Łucja Żak` is `lucja-zak` and `田中` stays itself. Empty when
    the name holds neither letter nor digit; at most `LONGEST` characters.
    """
    words: list[str] = []
    word: list[str] = []
    base_is_latin = False
    for character in unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN)):
        category = unicodedata.category(character)
        if category[0] in "LN":
            base_is_latin = character.isascii()
            word.append(character)
        elif category[0] == "M":
            if word and not base_is_latin:
                word.append(character)
        elif word:
            words.append("".join(word))
            word = []
    if word:
        words.append("".join(word))
    return unicodedata.normalize("NFC", "-".join(words))[:LONGEST].rstrip("-")
