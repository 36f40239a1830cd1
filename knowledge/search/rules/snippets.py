"""Snippets: at most 200 characters of a document's plain text with what was asked for in them. Pure.

A snippet is cut between words where it can be, and says with an ellipsis on which side it was cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.rules.excerpts import plain_lines
from knowledge.search.rules.analysis import chunks_of, cut_chunk
from knowledge.search.rules.queries import QueryTokens
from knowledge.search.rules.stemming import stems_in_any_language

#: The longest snippet, in characters, its ellipses included.
MAX_CHARACTERS = 200

#: How many stretches that match are weighed against each other before the best of them is taken.
_WEIGHED = 20

_ELLIPSIS = "…"

#: How much text stands before the first match, so that it is read in its sentence.
_LEAD = 60

_WORD = re.compile(r"\w+")
_STRETCH = re.compile(r"\S+")


def snippet_of(body: str, tokens: QueryTokens) -> str:
    """The stretch of a markdown body that shows most of the question; the body's beginning where nothing matches."""
    wanted = _Wanted(tokens)
    best_count, best = 0, ""
    weighed = 0
    opening = ""
    for line in plain_lines(body):
        if len(opening) <= MAX_CHARACTERS:
            opening = f"{opening} {line}".lstrip()
        for count, stretch in wanted.stretches(line):
            weighed += 1
            if count > best_count:
                best_count, best = count, stretch
        if weighed >= _WEIGHED or best_count >= wanted.size:
            break
    return best if best_count else cut_around(opening, 0)


def cut_around(text: str, at: int) -> str:
    """At most 200 characters of one line, with the character at `at` in them."""
    if len(text) <= MAX_CHARACTERS:
        return text
    start = 0 if at <= _LEAD else at - _LEAD
    start = min(start, len(text) - MAX_CHARACTERS + 1)
    if start > 0:
        space = text.find(" ", start, at)
        start = space + 1 if space >= 0 else start
    room = MAX_CHARACTERS - (1 if start > 0 else 0)
    end = start + room
    if end < len(text):
        end -= 1
        space = text.rfind(" ", at + 1, end + 1)
        word_ends = at if space < 0 else space
        end = word_ends if word_ends > at else end
    before = _ELLIPSIS if start > 0 else ""
    after = _ELLIPSIS if end < len(text) else ""
    return before + text[start:end].rstrip() + after


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and whether it is something that was asked for."""

    text: str
    is_match: bool


def marked(text: str, tokens: QueryTokens) -> tuple[Piece, ...]:
    """A short text in pieces, the stretches that hold something asked for apart from the others. Nothing is lost."""
    wanted = _Wanted(tokens)
    pieces: list[Piece] = []
    at = 0
    for start, end in wanted.places(text):
        if start > at:
            pieces.append(Piece(text[at:start], is_match=False))
        pieces.append(Piece(text[start:end], is_match=True))
        at = end
    if at < len(text):
        pieces.append(Piece(text[at:], is_match=False))
    return tuple(pieces)


class _Wanted:
    """The tokens of a question, and where a line holds them."""

    def __init__(self, tokens: QueryTokens) -> None:
        self._exact = frozenset((*tokens.exact, *tokens.wholes))
        self._stems = frozenset(stem for stems in tokens.stems for stem in stems)
        # A stem keeps the first letters of its words, so most words of a text need no stemmer to be passed by.
        self._beginnings = tuple({stem[:3] for stem in self._stems})
        begun = {*self._beginnings, *(word[:3] for word in self._exact), *filter(None, [tokens.typed])}
        self._hint = re.compile("|".join(map(re.escape, sorted(begun))), re.IGNORECASE)
        self._typed = tokens.typed
        self._known: dict[str, frozenset[str]] = {}
        self.size = max(1, len(tokens.exact) + len(tokens.wholes))

    def stretches(self, line: str) -> Iterator[tuple[int, str]]:
        """How much each stretch of a line shows, and the stretch; one for each match that the one before leaves out."""
        if line.isascii() and not self._hint.search(line):
            return
        matches = [(match.start(), found) for match in _STRETCH.finditer(line) if (found := self._found(match.group()))]
        shown_to = -1
        for index, (at, found) in enumerate(matches):
            if at < shown_to:
                continue
            place = at + self._offset(line, at, found)
            stretch = cut_around(line, place)
            shown_to = place + MAX_CHARACTERS - _LEAD
            shown = set(found).union(*(others for other, others in matches[index:] if other < shown_to))
            yield len(shown), stretch

    def places(self, line: str) -> Iterator[tuple[int, int]]:
        """Where words that were asked for stand in a line, signs around them left out."""
        for match in _STRETCH.finditer(line):
            found = self._found(match.group())
            if not found:
                continue
            shown = [word for word in _WORD.finditer(match.group()) if self._found(word.group())]
            if shown:
                yield from ((match.start() + word.start(), match.start() + word.end()) for word in shown)
            else:  # a name of several words, found as a whole
                yield match.start(), match.end()

    def _found(self, stretch: str) -> frozenset[str]:
        """What of the question a stretch without white space holds."""
        if stretch not in self._known:
            found: set[str] = set()
            is_passed_by = stretch.isascii() and not self._hint.search(stretch)
            for chunk in () if is_passed_by else chunks_of(stretch):
                cut = cut_chunk(chunk)
                found.update(self._exact.intersection(cut.exact + cut.wholes))
                found.update(self._stems.intersection(cut.fixed))
                found.update(filter(self._is_wanted, cut.terms))
                if self._typed is not None:
                    found.update(word for word in cut.exact if word.startswith(self._typed))
            self._known[stretch] = frozenset(found)
        return self._known[stretch]

    def _is_wanted(self, term: str) -> bool:
        return term.startswith(self._beginnings) and not self._stems.isdisjoint(stems_in_any_language(term))

    @staticmethod
    def _offset(line: str, at: int, found: frozenset[str]) -> int:
        """How far into a stretch the match stands: a stretch of a script without spaces may be a whole paragraph."""
        lowered = line[at:].lower()
        places = [place for token in found if (place := lowered.find(token)) >= 0]
        return min(places, default=0) if len(line) - at > MAX_CHARACTERS else 0
