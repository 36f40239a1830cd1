"""The excerpt of a listing row: the first 600 bytes of a page's text without its markup, cut between characters.

A listing shows hundreds of rows, so no more of a body is looked at than the excerpt needs, and each pattern runs over
a whole piece of text in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.rules.limits import EXCERPT_BYTES

_FIRST_LOOK = 1_000
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_RULES = re.compile(r"^[ \t]*(?:[-*_=][-*_= \t]*[-*_=]|[|:-][|: -]*---[|: -]*)$", re.MULTILINE)
_LEADS = re.compile(
    r"^[ \t]*(?:(?:>|#{1,6}(?=[ \t])|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[[ xX]\](?=[ \t]))[ \t]*)+", re.MULTILINE
)
# no nested brackets, so that a body of nothing but brackets is still read in one pass
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\n]*\)|\[[^\[\]]*\])")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]+)>")
_CELLS = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_MARKS = re.compile(r"\*{1,3}|~~|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)")


def excerpt_of(body: str) -> str:
    """At most 600 bytes of plain text from the top of a markdown body, on one line."""
    reach = _FIRST_LOOK
    while True:
        whole = reach >= len(body)
        piece = body if whole else body[:reach].rpartition("\n")[0]
        plain = " ".join(_plain(piece).split()).encode()
        if whole or len(plain) > EXCERPT_BYTES:
            return plain[:EXCERPT_BYTES].decode(errors="ignore").rstrip()
        reach *= 4


def plain_lines(body: str) -> Iterator[str]:
    """The text of a markdown body line by line, without markup, blank lines and front matter; code keeps its signs."""
    for line in _plain(body).splitlines():
        text = " ".join(line.split())
        if text:
            yield text


def _plain(text: str) -> str:
    """The words of a markdown text that ends with a line; what stands in a code block is left as it is."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    pieces = _FENCE.split(_FRONT_MATTER.sub("", text, count=1))
    return "".join(piece if number % 2 else _without_marks(piece) for number, piece in enumerate(pieces))


def _without_marks(text: str) -> str:
    text = _LEADS.sub("", _RULES.sub("", text))
    text = _AUTOLINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _CELLS.sub(lambda row: row.group().replace("|", " "), text)
    return _MARKS.sub("", text)
