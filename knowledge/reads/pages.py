"""Reads of pages: one page, one address, one level of an outline, a history. Everything is narrowed by the actor.

What an actor may not see is `not_found` or simply absent, ancestors and counts included. The cost of a level does not
depend on the size of its space: at most three queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F, Max, Min, Q, QuerySet

from company import live
from company.rules.actors import Actor, ActorKind, Author
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import FormerAddress, Page, PageStatus, Revision, RevisionState
from knowledge.reads.levels import (
    LISTED,
    ORDER,
    after_place,
    can_be_stored,
    children_of,
    company_read_by,
    cursor_of,
    facts_of,
    foreign_cursor,
    level_of,
    not_found,
    rows_of,
    seen_of,
    sees_row,
    shown_to,
)
from knowledge.reads.one_page import Beside, row_of
from knowledge.reads.shapes import Branch, Decision, MovedTo, PageRow, PageView, RevisionRow, RevisionView
from knowledge.reads.trees import ancestors_of
from knowledge.reads.visibility import may_save_in, with_status
from knowledge.rules.titles import fold

REVISIONS_CURSOR_WIDTH = 1


def get_page(*, actor: Actor, page_id: int) -> PageView:
    """The page with its body; `not_found` for one that is not there for this actor.

    One query; one more for what lies under it, and one for what it lies under.
    """
    return read_page(actor=actor, page_id=page_id)[0]


def read_page(*, actor: Actor, page_id: int) -> tuple[PageView, Beside]:
    """`get_page`, with what stands beside the page."""
    company = company_read_by(actor)
    found = row_of(page_id)
    if found is None or not sees_row(found[0], actor=actor, company=company):
        raise not_found()
    row, beside = found
    under = 0
    if beside.children:
        under = Page.objects.filter(with_status(None, actor=actor, company=company), parent_id=page_id).count()
    links = ancestors_of([page_id])[page_id] if row["parent_id"] is not None else ()
    trail = seen_of(links, actor=actor, company=company)
    facts = facts_of(row | {"under": under}, ancestors=trail, company=company)
    waiting = row["held_version"]
    if waiting is not None and not may_save_in(row["container"], actor=actor, company=company):
        waiting = None
    return PageView(**facts, body=row["body"], pending_version=waiting), beside


def page_to_edit(*, actor: Actor, page_id: int) -> PageView:
    """The page as the next save of it begins: a later version that waits for review in place of what the page says, for
    those who may save it; its writer and moment are `saved_by` and `saved_at` then. At most three queries."""
    page = get_page(actor=actor, page_id=page_id)
    if page.pending_version is None or page.waits:
        return page
    held = Revision.objects.filter(page_id=page_id, version=page.pending_version).first()
    if held is None:  # decided since
        return get_page(actor=actor, page_id=page_id)
    writer = Author(name=held.author_name, kind=ActorKind(held.author_kind))
    return replace(
        page, version=held.version, body=held.body, status=PageStatus.DRAFT, saved_by=writer, saved_at=held.created_at
    )


def page_at(*, actor: Actor, container: str, title: str) -> PageView | MovedTo:
    """The living page at `container/title` (compared folded), or where the page that used to stand there went.

    `not_found` where nobody stands or stood there, and where whoever does is not the actor's to see.
    """
    company = company_read_by(actor)
    address = fold(title)
    if not (can_be_stored(container) and can_be_stored(address)):
        raise not_found()
    living = Page.objects.filter(container=container, address=address).exclude(status=PageStatus.TRASHED)
    standing = living.values_list("id", flat=True).first()
    if standing is not None:
        return get_page(actor=actor, page_id=standing)
    former = FormerAddress.objects.filter(container=container, address=address).values_list("page_id", flat=True)
    row = (
        Page.objects.filter(with_status(None, actor=actor, company=company), pk__in=former)
        .values_list("id", "container", "title")
        .first()
    )
    if row is None:
        raise not_found()
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
    company = company_read_by(actor)
    if roots and parent is not None:
        raise Refused(Code.INVALID, "Give 'roots' or 'parent', not both.", attr="roots")
    shown = shown_to(actor=actor, company=company, label=label, title=title, status=status)
    level, trail = level_of(shown, actor=actor, company=company, container=container, roots=roots, parent=parent)
    total = level.count()
    rows = list(
        level.filter(after_place(window.after))
        .order_by(*ORDER)
        .values(*LISTED, under=children_of(shown))[: window.limit + 1]
    )
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = cursor_of(rows[-1])
    results = rows_of(rows, trail=trail, actor=actor, company=company)
    return Listing(results=results, total=total, after=cursor)


def list_revisions(*, actor: Actor, page_id: int, window: Window) -> Listing[RevisionRow]:
    """The history of a page, newest first, without bodies; `not_found` as for the page itself.

    What waits for review or was sent back is there for those who may save the page.
    """
    history = _history(actor, page_id)
    total = history.count()
    if window.after is not None:
        version = window.after[0]
        if type(version) is not int:
            raise foreign_cursor()
        history = history.filter(version__lt=version)
    rows = list(history.order_by("-version").defer("body")[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].version,))
    return Listing(results=tuple(RevisionRow(**_revision(row)) for row in rows), total=total, after=cursor)


def get_revision(*, actor: Actor, page_id: int, version: int) -> RevisionView:
    """One revision with its body; `not_found` where the page or the version is not there for this actor."""
    return get_revisions(actor=actor, page_id=page_id, versions=(version,))[0]


def get_revisions(*, actor: Actor, page_id: int, versions: Sequence[int]) -> tuple[RevisionView, ...]:
    """Revisions with their bodies, in the order they are asked for; refuses as `get_revision` does. Two queries."""
    history = _history(actor, page_id)
    rows = {row.version: row for row in history.filter(version__in=set(versions))}
    for version in versions:
        if version not in rows:
            words = f"This page has no version {version}. List its revisions to see which it has."
            raise Refused(Code.NOT_FOUND, words)
    return tuple(RevisionView(**_revision(rows[version]), body=rows[version].body) for version in versions)


def open_branch(*, actor: Actor, page_id: int) -> Branch:
    """The way down to a page, so that a deep link opens the right branch of an outline; `not_found` as above."""
    page = get_page(actor=actor, page_id=page_id)
    return Branch(container=page.container, ids=(*(above.id for above in page.ancestors), page.id))


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """The versions around one in a history, None where there is none; `before` is what the page said before it."""

    earlier: int | None
    later: int | None
    before: int | None


def neighbours_of(*, actor: Actor, page_id: int, version: int) -> Neighbours:
    """The versions around a version, as far as they are there for the actor. Two queries."""
    asked = _history(actor, page_id).aggregate(
        earlier=Max("version", filter=Q(version__lt=version)),
        later=Min("version", filter=Q(version__gt=version)),
        before=Max("version", filter=Q(version__lt=version, state=RevisionState.PUBLISHED)),
    )
    return Neighbours(**asked)


def _history(actor: Actor, page_id: int) -> QuerySet[Revision]:
    """The revisions of a page that are there for an actor; refuses as `require_readable` does."""
    container = require_readable(actor, page_id)
    history = Revision.objects.filter(page_id=page_id)
    if may_save_in(container, actor=actor, company=live.current()):
        return history
    return history.filter(Q(state=RevisionState.PUBLISHED) | Q(version=F("page__version")))


def require_readable(actor: Actor, page_id: int) -> str:
    """The container of a page; refuses whoever does not see it: `not_found`, or what holds them back from every page.
    One query."""
    company = company_read_by(actor)
    row = Page.objects.filter(pk=page_id).values("container", "status", "author_name", "author_kind").first()
    if row is None or not sees_row(row, actor=actor, company=company):
        raise not_found()
    return str(row["container"])


def _revision(row: Revision) -> dict[str, Any]:
    return {
        "version": row.version,
        "title": row.title,
        "message": row.message,
        "author": Author(name=row.author_name, kind=ActorKind(row.author_kind)),
        "created_at": row.created_at,
        "state": RevisionState(row.state),
        "decision": Decision(
            by=Author(name=row.decided_by_name, kind=ActorKind(row.decided_by_kind)),
            at=row.decided_at,
            word=row.decision,
        )
        if row.decided_at is not None
        else None,
    }
