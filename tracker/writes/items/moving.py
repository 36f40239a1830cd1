"""Filing an item elsewhere. Its key stays: it is what people and texts call it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from knowledge.rules.news import What
from tracker.reads.items import get_item
from tracker.reads.shapes import ItemView
from tracker.rules.authority import Act, require_act, require_project
from tracker.writes.items.holding import hold_item, require_on, require_writer
from tracker.writes.items.recording import record_item


def move_item(*, actor: Actor, key: str, project: str) -> ItemView:
    """The item in another project, under the key it always had; in the one where it stands already nothing changes.

    Refuses: `not_found`, `forbidden`, `trashed`, `unknown_project`.
    """
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        item = hold_item(key)
        require_on(item, Act.MOVE, actor=actor, company=company)
        require_act(Act.CREATE, actor=actor)
        if project != item.project:
            require_project(project, company=company)
            was, before = item.project, item.version
            item.project, item.version = project, before + 1
            item.changed_at = {**item.changed_at, "project": item.version}
            item.updated_at = timezone.now()
            item.save(update_fields=["project", "version", "changed_at", "updated_at"])
            record_item(
                actor=actor,
                verb="move_item",
                item=item,
                version_before=before,
                news="item.moved",
                detail={"was": was},
                was_project=was,
                what=(What.MOVED,),
            )
        return get_item(actor=actor, key=item.key)
