"""What happened to an item, newest first: made of the audit trail, as the activity of a page is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from company.models.records import AuditEntry
from company.rules.actors import Actor, ActorKind, Author
from company.rules.windows import Listing, Window, encode_cursor
from tracker.reads.items import get_item
from tracker.reads.refusals import foreign_cursor

CURSOR_WIDTH = 1


class Happened(StrEnum):
    """What was done to an item. Who watches it is nobody's business but the watcher's."""

    FILED = "filed"
    CHANGED = "changed"
    MOVED = "moved"
    RELATED = "related"
    UNRELATED = "unrelated"
    TRASHED = "trashed"
    RESTORED = "restored"
    COMMENTED = "commented"
    COMMENT_EDITED = "comment_edited"
    COMMENT_REMOVED = "comment_removed"


_VERBS = {
    "create_item": Happened.FILED,
    "import_item": Happened.FILED,
    "save_item": Happened.CHANGED,
    "move_item": Happened.MOVED,
    "relate_item": Happened.RELATED,
    "unrelate_item": Happened.UNRELATED,
    "trash_item": Happened.TRASHED,
    "restore_item": Happened.RESTORED,
    "comment_item": Happened.COMMENTED,
    "edit_comment": Happened.COMMENT_EDITED,
    "remove_comment": Happened.COMMENT_REMOVED,
}
_KEPT = ("changes", "was", "relation", "other", "page_id", "comment_id", "reply_to")


@dataclass(frozen=True, kw_only=True)
class Activity:
    """One thing that happened. `detail` holds what belongs to its kind: `changes` (a field's value before and after),
    `was` (the project it was moved out of), `relation` and `other` (a key) or `page_id`, `comment_id`."""

    id: int
    kind: Happened
    at: datetime
    author: Author
    version: int
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def list_activity(*, actor: Actor, key: str, window: Window) -> Listing[Activity]:
    """What happened to an item; `not_found` as for the item itself."""
    item = get_item(actor=actor, key=key)
    entries = AuditEntry.objects.filter(target_kind="item", target_id=str(item.id), verb__in=list(_VERBS))
    total = entries.count()
    if window.after is not None:
        last = window.after[0]
        if type(last) is not int:
            raise foreign_cursor()
        entries = entries.filter(pk__lt=last)
    rows = list(entries.order_by("-pk")[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].pk,))
    return Listing(results=tuple(_activity(row) for row in rows), total=total, after=cursor)


def _activity(row: AuditEntry) -> Activity:
    kept = row.detail
    detail = {name: kept[name] for name in _KEPT if kept.get(name) is not None}
    return Activity(
        id=row.pk,
        kind=_VERBS[row.verb],
        at=row.at,
        author=Author(name=row.actor_name, kind=ActorKind(row.actor_kind)),
        version=row.version_after or 0,
        message=kept.get("message") or "",
        detail=detail,
    )
