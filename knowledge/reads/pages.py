"""Reads of pages: one page, one address, one level of an outline, a history. Everything is narrowed by the actor.

What an actor may not see is `not_found` or simply absent, ancestors and counts included. The cost of a level does not
depend on the size of its space: at most three queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Left

from company import live
from company.rules.actors import Actor, ActorKind, Author
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import FormerAddress, Page, PageStatus, Revision
from knowledge.reads.shapes import Ancestor, Branch, MovedTo, PageRow, PageView, RevisionRow, RevisionView
from knowledge.reads.trees import Link, ancestors_of
from knowledge.reads.visibility import with_status
from knowledge.rules.authority import Act, Ground, ground_of, may_see, require_act, standing_of
from knowledge.rules.excerpts import excerpt_of
from knowledge.rules.titles import fold

CURSOR_WIDTH = 4
REVISIONS_CURSOR_WIDTH = 1
# characters of a body read for an excerpt of 600 bytes: room for markup, without fetching half a megabyte a row
_EXCERPT_SOURCE = 8_192

_COLUMNS = (
    "id", "container", "parent_id", "position", "title", "address", "status", "labels", "watchers", "version",
    "author_name", "author_kind", "created_at", "saved_by_name", "saved_by_kind", "saved_at", "updated_at",
    "trashed_at",
)  # fmt: skip


def get_page(*, actor: Actor, page_id: int) -> PageView:
    """The page with its body; `not_found` for one that is not there for this actor. Two queries."""
    company = _reader(actor)
    return _view(Page.objects.filter(pk=page_id), actor=actor, company=company)


def page_at(*, actor: Actor, container: str, title: str) -> PageView | MovedTo:
    """The living page at `container/title` (compared folded), or where the page that used to stand there went.

    `not_found` where nobody stands or stood there, and where whoever does is not the actor's to see.
    """
    company = _reader(actor)
    address = fold(title)
    if not (_can_be_stored(container) and _can_be_stored(address)):
        raise _not_found()
    living = Page.objects.filter(container=container, address=address).exclude(status=PageStatus.TRASHED)
    if living.exists():
        return _view(living, actor=actor, company=company)
    former = FormerAddress.objects.filter(container=container, address=address).values_list("page_id", flat=True)
    row = (
        Page.objects.filter(with_status(None, actor=actor, company=company), pk__in=former)
        .values_list("id", "container", "title")
        .first()
    )
    if row is None:
        raise _not_found()
    return MovedTo(page_id=row[0], container=row[1], title=row[2])


def list_pages(
    *,
    actor: Actor,
    window: Window,
    container: str | None = None,
    roots: bool = False,
    parent: int | None = None,
    label: str | None = None,
    title: str | None = None,
    status: PageStatus | None = None,
) -> Listing[PageRow]:
    """One window of the pages that pass every filter given, ordered by container, position and title, id.

    `roots` takes the tops of the spaces, `parent` one page's children (`not_found` where the actor does not see the
    parent), neither of them every page. `title` compares folded. Without `status`, living pages. At most three queries.
    """
    company = _reader(actor)
    if roots and parent is not None:
        raise Refused(Code.INVALID, "Give 'roots' or 'parent', not both.", attr="roots")
    shown = _shown(actor=actor, company=company, label=label, title=title, status=status)
    level, trail = _level(shown, actor=actor, company=company, container=container, roots=roots, parent=parent)
    total = level.count()
    rows = list(
        level.filter(_after(window.after))
        .order_by("container", "position", "address", "id")
        .values(*_COLUMNS, is_folder=Q(body=""), head=Left("body", _EXCERPT_SOURCE), under=_children(shown))[
            : window.limit + 1
        ]
    )
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        last = rows[-1]
        cursor = encode_cursor((last["container"], last["position"], last["address"], last["id"]))
    trails: dict[int, tuple[Ancestor, ...]] = {}
    if trail is None:
        walked = ancestors_of([row["id"] for row in rows])
        trails = {page_id: _seen(links, actor=actor, company=company) for page_id, links in walked.items()}
    results = tuple(
        PageRow(
            **_facts(row, ancestors=trails[row["id"]] if trail is None else trail, company=company),
            excerpt=excerpt_of(row["head"]),
        )
        for row in rows
    )
    return Listing(results=results, total=total, after=cursor)


def list_revisions(*, actor: Actor, page_id: int, window: Window) -> Listing[RevisionRow]:
    """The history of a page, newest first, without bodies; `not_found` as for the page itself."""
    require_readable(actor, page_id)
    history = Revision.objects.filter(page_id=page_id)
    total = history.count()
    if window.after is not None:
        version = window.after[0]
        if type(version) is not int:
            raise _foreign_cursor()
        history = history.filter(version__lt=version)
    rows = list(history.order_by("-version").defer("body")[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].version,))
    return Listing(results=tuple(RevisionRow(**_revision(row)) for row in rows), total=total, after=cursor)


def get_revision(*, actor: Actor, page_id: int, version: int) -> RevisionView:
    """One revision with its body; `not_found` where the page or the version is not there for this actor."""
    require_readable(actor, page_id)
    row = Revision.objects.filter(page_id=page_id, version=version).first()
    if row is None:
        raise Refused(Code.NOT_FOUND, f"This page has no version {version}. List its revisions to see which it has.")
    return RevisionView(**_revision(row), body=row.body)


def open_branch(*, actor: Actor, page_id: int) -> Branch:
    """The way down to a page, so that a deep link opens the right branch of an outline; `not_found` as above."""
    page = get_page(actor=actor, page_id=page_id)
    return Branch(container=page.container, ids=(*(above.id for above in page.ancestors), page.id))


def _reader(actor: Actor) -> Company:
    company = live.current()
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    return company


def require_readable(actor: Actor, page_id: int) -> None:
    """Refuse whoever does not see a page: `not_found`, or what holds them back from every page. One query."""
    company = _reader(actor)
    row = Page.objects.filter(pk=page_id).values("container", "status", "author_name", "author_kind").first()
    if row is None or not _sees(row, actor=actor, company=company):
        raise _not_found()


def _view(pages: QuerySet[Page], *, actor: Actor, company: Company) -> PageView:
    shown = with_status(None, actor=actor, company=company)
    row = pages.values(*_COLUMNS, "body", is_folder=Q(body=""), under=_children(shown)).first()
    if row is None or not _sees(row, actor=actor, company=company):
        raise _not_found()
    links = ancestors_of([row["id"]])[row["id"]] if row["parent_id"] is not None else ()
    trail = _seen(links, actor=actor, company=company)
    return PageView(**_facts(row, ancestors=trail, company=company), body=row["body"])


def _shown(*, actor: Actor, company: Company, label: str | None, title: str | None, status: PageStatus | None) -> Q:
    """What a listing shows wherever it looks: the filters that hold for a level and for the children it counts."""
    shown = with_status(status, actor=actor, company=company)
    if label is not None:
        shown &= Q(labels__contains=[_askable(label, "label")])
    if title is not None:
        shown &= Q(address=fold(_askable(title, "title")))
    return shown


def _level(
    shown: Q, *, actor: Actor, company: Company, container: str | None, roots: bool, parent: int | None
) -> tuple[QuerySet[Page], tuple[Ancestor, ...] | None]:
    """The pages of the level asked for, and the trail they share; None where each has its own."""
    level = Page.objects.filter(shown)
    if container is not None:
        level = level.filter(container=_askable(container, "container"))
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
    if row is None or not _sees(row, actor=actor, company=company):
        raise _not_found("parent")
    above = ancestors_of([parent])[parent] if row["parent_id"] is not None else ()
    trail = (*_seen(above, actor=actor, company=company), Ancestor(id=row["id"], title=row["title"]))
    return trail, row["container"]


def _children(shown: Q) -> Coalesce:
    """How many pages of the same listing lie right under a page."""
    under = Page.objects.filter(shown, parent_id=OuterRef("pk")).order_by().values("parent_id")
    return Coalesce(Subquery(under.annotate(number=Count("pk")).values("number")), Value(0))


def _after(cursor: tuple[Any, ...] | None) -> Q:
    """The rows after a cursor, in the order of a listing."""
    if cursor is None:
        return Q()
    container, position, address, page_id = cursor
    if not (type(container) is str and type(position) is int and type(address) is str and type(page_id) is int):
        raise _foreign_cursor()
    in_place = Q(position__gt=position) | Q(position=position) & (
        Q(address__gt=address) | Q(address=address, id__gt=page_id)
    )
    return Q(container__gte=container) & (Q(container__gt=container) | in_place)


def _facts(row: dict[str, Any], *, ancestors: tuple[Ancestor, ...], company: Company) -> dict[str, Any]:
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


def _revision(row: Revision) -> dict[str, Any]:
    return {
        "version": row.version,
        "title": row.title,
        "message": row.message,
        "author": Author(name=row.author_name, kind=ActorKind(row.author_kind)),
        "created_at": row.created_at,
    }


def _sees(row: Mapping[str, Any], *, actor: Actor, company: Company) -> bool:
    author = Author(name=row["author_name"], kind=ActorKind(row["author_kind"]))
    return _sees_page(row["container"], row["status"], author, actor=actor, company=company)


def _seen(links: Iterable[Link], *, actor: Actor, company: Company) -> tuple[Ancestor, ...]:
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


def _can_be_stored(text: str) -> bool:
    """Whether Postgres can be asked for a text at all: it knows neither NUL nor half a character."""
    return not any(character == "\x00" or "\ud800" <= character <= "\udfff" for character in text)


def _askable(text: str, attr: str) -> str:
    if not _can_be_stored(text):
        raise Refused(Code.INVALID, f"'{attr}' holds a character no page can have.", attr=attr)
    return text


def _not_found(attr: str | None = None) -> Refused:
    return Refused(
        Code.NOT_FOUND, "There is no such page, or it is not yours to see. Look for it by search.", attr=attr
    )


def _foreign_cursor() -> Refused:
    return Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
