"""Levels of the tree as everybody reads them: which rows a level holds for an actor, their order, and what each says.

The listings of the doors and the windows of an outline are made of these. No body is read: what a row needs of one
stands in columns of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from company import live
from company.rules.actors import Actor, ActorKind, Author
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.rules.windows import SortValue, encode_cursor
from knowledge.models import Page, PageStatus
from knowledge.reads.shapes import Ancestor, PageRow
from knowledge.reads.trees import Link, ancestors_of
from knowledge.reads.visibility import with_status
from knowledge.rules.authority import Act, Ground, ground_of, may_see, require_act, standing_of
from knowledge.rules.titles import fold

CURSOR_WIDTH = 4
ORDER = ("container", "position", "address", "id")
COLUMNS = (
    "id", "container", "parent_id", "position", "title", "address", "status", "labels", "watchers", "version",
    "is_folder", "author_name", "author_kind", "created_at", "saved_by_name", "saved_by_kind", "saved_at",
    "updated_at", "trashed_at",
)  # fmt: skip
LISTED = (*COLUMNS, "excerpt")


def company_read_by(actor: Actor) -> Company:
    """The company in force, for an actor who may read pages at all."""
    company = live.current()
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    return company


def shown_to(*, actor: Actor, company: Company, label: str | None, title: str | None, status: PageStatus | None) -> Q:
    """What a listing shows wherever it looks: the filters that hold for a level and for the children it counts."""
    shown = with_status(status, actor=actor, company=company)
    if label is not None:
        shown &= Q(labels__contains=[askable(label, "label")])
    if title is not None:
        shown &= Q(address=fold(askable(title, "title")))
    return shown


def level_of(
    shown: Q, *, actor: Actor, company: Company, container: str | None, roots: bool, parent: int | None
) -> tuple[QuerySet[Page], tuple[Ancestor, ...] | None]:
    """The pages of the level asked for, and the trail they share; None where each has its own."""
    level = Page.objects.filter(shown)
    if container is not None:
        level = level.filter(container=askable(container, "container"))
    if roots:
        return level.filter(parent__isnull=True), ()
    if parent is not None:
        trail, home = _opened(parent, actor=actor, company=company)
        return level.filter(parent_id=parent, container=home), trail
    return level, None


def _opened(parent: int, *, actor: Actor, company: Company) -> tuple[tuple[Ancestor, ...], str]:
    """The trail of a parent's children, the parent last, and the container they live in."""
    row = (
        Page.objects.filter(pk=parent)
        .values("id", "container", "title", "status", "parent_id", "author_name", "author_kind")
        .first()
    )
    if row is None or not sees_row(row, actor=actor, company=company):
        raise not_found("parent")
    above = ancestors_of([parent])[parent] if row["parent_id"] is not None else ()
    trail = (*seen_of(above, actor=actor, company=company), Ancestor(id=row["id"], title=row["title"]))
    return trail, row["container"]


def children_of(shown: Q) -> Coalesce:
    """How many pages of the same listing lie right under a page."""
    under = Page.objects.filter(shown, parent_id=OuterRef("pk")).order_by().values("parent_id")
    return Coalesce(Subquery(under.annotate(number=Count("pk")).values("number")), Value(0))


def after_place(place: tuple[SortValue, ...] | None) -> Q:
    """The rows after a place in the order of a listing; every row without one."""
    if place is None:
        return Q()
    container, position, address, page_id = _place(place)
    in_place = Q(position__gt=position) | Q(position=position) & (
        Q(address__gt=address) | Q(address=address, id__gt=page_id)
    )
    return Q(container__gte=container) & (Q(container__gt=container) | in_place)


def before_place(place: tuple[SortValue, ...]) -> Q:
    """The rows before a place in the order of a listing."""
    container, position, address, page_id = _place(place)
    in_place = Q(position__lt=position) | Q(position=position) & (
        Q(address__lt=address) | Q(address=address, id__lt=page_id)
    )
    return Q(container__lte=container) & (Q(container__lt=container) | in_place)


def _place(place: tuple[SortValue, ...]) -> tuple[str, int, str, int]:
    container, position, address, page_id = place
    if not (
        isinstance(container, str)
        and isinstance(position, int)
        and isinstance(address, str)
        and isinstance(page_id, int)
    ):
        raise foreign_cursor()
    return container, position, address, page_id


def cursor_of(row: Mapping[str, Any]) -> str:
    """The cursor that names the place of a row."""
    return encode_cursor(tuple(row[name] for name in ORDER))


def rows_of(
    rows: Sequence[dict[str, Any]], *, trail: tuple[Ancestor, ...] | None, actor: Actor, company: Company
) -> tuple[PageRow, ...]:
    """What a listing answers for rows of `LISTED` columns. Without a `trail` that they share, each has its own, in one
    query."""
    trails: dict[int, tuple[Ancestor, ...]] = {}
    if trail is None:
        walked = ancestors_of([row["id"] for row in rows])
        trails = {page_id: seen_of(links, actor=actor, company=company) for page_id, links in walked.items()}
    return tuple(
        PageRow(
            **facts_of(row, ancestors=trails[row["id"]] if trail is None else trail, company=company),
            excerpt=row["excerpt"],
        )
        for row in rows
    )


def facts_of(row: dict[str, Any], *, ancestors: tuple[Ancestor, ...], company: Company) -> dict[str, Any]:
    """What a page and its row have in common, from the columns `COLUMNS` and the count `under`."""
    return {
        "id": row["id"],
        "container": row["container"],
        "title": row["title"],
        "address": f"{row['container']}/{row['address']}",
        "parent_id": row["parent_id"],
        "ancestors": ancestors,
        "status": PageStatus(row["status"]),
        "labels": tuple(row["labels"]),
        "watchers": tuple(row["watchers"]),
        "version": row["version"],
        "is_folder": row["is_folder"],
        "author": Author(name=row["author_name"], kind=ActorKind(row["author_kind"])),
        "created_at": row["created_at"],
        "saved_by": Author(name=row["saved_by_name"], kind=ActorKind(row["saved_by_kind"])),
        "saved_at": row["saved_at"],
        "updated_at": row["updated_at"],
        "trashed_at": row["trashed_at"],
        "children": row["under"],
        "url": f"{company.dashboard_base_url.rstrip('/')}/knowledge/pages/{row['id']}",
    }


def sees_row(row: Mapping[str, Any], *, actor: Actor, company: Company) -> bool:
    """Whether the page of a row with its container, status and author is there for an actor."""
    author = Author(name=row["author_name"], kind=ActorKind(row["author_kind"]))
    return _sees_page(row["container"], row["status"], author, actor=actor, company=company)


def seen_of(links: Iterable[Link], *, actor: Actor, company: Company) -> tuple[Ancestor, ...]:
    """The part of a trail that is there for an actor."""
    return tuple(
        Ancestor(id=link.id, title=link.title)
        for link in links
        if _sees_page(link.container, link.status, link.author, actor=actor, company=company)
    )


def _sees_page(container: str, status: str, author: Author, *, actor: Actor, company: Company) -> bool:
    return may_see(
        actor=actor,
        ground=ground_of(company, container),
        standing=standing_of(actor=actor, company=company, container=container, author=author),
        draft=status == PageStatus.DRAFT,
        trashed=status == PageStatus.TRASHED,
    )


def can_be_stored(text: str) -> bool:
    """Whether Postgres can be asked for a text at all: it knows neither NUL nor half a character."""
    return not any(character == "\x00" or "\ud800" <= character <= "\udfff" for character in text)


def askable(text: str, attr: str) -> str:
    """A text Postgres can be asked for; refuses any other (`invalid`)."""
    if not can_be_stored(text):
        raise Refused(Code.INVALID, f"'{attr}' holds a character no page can have.", attr=attr)
    return text


def not_found(attr: str | None = None) -> Refused:
    """No such page for this actor."""
    return Refused(
        Code.NOT_FOUND, "There is no such page, or it is not yours to see. Look for it by search.", attr=attr
    )


def foreign_cursor() -> Refused:
    """A cursor of another listing."""
    return Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
