"""Short ways to file items in tests, through the writes themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from company.rules.actors import Actor, Permission
from tests.factories import admin, agent, human
from tracker.models import Item
from tracker.reads.shapes import ItemView
from tracker.rules.changes import Changes
from tracker.writes.items import create_item, save_item


def item(
    title: str = "Fix the booking form", *, by: Actor | None = None, project: str = "ENG", **more: Any
) -> ItemView:
    """An item in ENG by the engineer agent, unless said otherwise."""
    watchers = more.pop("watchers", ())
    return create_item(actor=by or agent(), project=project, fields=Changes(title=title, **more), watchers=watchers)


def save(key: str, *, by: Actor | None = None, base_version: int | None = None, **changes: Any) -> ItemView:
    """An item with something changed."""
    return save_item(actor=by or agent(), key=key, changes=Changes(**changes), base_version=base_version)


def row(key: str) -> Item:
    """The item's row, as it stands in the table."""
    return Item.objects.get(key=key)


def ada() -> Actor:
    """A person with both apps who holds a seat."""
    return human("ada-marsh", Permission.KNOWLEDGE, Permission.TRACKER)


def proven_admin() -> Actor:
    """An administrator who has just given their password."""
    return admin(proven_until=timezone.now() + timedelta(minutes=15))
