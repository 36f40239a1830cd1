"""What happened to a page, newest first, as the audit trail kept it in the transaction of each write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from company import live
from company.models.records import AuditEntry
from company.rules.actors import Actor, ActorKind, Author
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import Comment
from knowledge.reads.pages import require_readable
from knowledge.reads.visibility import may_save_in
from knowledge.rules.excerpts import excerpt_of

CURSOR_WIDTH = 1


class Happened(StrEnum):
    """What was done to a page. Who watches it is nobody's business but the watcher's."""

    CREATED = "created"
    SAVED = "saved"
    RENAMED = "renamed"
    PUBLISHED = "published"
    LABELLED = "labelled"
    MOVED = "moved"
    TRASHED = "trashed"
    RESTORED = "restored"
    COMMENTED = "commented"
    COMMENT_EDITED = "comment_edited"
    COMMENT_REMOVED = "comment_removed"
    PROPOSED = "proposed"
    APPROVED = "approved"
    SENT_BACK = "sent_back"
    WITHDRAWN = "withdrawn"


_VERBS = {
    "create_page": Happened.CREATED,
    "save_page": Happened.SAVED,
    "rename_page": Happened.RENAMED,
    "publish_page": Happened.PUBLISHED,
    "set_labels": Happened.LABELLED,
    "move_page": Happened.MOVED,
    "trash_page": Happened.TRASHED,
    "restore_page": Happened.RESTORED,
    "comment_page": Happened.COMMENTED,
    "edit_comment": Happened.COMMENT_EDITED,
    "remove_comment": Happened.COMMENT_REMOVED,
    "approve_page": Happened.APPROVED,
}
_OF_WRITERS = {
    "propose_page": Happened.PROPOSED,
    "send_back_page": Happened.SENT_BACK,
    "withdraw_page": Happened.WITHDRAWN,
}
"""What those who may save the page see besides: what waits for review is nothing to others."""
_KEPT = ("labels", "pages", "comment_id", "reply_to", "version")


@dataclass(frozen=True, kw_only=True)
class Activity:
    """One thing that happened: to the page as it was called then, at the version it had afterwards.

    `message` is the note its writer gave, or empty; `detail` holds what belongs to its kind: `was` (a former title),
    `labels`, `from` and `to` (containers of a move), `pages` (how many went along), `comment_id`, `reply_to` and
    `excerpt` (of a comment that is still there).
    """

    id: int
    kind: Happened
    at: datetime
    author: Author
    version: int
    title: str
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def list_activity(*, actor: Actor, page_id: int, window: Window) -> Listing[Activity]:
    """What happened to a page, newest first; `not_found` as for the page itself. At most four queries."""
    container = require_readable(actor, page_id)
    verbs = list(_VERBS)
    if may_save_in(container, actor=actor, company=live.current()):
        verbs += _OF_WRITERS
    entries = AuditEntry.objects.filter(target_kind="page", target_id=str(page_id), verb__in=verbs)
    total = entries.count()
    if window.after is not None:
        last = window.after[0]
        if type(last) is not int:
            raise Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
        entries = entries.filter(pk__lt=last)
    rows = list(entries.order_by("-pk")[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].pk,))
    said = _said([row.detail["comment_id"] for row in rows if "comment_id" in row.detail])
    return Listing(results=tuple(_activity(row, said) for row in rows), total=total, after=cursor)


def _said(comment_ids: list[int]) -> dict[int, str]:
    """The beginnings of comments that are still there."""
    if not comment_ids:
        return {}
    return {pk: excerpt_of(body) for pk, body in Comment.objects.filter(pk__in=comment_ids).values_list("pk", "body")}


def _activity(row: AuditEntry, said: Mapping[int, str]) -> Activity:
    kept = row.detail
    detail = {name: kept[name] for name in _KEPT if kept.get(name) is not None}
    was = kept.get("was")
    if isinstance(was, str):
        detail["was"] = was
    elif isinstance(was, dict) and was.get("container") != kept.get("container"):
        detail["from"], detail["to"] = was.get("container"), kept.get("container")
    if detail.get("comment_id") in said:
        detail["excerpt"] = said[detail["comment_id"]]
    return Activity(
        id=row.pk,
        kind=(_VERBS | _OF_WRITERS)[row.verb],
        at=row.at,
        author=Author(name=row.actor_name, kind=ActorKind(row.actor_kind)),
        version=row.version_after or 0,
        title=kept.get("title", ""),
        message=kept.get("message") or "",
        detail=detail,
    )
