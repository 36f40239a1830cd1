"""Pages as the engine reads them: without an actor, and with the body. Never for a door."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.models import Page, PageStatus

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
