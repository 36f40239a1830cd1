"""Line ends of a body that went through a form. Pure.

A browser sends every line end of a text field as CRLF. This puts back the ends the text had, so that a page that was
opened and saved untouched is the same to the byte, and an edit changes the lines it changed.
"""

from __future__ import annotations

import re

from knowledge.rules.diff import match_lines

_END = re.compile(r"\r\n|\r|\n")


def as_written(typed: str, *, base: str) -> str:
    """`typed` with the line ends of `base`: a line both share keeps its own, a new one gets what most lines have."""
    new = _END.sub("\n", typed)
    if "\r" not in base:
        return new
    if new == _END.sub("\n", base):
        return base
    texts, ends = _lines(base)
    common = max(("\r\n", "\r", "\n"), key=ends.count)
    lines = new.split("\n")
    kept = {
        match.new + offset: ends[match.old + offset]
        for match in match_lines(texts, lines)
        for offset in range(match.length)
        if match.old + offset < len(ends)
    }
    last = len(lines) - 1
    return "".join(line if n == last else line + kept.get(n, common) for n, line in enumerate(lines))


def _lines(text: str) -> tuple[list[str], list[str]]:
    """The lines of a text without their ends, and the ends; the last line has none."""
    return _END.split(text), _END.findall(text)
