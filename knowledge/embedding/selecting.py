"""Which documents the duty has to see to, derived from the rows: nothing is queued, so nothing can be lost.

A document is due when no vector of the space has its version and container. What is held back is passed over for as
long as it still says what was refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from knowledge.embedding.rules.coverage import Coverage
from knowledge.embedding.rules.isolation import Source
from knowledge.embedding.rules.window import digest_of, opening
from knowledge.models import EmbeddingSpace, HeldSource, SignCode, SourceVector

_COLUMNS = ("pk", "source_version", "source_container", "source_title", "source_body")


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A document with the text that would be sent for it now."""

    object_id: int
    version: int
    container: str
    text: str
    digest: str

    @property
    def source(self) -> Source:
        """As the state machines know it."""
        return Source(key=str(self.object_id), size=len(self.text.encode()), digest=self.digest)


def due(
    sources: QuerySet[Any], *, space: EmbeddingSpace, kind: str, but: Collection[int], limit: int, bound: int
) -> list[Loaded]:
    """The first `limit` documents by id that are behind and not held, without those of `but`. One query.

    `bound` is how many bytes of a text the provider takes.
    """
    held = HeldSource.objects.filter(kind=kind, object_id=OuterRef("pk"), version=OuterRef("source_version"))
    behind = sources.filter(~Exists(_current(space, kind)), ~Exists(held))
    if but:
        behind = behind.exclude(pk__in=but)
    return _loaded(behind.order_by("pk")[:limit], bound)


def load(sources: QuerySet[Any], object_ids: Collection[int], *, bound: int) -> dict[int, Loaded]:
    """These documents as they stand; those that are no sources any more are missing. One query, none for none."""
    if not object_ids:
        return {}
    return {one.object_id: one for one in _loaded(sources.filter(pk__in=object_ids), bound)}


def digests_of(object_ids: Collection[int], *, space: EmbeddingSpace, kind: str) -> Mapping[int, str]:
    """What the texts were that these documents have vectors of. One query, none for none."""
    if not object_ids:
        return {}
    found = SourceVector.objects.filter(code__space=space, kind=kind, object_id__in=object_ids)
    return dict(found.values_list("object_id", "digest"))


def orphans(sources: QuerySet[Any], *, kind: str, among: Collection[int] | None) -> QuerySet[SignCode]:
    """The codes, of any space, whose documents are no sources any more; `among` narrows to some ids."""
    codes = SignCode.objects.filter(~Exists(sources.filter(pk=OuterRef("object_id"))), kind=kind)
    return codes if among is None else codes.filter(object_id__in=among)


def coverage_of(sources: QuerySet[Any], *, space: EmbeddingSpace, kind: str) -> Coverage:
    """How much of one corpus can be found by meaning as it stands. Two queries that read no text and no vector."""
    return Coverage(sources=sources.count(), current=sources.filter(Exists(_current(space, kind))).count())


def _current(space: EmbeddingSpace, kind: str) -> QuerySet[SignCode]:
    """The code of the document outside, if it is of what the document says and where it is now."""
    return SignCode.objects.filter(
        space=space,
        kind=kind,
        object_id=OuterRef("pk"),
        version=OuterRef("source_version"),
        container=OuterRef("source_container"),
    )


def _loaded(rows: QuerySet[Any], bound: int) -> list[Loaded]:
    return list(_read(rows.values_list(*_COLUMNS), bound))


def _read(rows: Iterable[tuple[int, int, str, str, str]], bound: int) -> Iterable[Loaded]:
    for object_id, version, container, title, body in rows:
        text = opening(title=title, body=body, bound=bound)
        yield Loaded(object_id=object_id, version=version, container=container, text=text, digest=digest_of(text))
