"""Filing an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from knowledge.rules.labels import clean_watchers
from knowledge.rules.markdown import mentions_in
from knowledge.rules.news import What
from knowledge.rules.texts import clean_message
from tracker.models import Item
from tracker.reads.items import get_item
from tracker.reads.shapes import ItemView
from tracker.rules.authority import Act, require_act, require_project
from tracker.rules.changes import Changes, clean_changes
from tracker.rules.keys import key_of
from tracker.rules.limits import WATCHERS
from tracker.writes.items.holding import hold_shape, parent_of, require_writer
from tracker.writes.items.recording import put_links, record_item, revision_of
from tracker.writes.projects import next_numbers


def create_item(
    *,
    actor: Actor,
    project: str | None,
    fields: Changes,
    watchers: Sequence[str] = (),
    message: str | None = None,
) -> ItemView:
    """A new item at version 1 under the next key of its project, watched by the seat that filed it and by `watchers`.

    Without a `project` it goes to the one of the seat that files it, else of its unit. Refuses: `required` without a
    title or a project, `unknown_project`, `forbidden`, `parent_invalid`, `invalid`, `too_long`.
    """
    require_writer(actor)
    if fields.title is None:
        raise Refused(Code.REQUIRED, "Say in 'title' what is to be done.", attr="title")
    if fields.edit is not None:
        raise Refused(Code.INVALID, "A new item has nothing to edit. Give its 'description'.", attr="edit")
    note = clean_message(message)
    with transaction.atomic():
        company = live.current_for_write()
        home = project_for(actor=actor, company=company, project=project)
        values = clean_changes(fields, handles=company.handles)
        told = clean_watchers(
            [*([actor.seat] if actor.seat in company.seat_by_handle else []), *watchers],
            handles=company.seat_by_handle,
            at_most=WATCHERS,
        )
        parent = None
        if fields.parent:
            hold_shape()
            parent = parent_of(fields.parent, item=None, actor=actor, company=company)
        number = next_numbers(home, company=company)[0]
        now = timezone.now()
        item = new_row(actor=actor, key=key_of(home, number), project=home, values=values, watchers=told, now=now)
        item.parent = parent
        item.save(force_insert=True)
        put_links(item)
        revision_of(actor=actor, item=item, message=note, now=now).save(force_insert=True)
        record_item(
            actor=actor,
            verb="create_item",
            item=item,
            version_before=None,
            news="item.created",
            detail={"type": item.type, "assignee": item.assignee, "message": note},
            what=(What.FILED, What.ASSIGNED) if item.assignee else (What.FILED,),
            mentioned=mentions_in(item.description, handles=company.handles),
        )
        return get_item(actor=actor, key=item.key)


def project_for(*, actor: Actor, company: Company, project: str | None) -> str:
    """The project a new item goes to, which the actor may file in; refuses as `create_item` does."""
    home = project or company.project_of(actor.seat)
    if not home:
        raise Refused(Code.REQUIRED, "Say in 'project' where the item is filed, such as ENG.", attr="project")
    require_act(Act.CREATE, actor=actor)
    require_project(home, company=company)
    return home


def new_row(
    *, actor: Actor, key: str, project: str, values: Mapping[str, Any], watchers: list[str], now: datetime
) -> Item:
    """An item at version 1 as the table will hold it, not saved yet. Every item that is filed begins as this."""
    return Item(
        key=key,
        project=project,
        watchers=watchers,
        author_name=actor.author.name,
        author_kind=actor.author.kind.value,
        created_at=now,
        saved_by_name=actor.author.name,
        saved_by_kind=actor.author.kind.value,
        saved_at=now,
        status_at=now,
        updated_at=now,
        **values,
    )
