"""Watching a page: who is told when others change it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.models import PageStatus
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageView
from knowledge.rules.authority import Act, Ground, require_act
from knowledge.rules.labels import with_watcher
from knowledge.writes.pages.holding import hold_page, require_seen
from knowledge.writes.pages.recording import record_page


def watch_page(*, actor: Actor, page_id: int, on: bool) -> PageView:
    """The page, watched (or no longer) by the seat the actor writes as.

    Watching is reading, so reading is all it needs. A credential bound to no seat can be told nothing: its watch
    succeeds and changes nothing. Refuses `not_found`, `trashed`, and the 257th watcher (`too_long`).
    """
    with transaction.atomic():
        company = live.current_for_write()
        require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
        page = hold_page(page_id)
        require_seen(page, actor=actor, company=company)
        if page.status == PageStatus.TRASHED:
            raise Refused(Code.TRASHED, "This page is in the trash. Restore it first.")
        if actor.seat is not None and (actor.seat in page.watchers) is not on:
            if on:
                page.watchers = with_watcher(page.watchers, actor.seat)
            else:
                page.watchers = [watcher for watcher in page.watchers if watcher != actor.seat]
            page.updated_at = timezone.now()
            page.save(update_fields=["watchers", "updated_at"])
            record_page(
                actor=actor,
                verb="watch_page" if on else "unwatch_page",
                page=page,
                version_before=page.version,
                changed=False,
            )
        return get_page(actor=actor, page_id=page_id)
