"""Comments on items, kept and written by the app of pages: an item is held while it is talked on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from company.rules.actors import Actor
from company.rules.chart import Company
from knowledge.reads.comments import CommentView
from knowledge.rules.news import What
from knowledge.writes.comments import comment_on
from knowledge.writes.talked import Said, Talked
from tracker.models import Item
from tracker.reads.items import get_item
from tracker.reads.refusals import not_found
from tracker.reads.subjects import KIND
from tracker.rules.authority import Act
from tracker.writes.items.holding import hold_item, require_on, require_writer
from tracker.writes.items.recording import record_item

_VERBS = {Said.SAID: "comment_item", Said.EDITED: "edit_comment", Said.REMOVED: "remove_comment"}


def comment_item(*, actor: Actor, key: str, body: str, reply_to: int | None = None) -> CommentView:
    """A new comment on an item, or a reply, as comments on pages are made; `edit_comment` and `remove_comment` of the
    pages change it.

    Tells whoever watches the item, the seat it is given to, and the seats that `@handle` names outside code. Refuses:
    `not_found`, `forbidden`, `trashed`, `required`, `too_long`, and `invalid` for a `reply_to` that is no comment of
    the item.
    """
    require_writer(actor)
    return comment_on(KIND, get_item(actor=actor, key=key).id, actor=actor, body=body, reply_to=reply_to)


class TalkableItems:
    """Items as comments are written on them."""

    kind = KIND

    def require_writer(self, actor: Actor) -> None:
        """Whoever may write no item comments on none."""
        require_writer(actor)

    def hold(self, subject_id: int, *, actor: Actor, company: Company) -> Talked:
        """The item, held."""
        key = Item.objects.filter(pk=subject_id).values_list("key", flat=True).first()
        if key is None:
            raise not_found()
        item = hold_item(key)
        require_on(item, Act.COMMENT, actor=actor, company=company)
        return _TalkedItem(item)


class _TalkedItem:
    """An item that is held and may be commented on."""

    def __init__(self, item: Item) -> None:
        self._item = item

    def record(self, said: Said, *, actor: Actor, detail: dict[str, Any], mentioned: Collection[str]) -> None:
        """As every write of an item is recorded."""
        is_new = said is Said.SAID
        record_item(
            actor=actor,
            verb=_VERBS[said],
            item=self._item,
            version_before=self._item.version,
            news="item.commented" if is_new else None,
            detail=detail,
            changed=False,
            what=(What.COMMENTED,) if is_new else (),
            mentioned=mentioned,
        )
