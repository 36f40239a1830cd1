"""Writes of vectors: keeping them, stamping them anew where only a document's place has changed, dropping them.

Only the embedding duty writes them, which one process at a time is. A vector is kept with the version and the container
its document had when it was read, so one that was overtaken meanwhile is found to be behind and made again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from knowledge.embedding.rules.vectors import Vector, sign_code
from knowledge.models import EmbeddingSpace, SignCode, SourceVector
from knowledge.rules.buckets import bucket_of

#: How many rows one transaction drops, so that none is open for long.
DROPPED_AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class NewVector:
    """A document's vector of length one, what its text was, and where the document stood."""

    object_id: int
    version: int
    container: str
    digest: str
    vector: Vector


@dataclass(frozen=True, kw_only=True)
class Stamp:
    """A version and container that a document's vector is also true of."""

    object_id: int
    version: int
    container: str


def make_space(*, model: str, dimensions: int) -> EmbeddingSpace:
    """The space of a model at a width, made where it is new."""
    return EmbeddingSpace.objects.get_or_create(model=model, dimensions=dimensions)[0]


def publish_vectors(vectors: Sequence[NewVector], *, space: EmbeddingSpace, kind: str, now: datetime) -> None:
    """Keep these vectors, each in place of the one its document had in the space."""
    with transaction.atomic():
        codes = SignCode.objects.bulk_create(
            [
                SignCode(
                    space=space,
                    kind=kind,
                    object_id=one.object_id,
                    container=one.container,
                    bucket=bucket_of(one.object_id),
                    version=one.version,
                    code=sign_code(one.vector),
                )
                for one in vectors
            ],
            update_conflicts=True,
            unique_fields=["space", "kind", "object_id"],
            update_fields=["container", "version", "code"],
        )
        SourceVector.objects.bulk_create(
            [
                SourceVector(
                    code=code,
                    kind=kind,
                    object_id=one.object_id,
                    digest=one.digest,
                    embedded_at=now,
                    vector=one.vector,
                )
                for code, one in zip(codes, vectors, strict=True)
            ],
            update_conflicts=True,
            unique_fields=["code"],
            update_fields=["digest", "embedded_at", "vector"],
        )


def restamp_vectors(stamps: Sequence[Stamp], *, space: EmbeddingSpace, kind: str) -> None:
    """Say that these documents' vectors are true of another version or container: their texts are the same."""
    wanted = {one.object_id: one for one in stamps}
    with transaction.atomic():
        codes = list(SignCode.objects.filter(space=space, kind=kind, object_id__in=wanted))
        for code in codes:
            code.version, code.container = wanted[code.object_id].version, wanted[code.object_id].container
        SignCode.objects.bulk_update(codes, ["version", "container"])


def restamp_moved(sources: QuerySet[Any], *, space: EmbeddingSpace, kind: str, among: Collection[int] | None) -> int:
    """Have the vectors of documents that have only moved follow them; answers how many did.

    `sources` are a corpus's, as `knowledge.search.corpora` describes them; `among` narrows to some ids. One statement,
    however many moved.
    """
    same = sources.filter(pk=OuterRef("object_id"), source_version=OuterRef("version"))
    moved = SignCode.objects.filter(
        Exists(same.exclude(source_container=OuterRef("container"))), space=space, kind=kind
    )
    if among is not None:
        moved = moved.filter(object_id__in=among)
    there = Subquery(sources.filter(pk=OuterRef("object_id")).values("source_container"))
    return moved.update(container=there)


def drop_vectors(codes: QuerySet[SignCode]) -> int:
    """Drop the vectors of these codes, some at a time; answers how many. What is dropped is made again when needed."""
    dropped = 0
    while True:
        with transaction.atomic():
            ids = list(codes.values_list("pk", flat=True)[:DROPPED_AT_ONCE])
            SourceVector.objects.filter(pk__in=ids).delete()
            SignCode.objects.filter(pk__in=ids).delete()
        dropped += len(ids)
        if len(ids) < DROPPED_AT_ONCE:
            return dropped
