"""What comments can be written on: pages, and what apps above this one register. Each is held while it is talked on."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Protocol

from company.rules.actors import Actor
from company.rules.chart import Company
from company.writes.idempotency import forget
from knowledge.models import Comment, Notification
from knowledge.reads.comments import about
from knowledge.writes.kept_answers import comment_keys


class Said(StrEnum):
    """What is done by a comment."""

    SAID = "said"
    EDITED = "edited"
    REMOVED = "removed"


class Talked(Protocol):
    """A thing that is held, and that the actor may comment on."""

    def record(self, said: Said, *, actor: Actor, detail: dict[str, Any], mentioned: Collection[str]) -> None:
        """Keep what was said, as every write of such a thing is kept, and tell whoever hears of it."""


class Talkable(Protocol):
    """One kind of things that comments are written on."""

    kind: str

    def require_writer(self, actor: Actor) -> None:
        """Refuse whoever may write nothing of this kind, before anything is looked up."""

    def hold(self, subject_id: int, *, actor: Actor, company: Company) -> Talked:
        """The thing, held; refuses whoever may not comment on it (`not_found`, `forbidden`, `trashed` and the like)."""


_kinds: dict[str, Talkable] = {}


def register(talkable: Talkable) -> None:
    """Let comments be written on a kind of things."""
    _kinds[talkable.kind] = talkable


def talkable_of(kind: str) -> Talkable:
    """The kind of that name; raises KeyError for one no app registered."""
    return _kinds[kind]


def forget_talk(kind: str, subject_id: int) -> None:
    """Drop what was said on a thing that is removed for good, and what seats were told of it; part of that write."""
    forget(*comment_keys(subject_id, kind=kind))
    Comment.objects.filter(**about(kind, subject_id)).delete()
    Notification.objects.filter(**about(kind, subject_id)).delete()
