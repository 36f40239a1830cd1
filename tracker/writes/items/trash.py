"""The trash: taking an item out of everybody's way, and bringing it back."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.rules.news import What
from tracker.reads.items import get_item
from tracker.reads.shapes import ItemView
from tracker.rules.authority import Act, require_act
from tracker.writes.items.holding import hold_item, require_on, require_seen, require_writer
from tracker.writes.items.recording import record_item


def trash_item(*, actor: Actor, key: str) -> ItemView:
    """The item in the trash. Items beneath it stay where they are: they are work of their own.

    Refuses: `not_found`, `forbidden`, `trashed`.
    """
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        item = hold_item(key)
        require_on(item, Act.TRASH, actor=actor, company=company)
        item.trashed_at = item.updated_at = timezone.now()
        item.trashed_by = actor.author.name
        item.save(update_fields=["trashed_at", "trashed_by", "updated_at"])
        record_item(
            actor=actor,
            verb="trash_item",
            item=item,
            version_before=item.version,
            news="item.trashed",
            what=(What.TRASHED,),
        )
        return get_item(actor=actor, key=item.key)


def restore_item(*, actor: Actor, key: str) -> ItemView:
    """The item out of the trash, as it was. Refuses: `not_found`, `forbidden`, `invalid` (409) for a living item."""
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        item = hold_item(key)
        standing = require_seen(item, actor=actor, company=company)
        require_act(Act.RESTORE, actor=actor, standing=standing)
        if item.trashed_at is None:
            raise Refused(Code.INVALID, "This item is not in the trash; there is nothing to restore.", status=409)
        item.trashed_at, item.trashed_by, item.updated_at = None, "", timezone.now()
        item.save(update_fields=["trashed_at", "trashed_by", "updated_at"])
        record_item(
            actor=actor,
            verb="restore_item",
            item=item,
            version_before=item.version,
            news="item.restored",
            what=(What.RESTORED,),
        )
        return get_item(actor=actor, key=item.key)
