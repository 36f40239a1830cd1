"""Texts as they come in: what Postgres cannot keep is refused, what is too long is refused, nothing is mended.

Owns bodies, comments, save messages and the reason of a purge, and the checks titles and labels share. A body is kept
byte for byte: line ends, a missing final newline and blank lines at either end are the writer's.
"""

from __future__ import annotations

import unicodedata

from company.rules.refusals import Code, Refused
from knowledge.rules.controls import BIDI_CONTROLS
from knowledge.rules.limits import BODY_BYTES, COMMENT_BYTES, MESSAGE_BYTES, REASON_BYTES

_LINE_BREAKS = str.maketrans({"\t": " ", "\n": " ", "\r": " ", "\u2028": " ", "\u2029": " "})
# letters and symbols by category that draw nothing: fillers and the blank braille cell
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")


def check_text(text: str, *, attr: str, limit: int) -> str:
    """`text` unchanged; refuses NUL and lone surrogates (`invalid`) and more than `limit` bytes (`too_long`)."""
    if "\x00" in text:
        raise Refused(Code.INVALID, f"'{attr}' holds a NUL character. Take it out.", attr=attr)
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise Refused(
            Code.INVALID, f"'{attr}' holds half a character (a lone surrogate). Send valid Unicode.", attr=attr
        ) from error
    if size > limit:
        raise Refused(
            Code.TOO_LONG,
            f"'{attr}' is {size} bytes long; at most {limit} are kept. Shorten it.",
            attr=attr,
            extras={"limit": limit},
        )
    return text


def check_body(body: str, *, attr: str = "body") -> str:
    """A page's body, byte for byte as it came (at most 512 KiB)."""
    return check_text(body, attr=attr, limit=BODY_BYTES)


def check_comment(body: str) -> str:
    """A comment, byte for byte as it came (at most 32 KiB); `required` where it shows nothing."""
    check_text(body, attr="body", limit=COMMENT_BYTES)
    if not any(_is_visible(character) for character in body):
        raise Refused(Code.REQUIRED, "Say something in 'body'; this comment shows nothing.", attr="body")
    return body


def clean_message(message: str | None) -> str:
    """A save's note on one line, or none (at most 256 bytes)."""
    return check_text((message or "").translate(_LINE_BREAKS).strip(), attr="message", limit=MESSAGE_BYTES)


def clean_reason(reason: str) -> str:
    """Why a page is purged; `required` when nothing is said."""
    said = check_text(reason.strip(), attr="reason", limit=REASON_BYTES)
    if not said:
        raise Refused(Code.REQUIRED, "Say why the page is removed for good.", attr="reason")
    return said


def clean_line(text: str, *, attr: str, limit: int) -> str:
    """One visible line, such as a title or a label: trimmed, with line breaks and tabs turned into spaces.

    Refuses control characters (C1 and the characters that override the direction of writing included), a text that
    shows nothing (`invalid`), and more than `limit` bytes (`too_long`).
    """
    line = text.translate(_LINE_BREAKS).strip()
    for character in line:
        if character in BIDI_CONTROLS or unicodedata.category(character) == "Cc":
            raise Refused(
                Code.INVALID,
                f"'{attr}' holds the control character U+{ord(character):04X}. Take it out.",
                attr=attr,
            )
    check_text(line, attr=attr, limit=limit)
    if not any(_is_visible(character) for character in line):
        raise Refused(Code.INVALID, f"'{attr}' shows nothing. Give it at least one visible character.", attr=attr)
    return line


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in _BLANK
