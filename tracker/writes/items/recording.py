"""What the writes of items leave behind, in one place, so that every verb leaves the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from company import live
from company.models.changes import ChangeKind
from company.rules.actors import Actor
from company.writes.ledger import Entry, Moved, News, Target, record_many
from knowledge.rules.markdown import page_links_in
from knowledge.rules.news import What
from knowledge.writes.notifications import tell_about
from tracker.models import Item, ItemLink, ItemRevision
from tracker.reads.subjects import KIND
from tracker.rules.news import audience

ROWS_A_STATEMENT = 1_000


def record_item(
    *,
    actor: Actor,
    verb: str,
    item: Item,
    version_before: int | None,
    news: str | None = None,
    detail: dict[str, Any] | None = None,
    changed: bool = True,
    was_project: str = "",
    what: Collection[What] = (),
    mentioned: Collection[str] = (),
) -> None:
    """Keep a write of one item: audit row, the stored event `news`, its row of the change log if it `changed`, and the
    notifications of those who hear of it as `what`, or are `mentioned`."""
    entry = entry_of(
        actor=actor,
        item=item,
        version_before=version_before,
        news=news,
        detail=detail or {},
        changed=changed,
        was_project=was_project,
    )
    record_many([entry], actor=actor, verb=verb)
    heard = audience(
        what,
        company=live.current(),
        by=actor.seat,
        project=item.project,
        watchers=item.watchers,
        assignee=item.assignee,
        mentioned=mentioned,
    )
    tell_about(KIND, item.pk, actor=actor, heard=heard)


def entry_of(
    *,
    actor: Actor,
    item: Item,
    version_before: int | None,
    news: str | None,
    detail: dict[str, Any],
    changed: bool = True,
    was_project: str = "",
) -> Entry:
    """What the ledger keeps of a write of one item."""
    payload = {
        "key": item.key,
        "project": item.project,
        "title": item.title,
        "status": item.status,
        "version": item.version,
        "by": actor.author.as_dict(),
        **detail,
    }
    return Entry(
        target=Target(kind=KIND, id=str(item.pk)),
        version_before=version_before,
        version_after=item.version,
        detail={"key": item.key, "project": item.project, "title": item.title, **detail},
        news=News(type=news, payload=payload, seat=actor.seat) if news is not None else None,
        moved=Moved(kind=ChangeKind.ITEM, object_id=item.pk, container=item.project, was_container=was_project)
        if changed
        else None,
    )


def revision_of(*, actor: Actor, item: Item, message: str, now: datetime) -> ItemRevision:
    """The item's words as they stand at its version, not saved yet."""
    return ItemRevision(
        item=item,
        version=item.version,
        title=item.title,
        description=item.description,
        message=message,
        author_name=actor.author.name,
        author_kind=actor.author.kind.value,
        operator_id=actor.credential,
        created_at=now,
    )


def put_links(item: Item) -> None:
    """Keep exactly the pages the item's description links to; part of the write that put the description there."""
    found = {(link.page_id, link.origin) for link in page_links_in(item.description)}
    kept = {(row.target, row.origin): row.pk for row in ItemLink.objects.filter(source_id=item.pk)}
    ItemLink.objects.filter(pk__in=[pk for link, pk in kept.items() if link not in found]).delete()
    ItemLink.objects.bulk_create(
        [ItemLink(source_id=item.pk, target=target, origin=origin) for target, origin in sorted(found - kept.keys())],
        batch_size=ROWS_A_STATEMENT,
    )


def put_links_of_new(items: Iterable[Item]) -> None:
    """Keep the links of items that were just created, many at once."""
    ItemLink.objects.bulk_create(
        [
            ItemLink(source_id=item.pk, target=link.page_id, origin=link.origin)
            for item in items
            for link in page_links_in(item.description)
        ],
        batch_size=ROWS_A_STATEMENT,
    )
