"""The `allowed-tools` field: which tools a skill says it needs. Advisory, and never widened. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Unbalanced:
    """A list of tools whose parentheses do not pair; `entry` is the entry in which that shows.

    Guessing where it should have closed could name other tools than the author did, so nobody guesses.
    """

    entry: str


def split_tools(text: str) -> tuple[str, ...] | Unbalanced:
    """The entries of a list written as text: divided by commas and white space outside parentheses.

    `Bash(git log:*), Read` holds two entries (contract §4, decision 2).
    """
    entries: list[str] = []
    current: list[str] = []
    depth = 0
    for character in text:
        if depth == 0 and (character == "," or character.isspace()):
            if current:
                entries.append("".join(current))
            current = []
            continue
        depth += (character == "(") - (character == ")")
        current.append(character)
        if depth < 0:
            return Unbalanced(entry="".join(current))
    if depth:
        return Unbalanced(entry="".join(current))
    if current:
        entries.append("".join(current))
    return tuple(entries)
