"""How the commands of skills speak: results on standard output, progress and sums on standard error."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable

from knowledge.rules.controls import BIDI_CONTROLS

_BREAKS_A_LINE = f"\x7f-\x9f\u2028\u2029\ud800-\udfff{''.join(sorted(BIDI_CONTROLS))}"
_HIDDEN = re.compile(f"[\x00-\x1f{_BREAKS_A_LINE}]")
_HIDDEN_IN_JSON = re.compile(f"[{_BREAKS_A_LINE}]")
"""Beyond what JSON escapes itself; none of them stands outside of its texts."""

WIDTH = 24
"""Characters of a progress bar."""


def say(line: str) -> None:
    """One result on one line. Names of files and values of strangers stand in it, so a character that would end the
    line, turn it or command the terminal is written as its escape."""
    print(_HIDDEN.sub(_escaped, line))  # noqa: T201 (this is the command line)


def say_json(value: object) -> None:
    """A result as JSON, without a raw control character; a byte of a file's name that is no text stays recoverable."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    print(_HIDDEN_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))  # noqa: T201 (this is the command line)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def tell(line: str) -> None:
    """One line beside the results."""
    print(line, file=sys.stderr)  # noqa: T201 (this is the command line)


def counted(number: int, what: str) -> str:
    """A number and what it counts."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def sums(parts: Iterable[tuple[int, str]], *, nothing: str) -> str:
    """How much of each there was, on one line."""
    said = [f"{number} {what}" for number, what in parts if number]
    return f"{', '.join(said)}." if said else nothing


class Progress:
    """A bar that fills as work is done: drawn over itself on a terminal, and a line every hundred elsewhere."""

    def __init__(self, total: int, *, every: int = 100) -> None:
        self._total = total
        self._done = 0
        self._every = every
        self._drawn = sys.stderr.isatty()

    def step(self, what: str) -> None:
        """One more is done."""
        self._done += 1
        if self._drawn:
            filled = WIDTH * self._done // max(1, self._total)
            where = _HIDDEN.sub(_escaped, what)[-40:]
            bar = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {self._done}/{self._total} {where}"
            print(f"\r{bar}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 (this is the command line)
        elif self._done % self._every == 0:
            tell(f"[{self._done}/{self._total}]")

    def end(self) -> None:
        """Leave the line of the bar."""
        if self._drawn and self._done:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 (this is the command line)
