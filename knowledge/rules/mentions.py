"""Mentions: `@handle` in a text, outside code, that names a seat of the company. Pure.

Owns what counts as one, on the tokens of the one markdown parse, so that whoever is told of a mention is exactly whom
the screen marks. Refuses nothing: a name no seat has is text, and so is an `@` inside a word, as in an address of mail.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

NOBODY: frozenset[str] = frozenset()
LONGEST_HANDLE = 150

_INSIDE_A_HANDLE = frozenset("_.-")
_GLUED_BEFORE = frozenset("_./@")


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A seat named in a text: `text[start:end]` is the `@` and the name as it was written."""

    start: int
    end: int
    handle: str


def find_mentions(text: str, *, handles: frozenset[str]) -> Iterator[Mention]:
    """The mentions in a run of plain text, in order. Upper and lower case name the same seat."""
    known = _folded(handles)
    start = text.find("@")
    while start >= 0 and known:
        end = start + 1
        while end < len(text) and end - start <= 2 * LONGEST_HANDLE and _is_of_a_handle(text[end]):
            end += 1
        name = text[start + 1 : end].rstrip("_.-")
        before = text[start - 1] if start else " "
        if not (_is_a_letter(before) or before in _GLUED_BEFORE):
            handle = known.get(_fold(name))
            if handle is not None:
                yield Mention(start=start, end=start + 1 + len(name), handle=handle)
        start = text.find("@", end)


def mark_mentions(state: StateCore) -> None:
    """A rule of the parser: cut the mentions of `env["handles"]` out of the text into tokens of their own.

    Text inside an address that became a link by itself stays as it is, and code is no text.
    """
    handles: frozenset[str] = state.env.get("handles", NOBODY)
    if not handles:
        return
    for block in state.tokens:
        if block.type != "inline" or not block.children or "@" not in block.content:
            continue
        found: list[Token] = []
        automatic = 0
        for token in block.children:
            if token.info == "auto":
                automatic += token.nesting
            if token.type == "text" and not automatic:
                found.extend(_cut(token, handles))
            else:
                found.append(token)
        block.children = found


def _cut(token: Token, handles: frozenset[str]) -> Iterator[Token]:
    text, done = token.content, 0
    for mention in find_mentions(text, handles=handles):
        if mention.start > done:
            yield _text(text[done : mention.start], level=token.level)
        yield Token(
            "mention", "", 0, content=text[mention.start : mention.end], level=token.level,
            meta={"handle": mention.handle},
        )  # fmt: skip
        done = mention.end
    if not done:
        yield token
    elif done < len(text):
        yield _text(text[done:], level=token.level)


def _text(content: str, *, level: int) -> Token:
    return Token("text", "", 0, content=content, level=level)


def _is_of_a_handle(character: str) -> bool:
    return _is_a_letter(character) or character in _INSIDE_A_HANDLE


def _is_a_letter(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


@functools.lru_cache(maxsize=8)
def _folded(handles: frozenset[str]) -> dict[str, str]:
    return {_fold(handle): handle for handle in handles}


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
