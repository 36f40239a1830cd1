"""The excerpt of a listing row: the first 600 bytes of a page's text without its markup, cut between characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.rules.limits import EXCERPT_BYTES

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_RULE = re.compile(r"^\s*([-*_=])(\s*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*$")
_LEAD = re.compile(r"^\s*(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))\s*)+")
# no nested brackets, so that a body of nothing but brackets is still read in one pass
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^>\s]+)>")
_MARKS = re.compile(r"\*{1,3}|~~|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_BLANKS = re.compile(r"\s+")


def excerpt_of(body: str) -> str:
    """At most 600 bytes of plain text from the top of a markdown body, on one line."""
    words: list[str] = []
    size = 0
    for line in plain_lines(body):
        words.append(line)
        size += len(line.encode()) + 1
        if size > EXCERPT_BYTES:
            break
    return " ".join(words).encode()[:EXCERPT_BYTES].decode(errors="ignore").rstrip()


def plain_lines(body: str) -> Iterator[str]:
    """The text of a markdown body line by line, without markup, blank lines and front matter; code keeps its signs."""
    in_code = False
    for line in _without_front_matter(body.removeprefix("\ufeff").splitlines()):
        if _FENCE.match(line):
            in_code = not in_code
            continue
        text = line if in_code else _plain(line)
        text = _BLANKS.sub(" ", text).strip()
        if text:
            yield text


def _plain(line: str) -> str:
    if _RULE.match(line) or _TABLE_RULE.match(line):
        return ""
    text = _LEAD.sub("", line)
    text = _AUTOLINK.sub(r"\1", _LINK.sub(r"\1", text))
    if text.lstrip().startswith("|"):
        text = text.replace("|", " ")
    return _MARKS.sub("", text)


def _without_front_matter(lines: list[str]) -> list[str]:
    if not lines or lines[0].rstrip() != "---":
        return lines
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return lines[number + 1 :]
    return lines
