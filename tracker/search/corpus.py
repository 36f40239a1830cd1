"""Items as a corpus: every living one is indexed by its words and its key, and embedded by its title and description.

A change of status, assignee or project moves an item's version and leaves its text alone, so its vector is kept: what
decides is `words_version`, which title and description alone move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.functions import Left

from company.models.changes import Change, ChangeKind
from company.rules.chart import Company
from knowledge.embedding.rules.window import READ_CHARACTERS
from knowledge.rules.buckets import bucket_of
from knowledge.search.corpora import Changed
from knowledge.search.lexical.documents import Document, Removal
from tracker.models import Item
from tracker.reads.rows import living
from tracker.reads.subjects import KIND

ROWS_AT_ONCE = 500
"""How many items are read at once: a description has at most 32 KiB."""

_COLUMNS = ("id", "key", "project", "title", "version", "description")


class ItemCorpus:
    """Every living item."""

    kind = KIND
    change_kind = ChangeKind.ITEM

    def count(self) -> int:
        """How many living items there are."""
        return _living().count()

    def after(self, identity: int) -> Sequence[Document]:
        """The next living items by id. One query."""
        return _documents(_living().filter(pk__gt=identity)[:ROWS_AT_ONCE])

    def touched(self, changes: Sequence[Change]) -> Sequence[int]:
        """The changed items: none changes another one's words."""
        return sorted({change.object_id for change in changes})

    def of(self, identities: Sequence[int]) -> Changed:
        """These items as they stand; what is in the trash or gone is a removal. One query."""
        documents = _documents(_living().filter(pk__in=identities))
        found = {document.id for document in documents}
        return Changed(
            documents=documents,
            removals=[Removal(kind=KIND, id=identity) for identity in identities if identity not in found],
        )

    def sources(self, *, company: Company) -> QuerySet[Any]:
        """Every living item, with its words and the version that changed them last."""
        return _living().annotate(
            source_version=F("words_version"),
            source_container=F("project"),
            source_title=F("title"),
            source_body=Left("description", READ_CHARACTERS),
        )


def _living() -> QuerySet[Item]:
    return Item.objects.filter(living()).order_by("pk")


def _documents(items: QuerySet[Item]) -> list[Document]:
    """The items as the index takes them. The key stands at the end of the body: it is found, and weighs little."""
    return [
        Document(
            kind=KIND,
            id=item_id,
            container=project,
            bucket=bucket_of(item_id),
            title=title,
            body=f"{description}\n\n{key}" if description else key,
            version=version,
        )
        for item_id, key, project, title, version, description in items.values_list(*_COLUMNS)
    ]
