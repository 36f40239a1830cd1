"""Watching an item: who is told when others change it."""

from __future__ import annotations

from django.db import transaction

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.rules.labels import with_watcher
from tracker.reads.items import get_item
from tracker.reads.shapes import ItemView
from tracker.rules.authority import Act, require_act
from tracker.rules.limits import WATCHERS
from tracker.writes.items.holding import hold_item, require_seen
from tracker.writes.items.recording import record_item


def watch_item(*, actor: Actor, key: str, on: bool) -> ItemView:
    """The item, watched (or no longer) by the seat the actor writes as.

    Watching is reading, so reading is all it needs. A credential bound to no seat can be told nothing: its watch
    succeeds and changes nothing. Refuses `not_found`, `trashed`, and the 65th watcher (`too_long`).
    """
    with transaction.atomic():
        company = live.current_for_write()
        require_act(Act.READ, actor=actor)
        item = hold_item(key)
        require_seen(item, actor=actor, company=company)
        if item.trashed_at is not None:
            raise Refused(Code.TRASHED, "This item is in the trash. Restore it first.")
        if actor.seat is not None and (actor.seat in item.watchers) is not on:
            if on:
                item.watchers = with_watcher(item.watchers, actor.seat, at_most=WATCHERS)
            else:
                item.watchers = [watcher for watcher in item.watchers if watcher != actor.seat]
            item.save(update_fields=["watchers"])
            record_item(
                actor=actor,
                verb="watch_item" if on else "unwatch_item",
                item=item,
                version_before=item.version,
                changed=False,
            )
        return get_item(actor=actor, key=item.key)
