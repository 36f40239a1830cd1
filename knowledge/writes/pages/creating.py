"""Creating a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from knowledge.models import Page, PageStatus
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageView
from knowledge.rules.authority import Act, ground_of, require_act
from knowledge.rules.buckets import bucket_of
from knowledge.rules.labels import clean_labels, clean_watchers
from knowledge.rules.markdown import mentions_in
from knowledge.rules.news import What
from knowledge.rules.reviewing import is_reviewed
from knowledge.rules.texts import check_body, clean_message
from knowledge.rules.titles import clean_title, fold
from knowledge.rules.trees import check_parent
from knowledge.writes.notifications import tell_administrators
from knowledge.writes.pages.addresses import claim
from knowledge.writes.pages.holding import hold_containers, place_of, require_declared, require_writer
from knowledge.writes.pages.recording import add_revision, end_of_level, put_body, record_page
from knowledge.writes.pages.waiting import wait_as_draft


def create_page(
    *,
    actor: Actor,
    title: str,
    body: str,
    container: str | None = None,
    parent_id: int | None = None,
    labels: Sequence[str] = (),
    message: str | None = None,
    watchers: Sequence[str] = (),
    status: PageStatus = PageStatus.PUBLISHED,
) -> PageView:
    """A new page at version 1, watched by the seat that wrote it and by `watchers`.

    It lands in `container`, else beside its parent, else in the space of the seat that writes it, else of that
    seat's unit. Where that is reviewed, a page that would be published is a draft that waits (`pending_version`).
    Refuses: `unknown_container`, `container_required`, `reserved_container`, `forbidden`, `parent_invalid`,
    `title_taken` (with `page_id`), `invalid`, `too_long`.
    """
    require_writer(actor)
    shown = clean_title(title)
    text, note, tags = check_body(body), clean_message(message), clean_labels(labels)
    if status is PageStatus.TRASHED:
        raise Refused(Code.INVALID, "A new page is 'published' or a 'draft'.", attr="status")
    with transaction.atomic():
        company = live.current_for_write()
        told = clean_watchers(
            [*([actor.seat] if actor.seat in company.seat_by_handle else []), *watchers],
            handles=company.seat_by_handle,
        )
        home = _hold_home(actor=actor, company=company, container=container, parent_id=parent_id)
        now = timezone.now()
        page_id = _next_id()
        page = new_row(
            actor=actor,
            page_id=page_id,
            container=home,
            parent_id=parent_id,
            position=end_of_level(container=home, parent_id=parent_id),
            title=shown,
            body=text,
            labels=tags,
            watchers=told,
            status=status,
            now=now,
        )
        if status is PageStatus.PUBLISHED and is_reviewed(company, home):
            wait_as_draft(page, by=actor.author, now=now)
        claim(container=home, address=page.address, write=lambda: page.save(force_insert=True))
        add_revision(actor=actor, page=page, message=note, now=now)
        record_page(
            actor=actor,
            verb="create_page",
            page=page,
            version_before=None,
            news="page.created",
            detail={"parent_id": parent_id, "status": str(page.status), "message": note},
            mentioned=mentions_in(text, handles=company.handles),
        )
        if page.held_version is not None:
            tell_administrators(actor=actor, page=page, what=What.PROPOSED)
        return get_page(actor=actor, page_id=page_id)


def new_row(
    *,
    actor: Actor,
    page_id: int,
    container: str,
    parent_id: int | None,
    position: int,
    title: str,
    body: str,
    labels: list[str],
    watchers: list[str],
    status: PageStatus,
    now: datetime,
) -> Page:
    """A page at version 1 as the table will hold it, not saved yet. Every page that is created begins as this."""
    page = Page(
        pk=page_id,
        container=container,
        parent_id=parent_id,
        position=position,
        title=title,
        address=fold(title),
        status=status,
        labels=labels,
        watchers=watchers,
        author_name=actor.author.name,
        author_kind=actor.author.kind.value,
        created_at=now,
        saved_by_name=actor.author.name,
        saved_by_kind=actor.author.kind.value,
        saved_at=now,
        updated_at=now,
        search_bucket=bucket_of(page_id),
    )
    put_body(page, body)
    return page


def _hold_home(*, actor: Actor, company: Company, container: str | None, parent_id: int | None) -> str:
    """The container of the new page, its tree shared and the parent's place in it checked."""
    home = container
    if home is None and parent_id is not None:
        place = place_of(parent_id, actor=actor, company=company)
        home = place.container if place is not None else None
        if home is None:
            check_parent(None, container="")
    if home is None:
        home = company.home_of(actor.seat)
    if home is None:
        raise Refused(
            Code.CONTAINER_REQUIRED,
            "Say in 'container' which space the page goes to: you write as no seat that has a space of its own.",
            attr="container",
        )
    require_creator(actor, company=company, container=home)
    hold_containers(home, shared=True)
    if parent_id is not None:
        check_parent(place_of(parent_id, actor=actor, company=company), container=home)
    return home


def require_creator(actor: Actor, *, company: Company, container: str) -> None:
    """Refuse a container nobody declares (`unknown_container`), and whoever may put no page into it."""
    require_declared(container, company=company)
    require_act(Act.CREATE, actor=actor, ground=ground_of(company, container))


def _next_id() -> int:
    """The id of the page to come, needed beforehand because its search bucket is made of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('knowledge_page', 'id'))")
        row: tuple[int] = cursor.fetchone()
    return row[0]
