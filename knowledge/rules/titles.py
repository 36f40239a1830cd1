"""Titles and the addresses made of them: a page is claimed at its folded title, and shown by the title as written."""

from __future__ import annotations

import re
import unicodedata

from knowledge.rules.limits import TITLE_BYTES
from knowledge.rules.texts import clean_line

SIGNS = r"[!-/:-@[-`{-~]+"
"""What stands between the words of a title, besides white space. Read by Python and by Postgres, which agree on it."""

WORDS_OF_THEIR_OWN = "([\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])"
"""The characters of scripts without spaces, each of which is found by itself. Read by both, too."""

MAX_BEGINNINGS = 24


def clean_title(title: str) -> str:
    """The title as it is shown; refuses what section 8 and 12 of the contract refuse, naming `title`."""
    return clean_line(title, attr="title", limit=TITLE_BYTES)


def fold(title: str) -> str:
    """The address of a title within its container: NFC, lower case, runs of white space collapsed and trimmed."""
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", title).lower())
    return " ".join(lowered.split())


def beginnings_of(folded: str) -> tuple[str, ...]:
    """What the words of a title have to begin with to fit a folded text, each once; nothing but letters and digits.

    The words of a title are what lies between `SIGNS` and spaces, and each character of `WORDS_OF_THEIR_OWN`.
    """
    spaced = re.sub(WORDS_OF_THEIR_OWN, r" \1 ", re.sub(SIGNS, " ", folded))
    return tuple(dict.fromkeys(spaced.split()))[:MAX_BEGINNINGS]
