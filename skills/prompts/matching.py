"""Which prompt skills a message triggers: thousands of triggers in one pass over the message. Pure.

Case does not count, and any white space is one blank. Where a trigger begins or ends in a letter or digit of a script
that divides its words by blanks, that end has to be the end of a word in the message: `git` is not in "digit".
Elsewhere the trigger is literal: `/linear`, `C++`, and every trigger in Chinese, Japanese, Korean or Thai.

How: both ends of every such word, in triggers and messages alike, get a mark that no text can hold, and one
Aho-Corasick automaton over all triggers reads the marked message. A word boundary is then one more character to match,
so a trigger never matches inside a word, and no trigger is a pattern that a message could blow up (the only regular
expressions are the fixed classes of characters that find the words).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence

import ahocorasick

_MARK = "\x00"
"""Stands at both ends of a word. NUL is refused in every text; in a message it is taken for a blank."""

_UNSPACED = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul letters: Korean joins its particles to the word
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19FF),  # Tai Le, New Tai Lue, Khmer symbols
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x1B00, 0x1B7F),  # Balinese
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x30FF),  # Han iteration marks, Hiragana, Katakana
    (0x3100, 0x4DBF),  # Bopomofo, Hangul, Katakana extensions, Han
    (0x4E00, 0x9FFF),  # Han
    (0xA000, 0xA4CF),  # Yi
    (0xA960, 0xA9FF),  # Hangul, Javanese, Myanmar
    (0xAA60, 0xAADF),  # Myanmar, Tai Viet
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFFDC),  # half-width Katakana and Hangul
    (0x16FE0, 0x1B2FF),  # Tangut, Khitan, Nushu, Kana
    (0x20000, 0x3FFFF),  # Han
)
"""Scripts that do not divide their words by blanks."""

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_LAST_SPACED = 0x1FFFF
"""No letter of a spaced script has been assigned beyond this plane."""


class Matcher:
    """All triggers of a set of skills, ready to read messages. Immutable; safe to share between threads."""

    def __init__(self, skills: Iterable[tuple[str, Sequence[str]]]) -> None:
        """`skills` are names with their triggers. A trigger without a visible character is passed over."""
        names_of: dict[str, set[str]] = {}
        for name, triggers in skills:
            for trigger in triggers:
                key = _prepared(trigger)
                if key:
                    names_of.setdefault(key, set()).add(name)
        self._names = tuple(tuple(names) for names in names_of.values())
        self._automaton = ahocorasick.Automaton() if names_of else None
        if self._automaton is not None:
            for position, key in enumerate(names_of):
                self._automaton.add_word(key, position)
            self._automaton.make_automaton()

    def match(self, text: str) -> tuple[str, ...]:
        """The names of the skills a message triggers, in code-point order."""
        if self._automaton is None:
            return ()
        triggers = {position for _, position in self._automaton.iter(_prepared(text))}
        return tuple(sorted({name for position in triggers for name in self._names[position]}))


def _prepared(text: str) -> str:
    """A text as it is compared: one case, one kind of blank, and a mark at both ends of each word."""
    folded = text.replace(_MARK, " ")
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded)
    folded = folded.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", folded)
    collapsed = " ".join(folded.split())
    if not folded.isascii() and any(map(_is_word, _ASTRAL.findall(collapsed))):
        return _marked_in_all_planes(collapsed)
    return _marked(collapsed)


def _marked(text: str) -> str:
    """The marks in a text whose words all lie in the first plane, where what is no word is a single blank as a rule.

    Only the other gaps are looked for, by one table look-up a character; the blanks are replaced in one pass. A blank
    before such a gap has then got a mark too many on its far side.
    """
    pieces = _gaps().split(text)
    pieces[::2] = [words.replace(" ", f"{_MARK} {_MARK}") for words in pieces[::2]]
    # Joining marks what has a neighbour: a word at an end is given an empty one, and a gap there loses the one it has.
    if pieces[0]:
        pieces.insert(0, "")
    else:
        del pieces[0]
    if pieces and pieces[-1]:
        pieces.append("")
    else:
        del pieces[-1:]
    return _MARK.join(pieces).replace(f"{_MARK} {_MARK}{_MARK}", f"{_MARK} ")


def _marked_in_all_planes(text: str) -> str:
    """The same for any text. Splitting at a group keeps the words: joining sets a mark at both ends of each."""
    return _MARK.join(_words_of_all_planes().split(text))


@functools.cache
def _gaps() -> re.Pattern[str]:
    """What stands between two words of the first plane and is more than one blank, without a blank before it."""
    words = _character_class(0, 0xFFFF)
    return re.compile(f"([^{words} ][^{words}]*)")


@functools.cache
def _words_of_all_planes() -> re.Pattern[str]:
    """Words in any text. Beyond U+FFFF a class is a list to walk through, so it is only walked for such characters."""
    first, others = _character_class(0, 0xFFFF), _character_class(0x10000, _LAST_SPACED)
    return re.compile(f"((?:[{first}]++|(?=[\U00010000-\U0010ffff])[{others}])++)")


def _is_word(character: str) -> bool:
    """Whether a character is part of words: a letter, a digit or a combining mark in a script that has blanks."""
    if not (character.isalnum() or unicodedata.category(character)[0] == "M"):
        return False
    return not any(first <= ord(character) <= last for first, last in _UNSPACED)


def _character_class(begin: int, end: int) -> str:
    """Letters, digits and their combining marks in spaced scripts, as ranges of a character class.

    Written out from Unicode's categories because `\\w` leaves combining marks out, and would end a Hindi
    word at its vowel.
    """
    ranges: list[list[int]] = []
    for point in range(begin, end + 1):
        if not _is_word(chr(point)):
            continue
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)
