"""Pages as the engine reads them: without an actor, and with the body. Never for a door."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knowledge.models import Attachment, Page, PageStatus

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
    found: defaultdict[int, list[FolderFile]] = defaultdict(list)
    rows = Attachment.objects.filter(page_id__in=list(page_ids)).exclude(path="").order_by("page_id", "path")
    for row in rows:
        found[row.page_id].append(
            FolderFile(id=row.pk, path=row.path, executable=bool(row.mode & 0o100), size=row.size, sha256=row.sha256)
        )
    return {page_id: tuple(files) for page_id, files in found.items()}


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
