"""What every write leaves behind in its own transaction: an audit row, a stored event, a row of the change log.

`record` is the last call of a write function. The nudge that wakes other processes goes out when the transaction
has committed, never before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from company.models.changes import Change, ChangeKind
from company.models.records import AuditEntry, Event
from company.rules.actors import Actor


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a write was done to, such as `Target(kind="page", id="12")`."""

    kind: str
    id: str


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A row for the change log: what has to be read again, and where it is and was."""

    kind: ChangeKind
    object_id: int
    container: str = ""
    was_container: str = ""


@dataclass(frozen=True, kw_only=True)
class News:
    """A stored event. `seat` is whose it is, where it belongs to one seat."""

    type: str
    payload: Mapping[str, Any]
    seat: str | None = None


def record(
    *,
    actor: Actor,
    verb: str,
    target: Target,
    version_before: int | None = None,
    version_after: int | None = None,
    detail: Mapping[str, Any] | None = None,
    news: News | None = None,
    moved: Moved | None = None,
) -> None:
    """Keep what was just written. Must run inside the write's transaction; raises RuntimeError outside of one."""
    record_many(
        [Entry(target=target, version_before=version_before, version_after=version_after, detail=detail or {},
               news=news, moved=moved)],
        actor=actor, verb=verb,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One of many writes of one verb, as `record` takes it."""

    target: Target
    version_before: int | None = None
    version_after: int | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    news: News | None = None
    moved: Moved | None = None


def record_many(entries: Sequence[Entry], *, actor: Actor, verb: str) -> None:
    """Keep what was just written to many things at once, each as `record` keeps one; three statements in all."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("a write is recorded inside its own transaction")
    AuditEntry.objects.bulk_create(
        AuditEntry(
            actor_name=actor.author.name,
            actor_kind=actor.author.kind.value,
            operator_id=actor.credential,
            door=actor.door.value,
            verb=verb,
            target_kind=entry.target.kind,
            target_id=entry.target.id,
            version_before=entry.version_before,
            version_after=entry.version_after,
            detail=dict(entry.detail),
        )
        for entry in entries
    )
    told = [entry.news for entry in entries if entry.news is not None]
    if told:
        Event.objects.bulk_create(Event(type=news.type, payload=dict(news.payload), seat=news.seat) for news in told)
    moved = [entry.moved for entry in entries if entry.moved is not None]
    if moved:
        append_changes(moved)


def publish(news: News) -> None:
    """Store one event."""
    Event.objects.create(type=news.type, payload=dict(news.payload), seat=news.seat)


def append_change(moved: Moved) -> None:
    """Append to the change log and, after commit, wake whoever follows it."""
    append_changes([moved])


def append_changes(many: Iterable[Moved]) -> None:
    """Append several rows to the change log at once, such as those of a subtree, and wake its followers once."""
    from company.nudges import nudge

    Change.objects.bulk_create(
        Change(kind=moved.kind, object_id=moved.object_id, container=moved.container, was_container=moved.was_container)
        for moved in many
    )
    transaction.on_commit(nudge)
