"""How the commands of skills speak: results on standard output, progress and sums on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable

WIDTH = 24
"""Characters of a progress bar."""


def say(line: str) -> None:
    """One result."""
    print(line.encode("utf-8", "replace").decode())  # noqa: T201 (this is the command line)


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
            bar = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {self._done}/{self._total} {what[-40:]}"
            print(f"\r{bar}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 (this is the command line)
        elif self._done % self._every == 0:
            tell(f"[{self._done}/{self._total}]")

    def end(self) -> None:
        """Leave the line of the bar."""
        if self._drawn and self._done:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 (this is the command line)
