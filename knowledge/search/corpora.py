"""The corpora that are searched: pages, and whatever other apps register. Search knows no more of them than this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import QuerySet

from company.models.changes import Change, ChangeKind
from company.rules.chart import Company
from knowledge.search.lexical.documents import Document, Removal


@dataclass(frozen=True, kw_only=True)
class Changed:
    """What changes of the log mean for an index: what is put into it and what is taken out."""

    documents: Sequence[Document] = ()
    removals: Sequence[Removal] = ()


class Corpus(Protocol):
    """Documents of one kind, as an index is filled with them. What nobody may find by search is not among them."""

    @property
    def kind(self) -> str:
        """What its documents are called; with their ids, their identity."""

    @property
    def change_kind(self) -> ChangeKind:
        """What its rows of the change log are called."""

    def count(self) -> int:
        """How many documents there are."""

    def after(self, identity: int) -> Sequence[Document]:
        """The next documents by id, as many as are read well at once; none at the end."""

    def touched(self, changes: Sequence[Change]) -> Sequence[int]:
        """The ids of the documents that changes of the log may have changed, those changed along with them included."""

    def of(self, identities: Sequence[int]) -> Changed:
        """These documents as they stand; the ones that are not there to be found are removals."""

    def sources(self, *, company: Company) -> QuerySet[Any]:
        """The documents that are embedded, by their ids, each with what its vector depends on.

        `source_version` moves exactly when title or body do; `source_container` is where a search is narrowed to;
        `source_title` and `source_body` (its first 16 384 characters) are the text.
        """


_corpora: dict[str, Corpus] = {}


def register(corpus: Corpus) -> None:
    """Have a corpus searched. Called once, when the app that owns it is ready."""
    _corpora[corpus.kind] = corpus


def registered() -> tuple[Corpus, ...]:
    """Every corpus, by kind."""
    return tuple(_corpora[kind] for kind in sorted(_corpora))
