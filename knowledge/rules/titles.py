"""Titles and the addresses made of them: a page is claimed at its folded title, and shown by the title as written."""

from __future__ import annotations

import unicodedata

from knowledge.rules.limits import TITLE_BYTES
from knowledge.rules.texts import clean_line


def clean_title(title: str) -> str:
    """The title as it is shown; refuses what section 8 and 12 of the contract refuse, naming `title`."""
    return clean_line(title, attr="title", limit=TITLE_BYTES)


def fold(title: str) -> str:
    """The address of a title within its container: NFC, lower case, runs of white space collapsed and trimmed."""
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", title).lower())
    return " ".join(lowered.split())
