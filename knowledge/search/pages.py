"""Pages as a corpus: what of them is indexed, and what a change of one means for the others.

Only published pages are indexed. Every container is, the skills container too: which of them a search leaves out is
the document's to say, and the document may change without a page being written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import F, Func, IntegerField, QuerySet
from django.db.models.functions import Left

from company.models.changes import Change, ChangeKind
from company.rules.chart import Company
from knowledge.embedding.rules.window import READ_CHARACTERS
from knowledge.models import Page, PageStatus
from knowledge.reads.trees import ancestors_of, descendants_of
from knowledge.rules.buckets import bucket_of
from knowledge.search.corpora import Changed
from knowledge.search.lexical.documents import Document, Removal

KIND = "page"

#: The beginning of the titles that promotion gives to the drafts it files.
DRAFTED_PREFIX = "[auto-draft]"

#: How much is read at once: at most this many pages, fewer where they are long.
ROWS_AT_ONCE = 500
BYTES_AT_ONCE = 8_000_000

_COLUMNS = ("id", "container", "title", "version", "body")


class PageCorpus:
    """Every published page."""

    kind = KIND
    change_kind = ChangeKind.PAGE

    def count(self) -> int:
        """How many published pages there are."""
        return _published().count()

    def after(self, identity: int) -> Sequence[Document]:
        """The next published pages by id. Three queries."""
        sizes = (
            _published()
            .filter(pk__gt=identity)
            .order_by("pk")
            .annotate(size=Func(F("body"), function="octet_length", output_field=IntegerField()))
            .values_list("pk", "size")[:ROWS_AT_ONCE]
        )
        return _documents(list(_bounded(sizes)))

    def touched(self, changes: Sequence[Change]) -> Sequence[int]:
        """The changed pages, and those beneath one that has moved: they have other ancestors now."""
        ids = dict.fromkeys(change.object_id for change in changes)
        moved = [change.object_id for change in changes if change.was_container]
        return sorted({*ids, *(descendants_of(moved) if moved else ())})

    def of(self, identities: Sequence[int]) -> Changed:
        """These pages as they stand; what is not published is a removal. Two queries."""
        documents = _documents(identities)
        found = {document.id for document in documents}
        return Changed(
            documents=documents,
            removals=[Removal(kind=KIND, id=identity) for identity in identities if identity not in found],
        )

    def sources(self, *, company: Company) -> QuerySet[Any]:
        """Every published page that a search may show: skills and the drafts of promotion are never embedded.

        A page's version grows with its body and its title and with nothing else.
        """
        pages = _published().exclude(title__istartswith=DRAFTED_PREFIX)
        if company.skills_container:
            pages = pages.exclude(container=company.skills_container)
        return pages.annotate(
            source_version=F("version"),
            source_container=F("container"),
            source_title=F("title"),
            source_body=Left("body", READ_CHARACTERS),
        )


def is_drafted(title: str) -> bool:
    """Whether a title marks a draft that promotion filed."""
    return title.lstrip().casefold().startswith(DRAFTED_PREFIX)


def _published() -> QuerySet[Page]:
    return Page.objects.filter(status=PageStatus.PUBLISHED)


def _bounded(sizes: Iterable[tuple[int, int]]) -> Iterator[int]:
    total = 0
    for page_id, size in sizes:
        total += size
        if total > BYTES_AT_ONCE and total > size:
            return
        yield page_id


def _documents(page_ids: Sequence[int]) -> list[Document]:
    rows = list(_published().filter(pk__in=page_ids).order_by("pk").values_list(*_COLUMNS))
    above = ancestors_of([row[0] for row in rows])
    return [
        Document(
            kind=KIND,
            id=page_id,
            container=container,
            bucket=bucket_of(page_id),
            title=title,
            body=body,
            version=version,
            ancestors=tuple(link.id for link in above[page_id]),
            is_drafted=is_drafted(title),
        )
        for page_id, container, title, version, body in rows
    ]
