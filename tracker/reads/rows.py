"""Items as every reader gets them: the columns that are read, what is counted beside them, and who sees which."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from company import live
from company.rules.actors import Actor, ActorKind, Author
from company.rules.chart import Company
from tracker.models import Item, ItemRelation
from tracker.reads.shapes import ItemRef, ItemRow
from tracker.rules.authority import Act, require_act
from tracker.rules.vocabulary import OPEN, Priority, Relation, Status, Type

COLUMNS = (
    "id", "key", "project", "title", "type", "status", "priority", "priority_rank", "assignee", "labels", "watchers",
    "due", "version", "author_name", "author_kind", "created_at", "saved_by_name", "saved_by_kind", "saved_at",
    "status_at", "updated_at", "trashed_at", "trashed_by", "parent_id", "parent__key", "parent__title",
    "parent__status", "parent__trashed_at",
)  # fmt: skip


def company_read_by(actor: Actor) -> Company:
    """The company in force, for an actor who may read items at all."""
    company = live.current()
    require_act(Act.READ, actor=actor)
    return company


def living() -> Q:
    """What is not in the trash: every holder of the app sees it."""
    return Q(trashed_at__isnull=True)


def trash_of(actor: Actor, company: Company) -> Q:
    """The trashed items the actor may restore: the decision of `rules.authority.may_see` in SQL."""
    trashed = Q(trashed_at__isnull=False)
    if actor.is_admin:
        return trashed
    led = [project.key for project in company.projects if company.leads_project(actor.seat, project.key)]
    return trashed & (Q(author_name=actor.author.name, author_kind=actor.author.kind.value) | Q(project__in=led))


def counted() -> dict[str, Any]:
    """What is counted beside a row, within its query."""
    under = Item.objects.filter(living(), parent_id=OuterRef("pk")).order_by().values("parent_id")
    blockers = ItemRelation.objects.filter(
        target_id=OuterRef("pk"),
        relation=Relation.BLOCKS,
        source__status__in=OPEN,
        source__trashed_at__isnull=True,
    )
    return {
        "under": Coalesce(Subquery(under.annotate(number=Count("pk")).values("number")), Value(0)),
        "finished": Coalesce(
            Subquery(under.annotate(number=Count("pk", filter=~Q(status__in=OPEN))).values("number")), Value(0)
        ),
        "blocked": Exists(blockers),
    }


def read_rows(items: QuerySet[Item], *more: str) -> Any:
    """The rows of items as `facts_of` takes them, with further columns; a queryset of dictionaries."""
    return items.values(*COLUMNS, *more, **counted())


def facts_of(row: dict[str, Any], *, company: Company) -> dict[str, Any]:
    """What an item and its row in a listing have in common."""
    parent = None
    if row["parent_id"] is not None and row["parent__trashed_at"] is None:
        parent = ItemRef(
            id=row["parent_id"],
            key=row["parent__key"],
            title=row["parent__title"],
            status=Status(row["parent__status"]),
        )
    return {
        "id": row["id"],
        "key": row["key"],
        "project": row["project"],
        "title": row["title"],
        "type": Type(row["type"]),
        "status": Status(row["status"]),
        "priority": Priority(row["priority"]),
        "assignee": row["assignee"],
        "labels": tuple(row["labels"]),
        "watchers": tuple(row["watchers"]),
        "parent": parent,
        "due": row["due"],
        "version": row["version"],
        "author": Author(name=row["author_name"], kind=ActorKind(row["author_kind"])),
        "created_at": row["created_at"],
        "saved_by": Author(name=row["saved_by_name"], kind=ActorKind(row["saved_by_kind"])),
        "saved_at": row["saved_at"],
        "status_at": row["status_at"],
        "updated_at": row["updated_at"],
        "trashed_at": row["trashed_at"],
        "trashed_by": row["trashed_by"],
        "children": row["under"],
        "finished": row["finished"],
        "is_blocked": row["blocked"],
        "url": address_of(row["key"], company=company),
    }


def row_of(row: dict[str, Any], *, company: Company) -> ItemRow:
    """A row of a listing."""
    return ItemRow(**facts_of(row, company=company))


def address_of(key: str, *, company: Company) -> str:
    """The screen of an item."""
    return f"{company.dashboard_base_url.rstrip('/')}/tracker/items/{key}"
