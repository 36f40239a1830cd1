"""Cuts a markdown text where its parts read alone as they do in the whole, so that few of them have to be read. Pure.

A parser's work is most of what it costs to look for links, and most of a body has none. A cut lies after a blank line,
before a line that begins at the margin with a letter: nothing but fenced code reaches over that. What depends on
places further away (link definitions, footnotes) is not cut at all.
"""

from __future__ import annotations

import re
from itertools import pairwise

_REACHES_FAR = re.compile(r"\]:|\[\^|\^\[")
_FRONT_MATTER_ENDS = r"^ {0,3}-{%d,}[ \t]*$|^\.\.\.[ \t]*$"
_PLACES = re.compile(
    r"^(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$"
    r"|^ {0,3}(?P<holds>[-*+>]|[0-9]{1,9}[.)])"
    r"|\n[ \t]*\n(?P<begins>(?=[^\W\d_]))",
    re.MULTILINE,
)


def reaches_far(text: str) -> bool:
    """Whether how a run of a text reads may hang on another place in it: by a link definition or a footnote."""
    return _REACHES_FAR.search(text) is not None


def pieces_of(text: str) -> list[str]:
    """The parts of a text whose line ends are `\\n`; together they are the text. One part where it cannot be cut."""
    if reaches_far(text):
        return [text]
    cuts = [0, *_cuts(text), len(text)]
    return [text[begin:end] for begin, end in pairwise(cuts)]


def _cuts(text: str) -> list[int]:
    cuts: list[int] = []
    fence = ""
    inside = False  # whether a list or a quotation may be open, whose fences end with it
    for place in _PLACES.finditer(text, _after_front_matter(text)):
        mark, info = place["fence"], place["info"]
        if mark and fence:
            if mark[0] == fence[0] and len(mark) >= len(fence) and not info.strip(" \t"):
                fence = ""
        elif mark and (mark[0] == "~" or "`" not in info):
            if inside and place["indent"]:
                return cuts  # to tell whose this is takes a parser
            fence, inside = mark, False
        elif place["holds"] and not fence:
            inside = True
        elif place["begins"] is not None and not fence:
            cuts.append(place.end())
            inside = False
    return cuts


def _after_front_matter(text: str) -> int:
    if not text.startswith("---"):
        return 0
    marks = len(text) - len(text.lstrip("-"))
    ends = re.compile(_FRONT_MATTER_ENDS % marks, re.MULTILINE).search(text, text.find("\n") + 1 or len(text))
    return ends.end() if ends else 0
