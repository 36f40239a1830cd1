"""Changing an item: its words, where it stands, whose it is, and everything else it can be changed in."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.rules.edits import apply_edit
from knowledge.rules.markdown import added_mentions
from knowledge.rules.texts import clean_message
from tracker.models import Item
from tracker.reads.items import get_item
from tracker.reads.revisions import words_at
from tracker.reads.shapes import ItemView
from tracker.rules.authority import Act
from tracker.rules.changes import Changes, check_description, check_field_bases, clean_changes
from tracker.rules.news import news_of
from tracker.writes.items.holding import hold_item, hold_shape, parent_of, require_on, require_writer
from tracker.writes.items.recording import put_links, record_item, revision_of

_WORDS = frozenset({"title", "description"})


def save_item(
    *, actor: Actor, key: str, changes: Changes, base_version: int | None = None, message: str | None = None
) -> ItemView:
    """The item with whatever is asked for changed, in one step and one version.

    A whole `description` needs the `base_version` its writer began from; everything else does not, but a base that is
    given is checked: it is refused where something that is asked for was changed since. What is as it was already
    changes nothing. Refuses: `required`, `invalid`, `too_long`, `not_found`, `forbidden`, `trashed`, `stale_version`
    (with `current_version`), `parent_invalid`, `text_not_found`, `text_ambiguous`.
    """
    require_writer(actor)
    if not changes.asked:
        raise Refused(Code.REQUIRED, "Give what to change, such as status, assignee or description.", attr="status")
    if changes.description is not None and changes.edit is not None:
        raise Refused(Code.INVALID, "Give 'description' or 'edit', not both.", attr="edit")
    if changes.description is not None and base_version is None:
        raise Refused(Code.REQUIRED, "Say in 'base_version' which version your text began from.", attr="base_version")
    note = clean_message(message)
    with transaction.atomic():
        company = live.current_for_write()
        values = clean_changes(changes, handles=company.handles | _kept_assignee(key, changes.assignee))
        if changes.parent is not None:
            hold_shape()
        item = hold_item(key)
        require_on(item, Act.SAVE, actor=actor, company=company)
        if changes.edit is not None:
            check_description(changes.edit.text, attr="edit.text")
            values["description"] = check_description(apply_edit(item.description, changes.edit))
        if changes.parent is not None:
            parent = parent_of(changes.parent, item=item, actor=actor, company=company)
            values["parent_id"] = parent.pk if parent is not None else None
        differing = {name: value for name, value in values.items() if getattr(item, name) != value}
        if base_version is not None:
            text = {"description"} & values.keys()  # a text that was written on an old one is judged even if alike
            check_field_bases(
                base_version, version=item.version, changed_at=item.changed_at, asked=differing.keys() | text
            )
        if differing:
            change_held(actor=actor, item=item, values=differing, note=note, now=timezone.now())
        return get_item(actor=actor, key=item.key)


def restore_description(*, actor: Actor, key: str, version: int, base_version: int) -> ItemView:
    """The item with the description it had at `version`; a save, so it refuses as one. The title stays."""
    require_writer(actor)
    with transaction.atomic():
        past = words_at(actor=actor, key=key, version=version)
        return save_item(
            actor=actor,
            key=key,
            base_version=base_version,
            changes=Changes(description=past.description),
            message=f"Back to version {version}",
        )


def _kept_assignee(key: str, assignee: str | None) -> frozenset[str]:
    """An assignee whose seat is gone may stay where it stands already: whoever saves a form did not put it there."""
    if not assignee:
        return frozenset()
    return frozenset(Item.objects.filter(key=key, assignee=assignee).values_list("assignee", flat=True))


def change_held(*, actor: Actor, item: Item, values: dict[str, Any], note: str, now: datetime) -> None:
    """Write what differs into an item that is held, and record it as one thing that was done."""
    before = item.version
    was = {name: getattr(item, name) for name in values}
    item.version = before + 1
    for name, value in values.items():
        setattr(item, name, value)
    item.changed_at = {**item.changed_at, **dict.fromkeys(values, item.version)}
    item.saved_by_name, item.saved_by_kind = actor.author.name, actor.author.kind.value
    item.saved_at = item.updated_at = now
    if "status" in values:
        item.status_at = now
    if _WORDS & values.keys():
        item.words_version = item.version
    item.save()
    if "description" in values:
        put_links(item)
    if _WORDS & values.keys():
        revision_of(actor=actor, item=item, message=note, now=now).save(force_insert=True)
    record_item(
        actor=actor,
        verb="save_item",
        item=item,
        version_before=before,
        news="item.saved",
        detail={"changes": _told(was, values), "message": note},
        what=news_of(values),
        mentioned=added_mentions(was.get("description", ""), item.description, handles=live.current().handles)
        if "description" in values
        else (),
    )


def _told(was: dict[str, Any], now: dict[str, Any]) -> dict[str, list[Any]]:
    """What was changed from what to what, as JSON holds it; texts are left to the revisions, parents named by key."""
    told: dict[str, list[Any]] = {}
    for name, value in now.items():
        if name == "description":
            told[name] = []
        elif name == "parent_id":
            keys = dict(Item.objects.filter(pk__in=[was[name], value]).values_list("pk", "key"))
            told["parent"] = [keys.get(was[name], ""), keys.get(value, "")]
        else:
            told[name] = [_plain(was[name]), _plain(value)]
    return told


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, list) else (value if value is not None else "")
