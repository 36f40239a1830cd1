"""What other apps add to a page's answer: a named value for the pages it concerns, nothing for the others.

Apps above this one register theirs when they are ready; this one knows none of them.
"""

from __future__ import annotations

from typing import Protocol


class PageExtra(Protocol):
    """Answers what to add to a page's answer, as JSON can hold it, or None for nothing."""

    def __call__(self, *, page_id: int, container: str) -> object | None: ...


_extras: dict[str, PageExtra] = {}


def register(name: str, extra: PageExtra) -> None:
    """Add `name` to the answer of every page that `extra` has something to say of."""
    _extras[name] = extra


def extras_of(*, page_id: int, container: str) -> dict[str, object]:
    """Everything that is added to one page's answer."""
    found = {name: extra(page_id=page_id, container=container) for name, extra in _extras.items()}
    return {name: value for name, value in found.items() if value is not None}
