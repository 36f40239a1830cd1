"""Where the links of a body stand, so that they can be aimed elsewhere and every other byte stays as it is. Pure.

Finds the targets of inline links and pictures, of link definitions, and `[[wiki]]` links, outside of code: fenced,
indented, and in spans. It reads lines and brackets rather than the whole of markdown, because the answer has to be a
place in the text. Whether a line that is far from the margin is code or the inside of a list only a parse of the blocks
can say, so a text that has such a line with a bracket is given one. Work grows with the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from html import unescape

from markdown_it import MarkdownIt


class Form(StrEnum):
    """How a link is written."""

    INLINE = "inline"
    DEFINITION = "definition"
    WIKI = "wiki"
    EMBED = "embed"


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A link in a text: the span to write over, and what it names.

    The span of a markdown link is its target alone, that of a `[[wiki]]` link all of it; `label` is what a wiki link
    shows, empty where it says nothing of its own.
    """

    start: int
    end: int
    form: Form
    target: str
    label: str = ""


_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_FAR_FROM_THE_MARGIN = re.compile(r"^[ \t>*+\-0-9.)]*(?: {4}|\t)[^\n\r\[]*\[", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_BLOCKS = MarkdownIt("commonmark", {"html": False}).disable(["inline"])
_BLANK = re.compile(r"\n[ \t>\r]*\n")
_TICKS = re.compile(r"`+")
_OPENING = re.compile(r"\]\(|!?\[\[|^[ \t>]{0,8}\[(?:[^\[\]\\\n]|\\.){1,999}\]:", re.MULTILINE)
_ANGLE = re.compile(r"\s{0,8}<((?:[^<>\n\\]|\\.)*)>")
_PLAIN = re.compile(r"\s{0,8}((?:[^\s()<\\]|\\.)(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)")
_CLOSING = re.compile(r"\s*(?:\)|[\"'(])")
_WIKI = re.compile(r"!?\[\[([^\[\]\n]{1,999})\]\]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def rewrite(text: str, replace: Callable[[Reference], str | None]) -> str:
    """The text with what `replace` gives in the place of each link's span; None leaves it as it is."""
    pieces: list[str] = []
    done = 0
    for reference in references(text):
        new = replace(reference)
        if new is not None:
            pieces += (text[done : reference.start], new)
            done = reference.end
    return "".join([*pieces, text[done:]]) if pieces else text


def references(text: str) -> Iterator[Reference]:
    """The links of a text, in order."""
    if "](" not in text and "]:" not in text and "[[" not in text:
        return
    for start, end in _prose(text):
        for begin, stop in _paragraphs(text, start, end):
            if text.find("[", begin, stop) >= 0:
                yield from _links(text, begin, stop)


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """The spans outside of fenced and indented code; a fence that is never closed runs to the end."""
    if _FAR_FROM_THE_MARGIN.search(text):
        yield from _prose_by_blocks(text)
        return
    start, fence = 0, ""
    for line in _FENCE.finditer(text):
        mark, rest = line[1], line[2].strip()
        if not fence:
            if mark[0] == "`" and "`" in rest:
                continue
            yield start, line.start()
            fence = mark
        elif mark[0] == fence[0] and len(mark) >= len(fence) and not rest:
            start, fence = line.end(), ""
    if not fence:
        yield start, len(text)


def _prose_by_blocks(text: str) -> Iterator[tuple[int, int]]:
    """The same, found by a parse of the blocks."""
    begins = [line.start() for line in _LINE.finditer(text)]
    start = 0
    for token in _BLOCKS.parse(text):
        if token.type in ("fence", "code_block") and token.map is not None:
            yield start, begins[token.map[0]]
            start = begins[token.map[1]] if token.map[1] < len(begins) else len(text)
    yield start, len(text)


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans between blank lines, over which no code span reaches."""
    while True:
        blank = _BLANK.search(text, start, end)
        yield start, blank.start() if blank else end
        if blank is None:
            return
        start = blank.end() - 1


def _links(text: str, start: int, end: int) -> Iterator[Reference]:
    spans = _code_spans(text, start, end)
    begins = [begin for begin, _stop in spans]
    done = start
    for opening in _OPENING.finditer(text, start, end):
        at = opening.start()
        place = bisect_right(begins, at) - 1
        if at < done or (place >= 0 and at < spans[place][1]) or _is_escaped(text, at, start):
            continue
        if opening[0].endswith("[["):
            found = _wiki(text, at, end)
        else:
            form = Form.INLINE if opening[0] == "](" else Form.DEFINITION
            found = _target(text, opening.end(), end, form=form)
        if found is not None:
            yield found
            done = found.end


def _wiki(text: str, at: int, end: int) -> Reference | None:
    match = _WIKI.match(text, at, end)
    if match is None:
        return None
    target, _bar, label = match[1].replace("\\|", "|").partition("|")
    form = Form.EMBED if match[0].startswith("!") else Form.WIKI
    return Reference(start=at, end=match.end(), form=form, target=target.strip(), label=label.strip())


def _target(text: str, at: int, end: int, *, form: Form) -> Reference | None:
    match = _ANGLE.match(text, at, end) or _PLAIN.match(text, at, end)
    if match is None or not match[1]:
        return None
    if form is Form.INLINE and _CLOSING.match(text, match.end(), end) is None:
        return None
    target = unescape(_ESCAPE.sub(r"\1", match[1]))
    return Reference(start=match.start(1), end=match.end(1), form=form, target=target)


def _code_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The code spans of a paragraph: a run of backticks up to the next run of the same length."""
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(text, start, end)]
    if not runs:
        return []
    by_length: dict[int, list[int]] = {}
    for number, (begin, stop) in enumerate(runs):
        by_length.setdefault(stop - begin, []).append(number)
    spans: list[tuple[int, int]] = []
    number = 0
    while number < len(runs):
        begin, stop = runs[number]
        if _is_escaped(text, begin, start):
            begin += 1
        same = by_length.get(stop - begin, [])
        later = bisect_right(same, number)
        if begin < stop and later < len(same):
            number = same[later]
            spans.append((begin, runs[number][1]))
        number += 1
    return spans


def _is_escaped(text: str, at: int, start: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    first = at
    while first > start and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1
