"""Reads of what waits for review: all of it, and one version with what it would change.

They answer those who may save the pages they are about; to others nothing waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from company.rules.actors import Actor, ActorKind, Author
from company.rules.windows import Listing, Window, encode_cursor
from knowledge import files
from knowledge.models import Attachment, Page, PageStatus, Revision, Waits
from knowledge.reads.attachments import AttachmentView, view_of
from knowledge.reads.levels import company_read_by, foreign_cursor, not_found
from knowledge.reads.pages import get_page, page_to_edit
from knowledge.reads.shapes import PageView
from knowledge.reads.visibility import may_save_in
from knowledge.rules.reviewing import is_reviewed

CURSOR_WIDTH = 2
COMPARED_BYTES = 32 * 1024
"""A longer file is not compared in place: a review shows all of a skill's files at once."""


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A version that waits: who asked for a look at it, when and with what note. `new`: the page was never approved."""

    page_id: int
    container: str
    title: str
    version: int
    author: Author
    asked_at: datetime
    message: str
    new: bool


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A version that waits beside what the page says now: its text, and the files that would come and go with it.

    `said` is empty for a page that was never approved. `own` says that the actor wrote it and review is on, so that
    somebody else has to approve it.
    """

    page: PageView
    row: Waiting
    said: str
    coming: tuple[AttachmentView, ...]
    going: tuple[AttachmentView, ...]
    own: bool


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A file that another one would replace at its place. `texts` are both, None where one is no text or long."""

    old: AttachmentView
    new: AttachmentView
    texts: tuple[str, str] | None


def replaced_files(proposal: Proposal) -> tuple[Replaced, ...]:
    """The files that a proposal changes: those that come where one goes. No query; reads the bytes of short ones."""
    going = {file.path: file for file in proposal.going}
    return tuple(
        Replaced(old=going[file.path], new=file, texts=_texts(going[file.path], file))
        for file in proposal.coming
        if file.path in going
    )


def _texts(old: AttachmentView, new: AttachmentView) -> tuple[str, str] | None:
    if max(old.size, new.size) > COMPARED_BYTES:
        return None
    try:
        return b"".join(files.read(old.sha256)).decode(), b"".join(files.read(new.sha256)).decode()
    except UnicodeDecodeError:
        return None


def list_waiting(*, actor: Actor, window: Window) -> Listing[Waiting]:
    """What waits, longest first. Two queries."""
    pages = _waiting_for(actor)
    rows = pages.order_by("held_at", "id")
    if window.after is not None:
        asked_at, page_id = window.after
        try:
            moment = datetime.fromisoformat(asked_at) if isinstance(asked_at, str) else None
        except ValueError as error:
            raise foreign_cursor() from error
        if moment is None or moment.tzinfo is None or not isinstance(page_id, int):
            raise foreign_cursor()
        rows = rows.filter(Q(held_at__gt=moment) | Q(held_at=moment, pk__gt=page_id))
    found = list(_with_notes(rows)[: window.limit + 1])
    cursor = None
    if len(found) > window.limit:
        found.pop()
        last = found[-1]
        cursor = encode_cursor((last.held_at.isoformat() if last.held_at else "", last.pk))
    return Listing(results=tuple(_row(page) for page in found), total=pages.count(), after=cursor)


def count_waiting(*, actor: Actor) -> int:
    """How many versions wait. One query."""
    return _waiting_for(actor).count()


def get_proposal(*, actor: Actor, page_id: int) -> Proposal:
    """What waits of one page; `not_found` where nothing does. At most six queries."""
    page = page_to_edit(actor=actor, page_id=page_id)
    found = _with_notes(_waiting_for(actor).filter(pk=page_id)).first()
    if not page.waits or found is None:
        raise not_found()
    row = _row(found)
    attached = list(Attachment.objects.filter(page_id=page_id).exclude(path="").order_by("path"))
    coming = [file for file in attached if file.waits == Waits.TO_COME or row.new]
    going = [file for file in attached if file.waits == Waits.TO_GO]
    reviewed = is_reviewed(company_read_by(actor), page.container)
    return Proposal(
        page=page,
        row=row,
        said="" if row.new else get_page(actor=actor, page_id=page_id).body,
        coming=tuple(view_of(file) for file in coming),
        going=tuple(view_of(file) for file in going),
        own=reviewed and row.author == actor.author,
    )


def _waiting_for(actor: Actor) -> QuerySet[Page]:
    company = company_read_by(actor)
    waiting = Page.objects.filter(held_version__isnull=False).exclude(status=PageStatus.TRASHED)
    if actor.is_admin:
        return waiting
    return waiting.filter(
        container__in=[one.key for one in company.spaces if may_save_in(one.key, actor=actor, company=company)],
        status=PageStatus.PUBLISHED,
    )


def _with_notes(pages: QuerySet[Page]) -> QuerySet[Page]:
    held = Revision.objects.filter(page=OuterRef("pk"), version=OuterRef("held_version"))
    return pages.defer("body").annotate(note=Subquery(held.values("message")), new=Q(held_version=F("version")))


def _row(page: Page) -> Waiting:
    assert page.held_version is not None and page.held_at is not None  # noqa: S101, PT018 (what the query asked for)
    return Waiting(
        page_id=page.pk,
        container=page.container,
        title=page.title,
        version=page.held_version,
        author=Author(name=page.held_by_name, kind=ActorKind(page.held_by_kind)),
        asked_at=page.held_at,
        message=getattr(page, "note", "") or "",
        new=page.held_version == page.version,
    )
