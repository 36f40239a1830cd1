"""Pages as the engine reads them: without an actor, and with the body. Never for a door."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, Q, QuerySet

from knowledge.models import Attachment, Page, PageStatus, Revision, RevisionState, Waits

_COLUMNS = ("id", "container", "title", "version", "body", "status", "labels")


@dataclass(frozen=True, kw_only=True)
class SourcePage:
    """A page's text at one version. `published` is false for a draft and for a page in the trash."""

    id: int
    container: str
    title: str
    version: int
    body: str
    published: bool
    labels: tuple[str, ...] = ()


def pages_of(container: str) -> Iterator[SourcePage]:
    """The living pages of a container, drafts included, by id. One query, read as it streams in."""
    rows = Page.objects.filter(container=container).exclude(status=PageStatus.TRASHED).order_by("id")
    for row in rows.values_list(*_COLUMNS).iterator(chunk_size=50):
        yield _source(row)


@dataclass(frozen=True, kw_only=True)
class SourceState:
    """What tells whether a page has to be read again: its version, title and labels, and whether it is published."""

    id: int
    title: str
    version: int
    labels: tuple[str, ...]
    published: bool


@dataclass(frozen=True, kw_only=True)
class FolderFile:
    """A file of a page that is kept as a folder. `id` is its attachment, `sha256` where its bytes lie."""

    id: int
    path: str
    executable: bool
    size: int
    sha256: str


def states_of(container: str) -> list[SourceState]:
    """The living pages of a container without their bodies, by id. One query."""
    rows = Page.objects.filter(container=container).exclude(status=PageStatus.TRASHED).order_by("id")
    return [
        SourceState(
            id=page_id, title=title, version=version, labels=tuple(labels), published=status == PageStatus.PUBLISHED
        )
        for page_id, title, version, labels, status in rows.values_list("id", "title", "version", "labels", "status")
    ]


def folder_files(page_ids: Iterable[int]) -> dict[int, tuple[FolderFile, ...]]:
    """The files with a place in the folder each page stands for, by path; pages without any are left out. One query."""
    return _by_page(Attachment.objects.filter(page_id__in=list(page_ids)).exclude(waits=Waits.TO_COME))


def proposed_files(page_id: int) -> tuple[FolderFile, ...]:
    """The files of one folder as they would be were what waits approved. One query."""
    there = Attachment.objects.filter(page_id=page_id).exclude(waits=Waits.TO_GO)
    return _by_page(there).get(page_id, ())


def _by_page(files: QuerySet[Attachment]) -> dict[int, tuple[FolderFile, ...]]:
    found: defaultdict[int, list[FolderFile]] = defaultdict(list)
    for row in files.exclude(path="").order_by("page_id", "path"):
        found[row.page_id].append(
            FolderFile(id=row.pk, path=row.path, executable=bool(row.mode & 0o100), size=row.size, sha256=row.sha256)
        )
    return {page_id: tuple(files) for page_id, files in found.items()}


def waiting_version(page_id: int) -> int | None:
    """The version of a page that waits for review, if one does. One query."""
    return Page.objects.filter(pk=page_id).values_list("held_version", flat=True).first()


def proposal_of(page_id: int) -> SourcePage | None:
    """One page as it would be were what waits approved, and a draft that was sent back as if it waited again; else as
    it is. Three queries at most."""
    page = source_page(page_id)
    found = _proposed(Page.objects.filter(pk=page_id)).values_list("held_version", "version").first()
    if page is None or found is None:
        return page
    version = found[0] or found[1]
    held = Revision.objects.filter(page_id=page_id, version=version).values_list("version", "body").first()
    return page if held is None else replace(page, version=held[0], body=held[1], published=True)


def proposals_of(container: str) -> Iterator[SourcePage]:
    """The pages of a container of which something waits or was sent back, as `proposal_of` has them, by id. Three
    queries a page."""
    for page_id in _proposed(Page.objects.filter(container=container)).order_by("id").values_list("id", flat=True):
        page = proposal_of(page_id)
        if page is not None:
            yield page


def _proposed(pages: QuerySet[Page]) -> QuerySet[Page]:
    own = Revision.objects.filter(page=OuterRef("pk"), version=OuterRef("version"), state=RevisionState.WITHDRAWN)
    waits = Q(held_version__isnull=False) | (Q(status=PageStatus.DRAFT) & Exists(own))
    return pages.filter(waits).exclude(status=PageStatus.TRASHED)


def source_page(page_id: int) -> SourcePage | None:
    """One page, in the trash or not; None where there is none (any more)."""
    row = Page.objects.filter(pk=page_id).values_list(*_COLUMNS).first()
    return None if row is None else _source(row)


def _source(row: tuple[int, str, str, int, str, str, list[str]]) -> SourcePage:
    page_id, container, title, version, body, status, labels = row
    return SourcePage(
        id=page_id,
        container=container,
        title=title,
        version=version,
        body=body,
        published=status == PageStatus.PUBLISHED,
        labels=tuple(labels),
    )
