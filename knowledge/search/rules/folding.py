"""Folding: the one form under which a word is indexed and asked for. Pure.

Text is normalised (NFKC) for the index alone; what a person wrote stays as they wrote it. Folding then takes case and
diacritics away in both directions, so that `Łódź` is found as `lodz` and `strasse` finds `Straße`.
"""

from __future__ import annotations

import functools
import unicodedata

#: Letters that no decomposition takes apart. Case is folded first, so only small letters stand here.
_LETTERS = {
    "ł": "l",
    "ø": "o",
    "æ": "ae",
    "œ": "oe",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ħ": "h",
    "ŧ": "t",
    "ŋ": "n",
    "ı": "i",
    "ĸ": "k",
    "ə": "e",
    "ƒ": "f",
    # Arabic writers use these pairs for one another, and the bars that stretch a word mean nothing.
    "ى": "ي",
    "ة": "ه",
    "ـ": "",
}

#: Letters whose mark makes another letter, not a variant: short i and the Ukrainian yi are no i.
_KEPT = frozenset("йї")

#: Invisible characters that only guide line breaking or joining.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"

#: Scripts whose marks may go: Latin, Greek, Cyrillic (up to 052F and the extended blocks), Hebrew, Arabic.
_LAST_STRIPPED = 0x06FF


def normalised(text: str) -> str:
    """The text as the index reads it: compatibility forms made plain (`ﬁ`, `Ａ`, `①`), invisible characters gone."""
    if text.isascii():
        return text
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    for character in _INVISIBLE:
        if character in text:  # few texts have any, and a look costs less than a copy
            text = text.replace(character, "")
    return text


def folded(word: str) -> str:
    """A normalised word without case and diacritics. Idempotent."""
    if word.isascii():
        return word.lower()
    return "".join(map(_folded_character, word.casefold()))


@functools.lru_cache(maxsize=4096)
def _folded_character(character: str) -> str:
    if character in _LETTERS:
        return _LETTERS[character]
    if character in _KEPT:
        return character
    point = ord(character)
    if point > _LAST_STRIPPED and not 0x1E00 <= point <= 0x1FFF:
        return character
    plain = "".join(
        part for part in unicodedata.normalize("NFKD", character) if not unicodedata.category(part).startswith("M")
    )
    return "".join(_LETTERS.get(part, part) for part in plain)
