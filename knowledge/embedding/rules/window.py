"""The window: which of a document's text one vector stands for. Pure.

One vector stands for one document, so what is embedded is its opening: the title, a space, and the body, runs of white
space collapsed, and of that the first 8 KiB. Collapsed first and cut second, so that indentation and blank lines spend
none of it. No tokenizer makes more than one token of a byte, so 8 KiB is inside every model of 8 192 tokens.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

#: The most bytes of a document that are embedded.
WINDOW_BYTES = 8_192

#: How many characters of a body its opening is formed from, so that a selection never reads whole bodies.
READ_CHARACTERS = 16_384


@dataclass(frozen=True, slots=True)
class Reach:
    """How many bytes of text a document has, white space collapsed, and how many of them lie past the window."""

    total: int
    past: int


def opening(*, title: str, body: str, bound: int = WINDOW_BYTES) -> str:
    """The text to embed: at most `bound` bytes, cut between characters.

    `body` may be the whole body or its first `READ_CHARACTERS` characters: the answer is the same.
    """
    collapsed = " ".join(f"{title} {body[:READ_CHARACTERS]}".split())
    return collapsed.encode()[: min(bound, WINDOW_BYTES)].decode(errors="ignore")


def digest_of(text: str) -> str:
    """What tells an embedded text from another: the SHA-256, in hex, of exactly the bytes that were sent."""
    return hashlib.sha256(text.encode()).hexdigest()


def reach_of(*, title: str, body: str, bound: int = WINDOW_BYTES) -> Reach:
    """How far the window reaches into a document; text that the opening never read counts as past it."""
    total = len(" ".join(f"{title} {body}".split()).encode())
    return Reach(total=total, past=total - len(opening(title=title, body=body, bound=bound).encode()))
