"""Bringing pages in by the hundred: the rules of creating and saving a page, with one round of statements a batch.

Each batch is a transaction of its own, so an import that is broken off has brought in whole batches, and goes on from
there when it is run again. Whom the text of a new page mentions is not told, because it was written elsewhere. What
else is different from creating pages one by one is that the container is held alone, so that no address is claimed
between asking and writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO

from django.db import connection, transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.writes.ledger import record_many
from knowledge import files
from knowledge.models import Attachment, FormerAddress, Page, PageSource, PageStatus, Revision
from knowledge.rules.attachments import clean_file_name, clean_file_path
from knowledge.rules.labels import clean_labels, clean_watchers
from knowledge.rules.news import What
from knowledge.rules.reviewing import is_reviewed
from knowledge.rules.texts import check_body
from knowledge.rules.titles import clean_title, fold
from knowledge.rules.trees import check_parent
from knowledge.writes.contents import drop_unused, hold_digest
from knowledge.writes.links import put_links_of_new
from knowledge.writes.notifications import tell_administrators
from knowledge.writes.pages.addresses import holder_of, taken
from knowledge.writes.pages.creating import new_row, require_creator
from knowledge.writes.pages.holding import hold_containers, hold_tree, place_of, require_writer
from knowledge.writes.pages.recording import end_of_level, entry_of, revision_of
from knowledge.writes.pages.waiting import wait_as_draft

MESSAGE = "Imported"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The file a page comes from, and what it gave; kept so that the next import knows the page again."""

    source: str
    path: str
    wanted: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class NewFile:
    """A file for a new page, under an id that was handed out before, since the page's body names it."""

    id: int
    name: str
    measured: files.Measured
    open: Callable[[], IO[bytes]]
    path: str = ""
    executable: bool = False


@dataclass(frozen=True, kw_only=True)
class NewPage:
    """A page to create under an id that was handed out before, since other bodies name it.

    `parent_id` is a page of the container or one that comes earlier; `position` None is the end of the level.
    """

    id: int
    parent_id: int | None
    title: str
    body: str
    labels: Sequence[str] = ()
    draft: bool = False
    position: int | None = None
    files: Sequence[NewFile] = ()
    origin: Origin | None = None


@dataclass(kw_only=True)
class _Batch:
    pages: list[Page] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    sources: list[PageSource] = field(default_factory=list)
    ends: dict[int | None, int] = field(default_factory=dict)


def require_importer(*, actor: Actor, container: str, parent_id: int | None) -> None:
    """Refuse, before anything is read, whoever may put no page there, and a place that is none.

    `scope_missing`, `forbidden`, `unknown_container`, `reserved_container`, `parent_invalid`.
    """
    require_writer(actor)
    company = live.current_for_write()
    require_creator(actor, company=company, container=container)
    if parent_id is not None:
        check_parent(place_of(parent_id, actor=actor, company=company), container=container)


def next_page_ids(number: int) -> list[int]:
    """Ids for so many pages to come; one that is not used is lost."""
    return _next_ids(
        "SELECT nextval(pg_get_serial_sequence('knowledge_page', 'id')) FROM generate_series(1, %s)", number
    )


def next_file_ids(number: int) -> list[int]:
    """Ids for so many files to come."""
    return _next_ids(
        "SELECT nextval(pg_get_serial_sequence('knowledge_attachment', 'id')) FROM generate_series(1, %s)", number
    )


def create_pages(
    *, actor: Actor, container: str, parent_id: int | None, pages: Sequence[NewPage]
) -> dict[int, Refused]:
    """Create the pages that can be, in one transaction; the refusals of the others, by their ids.

    A page beneath one that is refused is refused too (`parent_invalid`). Refuses the whole batch as
    `require_importer` does, where the company or the place has changed since.
    """
    require_writer(actor)
    fresh: list[str] = []
    try:
        with transaction.atomic():
            company = live.current_for_write()
            require_creator(actor, company=company, container=container)
            hold_containers(container)
            if parent_id is not None:
                check_parent(place_of(parent_id, actor=actor, company=company), container=container)
            watchers = clean_watchers(
                [actor.seat] if actor.seat in company.seat_by_handle and actor.seat else [],
                handles=company.seat_by_handle,
            )
            refused: dict[int, Refused] = {}
            batch = _Batch()
            now = timezone.now()
            claimed = _claimed(container, pages)
            standing = _standing(container, pages)
            reviewed = is_reviewed(company, container)
            for page in pages:
                try:
                    _require_parent(page, standing=standing)
                    row = _row(page, actor=actor, container=container, watchers=watchers, batch=batch, now=now)
                    if reviewed and not page.draft:
                        wait_as_draft(row, by=actor.author, now=now)
                    if row.address in claimed:
                        raise _title_taken(container, row.address)
                    attached = [_attachment(file, row=row, actor=actor, now=now) for file in page.files]
                except Refused as error:
                    refused[page.id] = error
                    continue
                claimed.add(row.address)
                standing.add(row.pk)
                batch.pages.append(row)
                batch.attachments += attached
                if page.origin is not None:
                    batch.sources.append(_source(page.origin, row=row))
            kept = {row.pk for row in batch.pages}
            fresh = _put_files([file for page in pages if page.id in kept for file in page.files])
            _insert(batch, actor=actor, container=container, now=now)
            waiting = next((row for row in batch.pages if row.held_version is not None), None)
            if waiting is not None:  # one word for all of them: the list of what waits shows the others
                tell_administrators(actor=actor, page=waiting, what=What.PROPOSED)
            return refused
    except BaseException:
        if fresh and not connection.in_atomic_block:
            drop_unused(fresh)
        raise


@contextmanager
def one_page(page_id: int) -> Iterator[None]:
    """One transaction for all that is done to a page that is there: its files and its save, or none of them.

    It takes the page's locks in the order every write takes them, before the writes inside take theirs one by one.
    Refuses `not_found`.
    """
    with transaction.atomic():
        hold_tree(page_id)
        yield


def remember_source(*, page_id: int, container: str, origin: Origin, version: int) -> None:
    """Keep which file a page was brought from again, and what that gave; its audit row is the save's own."""
    PageSource.objects.update_or_create(
        page_id=page_id,
        defaults={
            "container": container,
            "source": origin.source,
            "path": origin.path,
            "wanted": origin.wanted,
            "digest": origin.digest,
            "version": version,
        },
    )


def _row(page: NewPage, *, actor: Actor, container: str, watchers: list[str], batch: _Batch, now: datetime) -> Page:
    position = page.position
    if position is None:
        if page.parent_id not in batch.ends:
            batch.ends[page.parent_id] = end_of_level(container=container, parent_id=page.parent_id)
        position = batch.ends[page.parent_id]
        batch.ends[page.parent_id] += 1 if position else 0
    return new_row(
        actor=actor,
        page_id=page.id,
        container=container,
        parent_id=page.parent_id,
        position=position,
        title=clean_title(page.title),
        body=check_body(page.body),
        labels=clean_labels(page.labels),
        watchers=watchers,
        status=PageStatus.DRAFT if page.draft else PageStatus.PUBLISHED,
        now=now,
    )


def _claimed(container: str, pages: Sequence[NewPage]) -> set[str]:
    living = Page.objects.filter(container=container, address__in={fold(page.title) for page in pages})
    return set(living.exclude(status=PageStatus.TRASHED).values_list("address", flat=True))


def _standing(container: str, pages: Sequence[NewPage]) -> set[int | None]:
    """The parents that can be filed under: the living ones of the container."""
    wanted = [page.parent_id for page in pages if page.parent_id is not None]
    living = Page.objects.filter(container=container, pk__in=wanted).exclude(status=PageStatus.TRASHED)
    return {None, *living.values_list("pk", flat=True)}


def _require_parent(page: NewPage, *, standing: set[int | None]) -> None:
    if page.parent_id not in standing:
        raise Refused(Code.PARENT_INVALID, "The page above it was not brought in, or is gone since.", attr="parent_id")


def _title_taken(container: str, address: str) -> Refused:
    holder = holder_of(container=container, addresses=[address])
    if holder is not None:
        return taken(holder)
    return Refused(Code.TITLE_TAKEN, "Another page of this import has its title.", attr="title")


def _attachment(file: NewFile, *, row: Page, actor: Actor, now: datetime) -> Attachment:
    return Attachment(
        pk=file.id,
        page=row,
        name=clean_file_name(file.name),
        path=clean_file_path(file.path),
        mode=0o755 if file.executable else 0o644,
        size=file.measured.size,
        sha256=file.measured.sha256,
        media_type=file.measured.media_type,
        author_name=actor.author.name,
        author_kind=actor.author.kind.value,
        created_at=now,
    )


def _source(origin: Origin, *, row: Page) -> PageSource:
    return PageSource(
        page=row,
        container=row.container,
        source=origin.source,
        path=origin.path,
        wanted=origin.wanted,
        digest=origin.digest,
        version=row.version,
    )


def _put_files(wanted: Sequence[NewFile]) -> list[str]:
    """The bytes of the files where they are not there yet, in the order of their digests; which those were."""
    fresh = []
    for digest, file in sorted({file.measured.sha256: file for file in wanted}.items()):
        hold_digest(digest)
        with file.open() as content:
            if files.put(content, sha256=digest, size=file.measured.size):
                fresh.append(digest)
    return fresh


def _insert(batch: _Batch, *, actor: Actor, container: str, now: datetime) -> None:
    if not batch.pages:
        return
    Page.objects.bulk_create(batch.pages)
    FormerAddress.objects.filter(container=container, address__in=[row.address for row in batch.pages]).delete()
    Revision.objects.bulk_create(revision_of(actor=actor, page=row, message=MESSAGE, now=now) for row in batch.pages)
    put_links_of_new(batch.pages)
    Attachment.objects.bulk_create(batch.attachments)
    PageSource.objects.bulk_create(batch.sources)
    attached: dict[int, list[dict[str, object]]] = {}
    for file in batch.attachments:
        attached.setdefault(file.page_id, []).append({"id": file.pk, "name": file.name, "sha256": file.sha256})
    record_many(
        [
            entry_of(
                actor=actor,
                page=row,
                version_before=None,
                news="page.created",
                detail={
                    "parent_id": row.parent_id,
                    "status": str(row.status),
                    "message": MESSAGE,
                    **({"attached": attached[row.pk]} if row.pk in attached else {}),
                },
                changed=True,
            )
            for row in batch.pages
        ],
        actor=actor,
        verb="create_page",
    )


def _next_ids(sql: str, number: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [number])
        return [row[0] for row in cursor.fetchall()]
