"""What other apps suggest in the palette while somebody types. Apps above this one register theirs when ready."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from company.rules.actors import Actor


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """Something to go to: its name, what it is, and its address on this site."""

    label: str
    note: str
    address: str
    icon: str


class Suggests(Protocol):
    """Answers what fits a text; quickly, because it is asked at each key."""

    def __call__(self, *, actor: Actor, text: str, limit: int) -> Sequence[Suggestion]: ...


_all: dict[str, Suggests] = {}


def register(name: str, suggests: Suggests) -> None:
    """Have `suggests` asked too."""
    _all[name] = suggests


def of(*, actor: Actor, text: str, limit: int) -> tuple[Suggestion, ...]:
    """Everything the apps suggest, at most `limit` of each."""
    return tuple(one for suggests in _all.values() for one in suggests(actor=actor, text=text, limit=limit))
