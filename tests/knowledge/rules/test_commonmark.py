"""Our renderer beside the CommonMark specification: its own examples, and the list of where we differ and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowledge.rules.links import resolve_link
from knowledge.rules.markdown import render
from tests import commonmark
from tests.commonmark import Example

pytestmark = pytest.mark.covers("PG-19")

DOCUMENT = Path(__file__).parents[3] / "docs" / "markdown.md"
BLOCKS = frozenset({"p", "ul", "ol", "li", "blockquote", "pre", "hr", *(f"h{level}" for level in range(1, 7))})
VOID = frozenset({"br", "hr", "img"})
# What our HTML carries beside what CommonMark asks for, wherever it stands; "The same everywhere" in the document.
DRESS = {
    "ul": {"dir"},
    "ol": {"dir"},
    "blockquote": {"dir"},
    "pre": {"class", "tabindex", "role", "aria-label"},
    "a": {"rel", "class"},
    **{f"h{level}": {"id"} for level in range(2, 7)},
}


def tokens_of(example: Example) -> Iterator[Token]:
    """What a parser that does what the specification says, and nothing else, finds in an example."""
    for token in MarkdownIt("commonmark").parse(example.markdown):
        yield token
        yield from token.children or ()


def links_of(example: Example) -> list[str]:
    """Where its links lead."""
    return [str(token.attrGet("href")) for token in tokens_of(example) if token.type == "link_open"]


def has(*types: str) -> Callable[[Example], bool]:
    """Whether an example has a token of one of these types."""
    return lambda example: any(token.type in types for token in tokens_of(example))


# For each reason of the document, whether an example has what the reason is about.
REASONS: dict[str, Callable[[Example], bool]] = {
    "Raw HTML": has("html_inline", "html_block"),
    "Pictures": has("image"),
    "Relative addresses": lambda example: any(
        link and not link.startswith("#") and resolve_link(link) is None for link in links_of(example)
    ),
    "Empty addresses": lambda example: "" in links_of(example),
    "Fragments": lambda example: any(link.startswith("#") for link in links_of(example)),
    "Other schemes": lambda example: any(
        token.markup == "autolink" and resolve_link(str(token.attrGet("href"))) is None
        for token in tokens_of(example)
        if token.type == "link_open"
    ),
    "Bare addresses": lambda example: any(
        token.type == "text" and re.search("https?://|@", token.content) for token in tokens_of(example)
    ),
    "Front matter": lambda example: example.markdown.startswith("---\n"),
}


class Shape(HTMLParser):
    """The elements and words of an HTML text in order, ours without its dress, theirs with headings a level lower."""

    def __init__(self, html: str, *, ours: bool) -> None:
        super().__init__()
        self._ours = ours
        self._unseen: list[str] = []  # open elements that are ours alone, with what is open inside them
        self._in_pre = False
        self._parts: list[tuple[str, object]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if self._ours:
            if self._unseen or self._is_ours_alone(tag, values):
                if tag not in VOID:
                    self._unseen.append(tag)
                return
            values = {name: value for name, value in values.items() if name not in DRESS.get(tag, set())}
        elif tag == "code":
            values.pop("class", None)  # the language; ours is read out, and coloured
        self._in_pre = self._in_pre or tag == "pre"
        self._parts.append((f"<{self._level(tag)}>", tuple(sorted(values.items()))))

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._unseen.pop()
            return
        self._in_pre = self._in_pre and tag != "pre"
        if tag not in VOID:
            self._parts.append((f"</{self._level(tag)}>", ()))

    def handle_data(self, data: str) -> None:
        if "a" not in self._unseen:
            self._words(data)

    def handle_comment(self, data: str) -> None:
        self._parts.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self._parts.append(("declaration", decl))

    def handle_pi(self, data: str) -> None:
        self._parts.append(("instruction", data))

    def _words(self, data: str) -> None:
        if self._parts and self._parts[-1][0] == "words":
            data = f"{self._parts.pop()[1]}{data}"
        self._parts.append(("words", data))

    def _is_ours_alone(self, tag: str, values: dict[str, str | None]) -> bool:
        highlighted = tag == "span" and self._in_pre and (values.get("class") or "").startswith("hl-")
        return highlighted or (tag == "a" and values.get("class") == "anchor")

    def _level(self, tag: str) -> str:
        if self._ours or not re.fullmatch("h[1-6]", tag):
            return tag
        return f"h{min(int(tag[1]) + 1, 6)}"

    def parts(self) -> list[tuple[str, object]]:
        """The parts, without the white space between blocks, which no browser shows."""
        kept: list[tuple[str, object]] = []
        in_pre = False
        for place, (kind, value) in enumerate(self._parts):
            in_pre = (in_pre or kind == "<pre>") and kind != "</pre>"
            if kind != "words" or in_pre:
                kept.append((kind, value))
            elif text := self._trimmed(str(value), place):
                kept.append((kind, text))
        return kept

    def _trimmed(self, text: str, place: int) -> str:
        before = self._parts[place - 1][0].strip("</>") if place else "p"
        after = self._parts[place + 1][0].strip("</>") if place + 1 < len(self._parts) else "p"
        text = text.lstrip() if before in BLOCKS else text
        return text.rstrip() if after in BLOCKS else text


def differs(example: Example) -> bool:
    """Whether a reader would get anything else from us than what the specification says."""
    return Shape(render(example.markdown).html, ours=True).parts() != Shape(example.html, ours=False).parts()


def listed() -> dict[int, str]:
    """The examples the document lists as different, with the reason's name."""
    rows = re.findall(r"^\| \*\*(.+?)\*\* .*\| ([\d, –]+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    found: dict[int, str] = {}
    for reason, numbers in rows:
        for part in numbers.split(","):
            first, _, last = part.strip().partition("–")
            for number in range(int(first), int(last or first) + 1):
                assert number not in found, f"example {number} is listed twice"
                found[number] = reason
    return found


@pytest.fixture
def examples() -> tuple[Example, ...]:
    """Every example of the specification."""
    found = commonmark.examples()
    if not found:
        pytest.skip("THE EXAMPLES OF COMMONMARK ARE NOT HERE: `python -m tests.commonmark` fetches them")
    return found


def test_these_are_the_specifications_own_examples(examples: tuple[Example, ...]) -> None:
    assert len(examples) == 652
    assert commonmark.digest_of(examples) == commonmark.DIGEST


def test_every_example_of_commonmark_comes_out_as_specified_except_those_the_document_gives_a_reason_for(
    examples: tuple[Example, ...],
) -> None:
    different = {example.number for example in examples if differs(example)}
    known = listed()
    assert sorted(different - set(known)) == [], "these differ, and docs/markdown.md gives no reason"
    assert sorted(set(known) - different) == [], "docs/markdown.md says that these differ; they do not any longer"


def test_each_reason_is_about_something_that_is_in_its_examples(examples: tuple[Example, ...]) -> None:
    assert listed().keys() <= {example.number for example in examples}
    assert set(listed().values()) == set(REASONS)
    astray = [example.number for example in examples if (reason := listed().get(example.number))
              and not REASONS[reason](example)]  # fmt: skip
    assert astray == []
