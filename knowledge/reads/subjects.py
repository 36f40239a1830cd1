"""What can be talked about and told of besides pages: things of apps above this one, which register their kind here.

This app keeps the comments on them and the notifications of them, and asks the app they belong to who may read one,
what it is called and where it is seen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from company.rules.actors import Actor


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A thing as a notification names it: `place` is where it lies (a project's key), `key` what it is called for
    good, `address` its screen on this site, where it can be opened."""

    title: str
    place: str
    key: str
    address: str
    trashed: bool = False


class Subjects(Protocol):
    """One kind of them."""

    kind: str

    def may_read(self, actor: Actor) -> bool:
        """Whether the actor reads things of this kind at all."""

    def require_readable(self, actor: Actor, subject_id: int) -> None:
        """Refuse whoever does not see one: `not_found`, or what holds them back from all of them."""

    def named(self, subject_ids: Collection[int]) -> Mapping[int, Subject]:
        """What these are called; one that is gone is left out. One query."""


_kinds: dict[str, Subjects] = {}


def register(subjects: Subjects) -> None:
    """Have a kind of things talked about and told of."""
    _kinds[subjects.kind] = subjects


def subjects_of(kind: str) -> Subjects:
    """The kind of that name; raises KeyError for one no app registered."""
    return _kinds[kind]


def kinds_read_by(actor: Actor) -> tuple[str, ...]:
    """The registered kinds the actor may read."""
    return tuple(kind for kind, subjects in _kinds.items() if subjects.may_read(actor))
