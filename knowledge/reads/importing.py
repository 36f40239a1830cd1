"""What an import has to know of the pages that are there: which file became which page, and which titles are taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.models import Attachment, Page, PageSource, PageStatus, Revision, Waits


@dataclass(frozen=True, kw_only=True)
class KnownPage:
    """A page that a file was brought into before. `digest` and `wanted` are what that file gave then."""

    id: int
    title: str
    trashed: bool
    wanted: str
    digest: str
    version: int


@dataclass(frozen=True, kw_only=True)
class PresentPage:
    """A living page as it stands, for what an export of it is compared with."""

    id: int
    title: str
    body: str
    labels: tuple[str, ...]
    version: int


def known_pages(*, container: str, source: str) -> dict[str, KnownPage]:
    """The pages that files of a tree became, by the path of the file. One query."""
    rows = PageSource.objects.filter(container=container, source=source).values_list(
        "path", "page_id", "page__title", "page__status", "wanted", "digest", "version"
    )
    return {
        path: KnownPage(
            id=page_id,
            title=title,
            trashed=status == PageStatus.TRASHED,
            wanted=wanted,
            digest=digest,
            version=version,
        )
        for path, page_id, title, status, wanted, digest, version in rows.iterator(chunk_size=2_000)
    }


def living_addresses(*, container: str) -> dict[str, int]:
    """Every address of a space that a living page has, and the page. One query."""
    living = Page.objects.filter(container=container).exclude(status=PageStatus.TRASHED)
    return dict(living.values_list("address", "pk").iterator(chunk_size=5_000))


def present_page(page_id: int) -> PresentPage | None:
    """A page as the next save of it begins, if it is there and living."""
    row = Page.objects.filter(pk=page_id).exclude(status=PageStatus.TRASHED).first()
    if row is None:
        return None
    body, version = row.body, row.version
    if row.held_version is not None and row.held_version != version:
        held = Revision.objects.only("body", "version").get(page=row, version=row.held_version)
        body, version = held.body, held.version
    return PresentPage(id=row.pk, title=row.title, body=body, labels=tuple(row.labels), version=version)


def files_present(page_ids: Sequence[int]) -> dict[tuple[int, str, str, str], int]:
    """The files of these pages: their ids by page, name, path and digest. One query."""
    rows = Attachment.objects.filter(page_id__in=page_ids).exclude(waits=Waits.TO_GO).order_by("-pk")
    return {
        (page_id, name, path, sha256): file_id
        for file_id, page_id, name, path, sha256 in rows.values_list("pk", "page_id", "name", "path", "sha256")
    }
