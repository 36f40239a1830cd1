"""Reads of the audit trail and of the stored events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from company.models.records import AuditEntry, Event
from company.rules.actors import Actor, ActorKind, Author, Scope
from company.rules.permissions import require_admin, require_scope
from company.rules.windows import Listing, Window, encode_cursor

WINDOW_WIDTH = 1


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """Something that happened."""

    id: int
    type: str
    at: datetime
    payload: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class AuditRow:
    """One write, as it is kept."""

    id: int
    at: datetime
    actor: Author
    operator_id: str
    door: str
    verb: str
    target_kind: str
    target_id: str
    version_before: int | None
    version_after: int | None
    detail: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class AuditFilter:
    """Which entries: of an actor (the name, or the credential), a verb, a target (`kind` or `kind:id`), a time."""

    actor: str | None = None
    verb: str | None = None
    target: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def list_events(*, actor: Actor, window: Window, type_: str | None = None) -> Listing[EventRow]:
    """Stored events, oldest first: an administrator sees all, a seat its own, anybody else none (`scope_missing`)."""
    require_scope(actor, Scope.READ)
    found = Event.objects.order_by("id")
    if not actor.is_admin:
        found = found.filter(seat=actor.seat) if actor.seat is not None else found.none()
    if type_ is not None:
        found = found.filter(type=type_)
    total = found.count()
    if window.after is not None:
        found = found.filter(id__gt=window.after[0])
    rows = list(found[: window.limit + 1])
    after = encode_cursor((rows[window.limit - 1].pk,)) if len(rows) > window.limit else None
    return Listing(results=tuple(_event(row) for row in rows[: window.limit]), total=total, after=after)


def list_audit(*, actor: Actor, window: Window, which: AuditFilter) -> Listing[AuditRow]:
    """The audit trail, newest first, for administrators with the scope `admin` (`forbidden`, `scope_missing`)."""
    found = _audit(actor, which)
    total = found.count()
    if window.after is not None:
        found = found.filter(id__lt=window.after[0])
    rows = list(found[: window.limit + 1])
    after = encode_cursor((rows[window.limit - 1].pk,)) if len(rows) > window.limit else None
    return Listing(results=tuple(_entry(row) for row in rows[: window.limit]), total=total, after=after)


def export_audit(*, actor: Actor, which: AuditFilter) -> Iterator[AuditRow]:
    """Every entry that passes the filter, newest first, read in portions; refused at once as `list_audit` is."""
    found = _audit(actor, which)
    return (_entry(row) for row in found.iterator(chunk_size=500))


def _audit(actor: Actor, which: AuditFilter) -> QuerySet[AuditEntry]:
    require_admin(actor, Scope.ADMIN)
    found = AuditEntry.objects.order_by("-id")
    if which.actor is not None:
        found = found.filter(actor_name=which.actor) | found.filter(operator_id=which.actor)
    if which.verb is not None:
        found = found.filter(verb=which.verb)
    if which.target is not None:
        kind, _, id_ = which.target.partition(":")
        found = found.filter(target_kind=kind)
        if id_:
            found = found.filter(target_id=id_)
    if which.since is not None:
        found = found.filter(at__gte=which.since)
    if which.until is not None:
        found = found.filter(at__lt=which.until)
    return found


def _event(row: Event) -> EventRow:
    return EventRow(id=row.pk, type=row.type, at=row.at, payload=row.payload)


def _entry(row: AuditEntry) -> AuditRow:
    return AuditRow(
        id=row.pk,
        at=row.at,
        actor=Author(name=row.actor_name, kind=ActorKind(row.actor_kind)),
        operator_id=row.operator_id,
        door=row.door,
        verb=row.verb,
        target_kind=row.target_kind,
        target_id=row.target_id,
        version_before=row.version_before,
        version_after=row.version_after,
        detail=row.detail,
    )
