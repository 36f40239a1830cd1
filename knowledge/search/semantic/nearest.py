"""The two stages of a search by meaning, over the vectors of one space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Func, QuerySet, Value
from pgvector import HalfVector

from knowledge.embedding.rules.vectors import Vector, sign_code
from knowledge.models import EmbeddingSpace, SignCode, SourceVector
from knowledge.reads.trees import descendants_of
from knowledge.search.lexical.documents import Filters

#: How many documents the sign codes propose, and how many of them are answered (requirement SE-05).
CANDIDATES = 1_200
RETURNED = 150


@dataclass(frozen=True, slots=True)
class SemanticHit:
    """One document found, and the cosine of its vector and the question's."""

    kind: str
    id: int
    score: float


class Hamming(Func):
    """In how many bits a code differs from another, both cut to the width of a space, as its index is made of."""

    arg_joiner = " <~> "
    output_field: ClassVar[models.FloatField[float, float]] = models.FloatField()

    def __init__(self, code: str, *, dimensions: int) -> None:
        cast = f"(%(expressions)s)::bit({dimensions})"
        super().__init__(
            Func("code", template=cast, output_field=models.TextField()),
            Func(Value(code), template=cast, output_field=models.TextField()),
            template="(%(expressions)s)",
        )


class Cosine(Func):
    """The cosine of two vectors of length one: their inner product."""

    template = "(-((%(expressions)s)))"
    arg_joiner = " <#> "
    output_field: ClassVar[models.FloatField[float, float]] = models.FloatField()

    def __init__(self, vector: Vector) -> None:
        asked = Func(
            Value(HalfVector(vector).to_text()), template="%(expressions)s::halfvec", output_field=models.TextField()
        )
        super().__init__("vector", asked)


def nearest(
    vector: Vector,
    *,
    space: EmbeddingSpace,
    filters: Filters,
    candidates: int = CANDIDATES,
    limit: int = RETURNED,
) -> tuple[SemanticHit, ...]:
    """The documents whose vectors are nearest, best first, equal ones by id. One query; one more where ancestors are
    excluded.

    Raises `django.db.Error` while the database is away.
    """
    distance = Hamming(sign_code(vector), dimensions=space.dimensions)
    proposed = _codes(space, filters).order_by(distance).values("pk")[:candidates]
    return _ranked(SourceVector.objects.filter(code__in=proposed), vector, limit=limit)


def nearest_exactly(
    vector: Vector, *, space: EmbeddingSpace, filters: Filters, limit: int = RETURNED
) -> tuple[SemanticHit, ...]:
    """The same by reading every vector there is: what the two stages are measured against. Slow by design."""
    found = SourceVector.objects.filter(code__in=_codes(space, filters).values("pk"))
    return _ranked(found, vector, limit=limit)


def _codes(space: EmbeddingSpace, filters: Filters) -> QuerySet[SignCode]:
    """The codes that a search may find."""
    codes = SignCode.objects.filter(space=space)
    if filters.kinds:
        codes = codes.filter(kind__in=sorted(filters.kinds))
    if filters.containers is not None:
        codes = codes.filter(container__in=sorted(filters.containers))
    if filters.excluded_containers:
        codes = codes.exclude(container__in=sorted(filters.excluded_containers))
    if filters.buckets is not None:
        codes = codes.filter(bucket__range=filters.buckets)
    excluded = {*filters.excluded_ids, *descendants_of(sorted(filters.excluded_ancestors))}
    if excluded:
        codes = codes.exclude(object_id__in=sorted(excluded))
    return codes


def _ranked(vectors: QuerySet[SourceVector], vector: Vector, *, limit: int) -> tuple[SemanticHit, ...]:
    rows: Sequence[tuple[Any, ...]] = list(
        vectors.annotate(score=Cosine(vector))
        .order_by(F("score").desc(), "object_id")
        .values_list("kind", "object_id", "score")[:limit]
    )
    return tuple(SemanticHit(kind=kind, id=object_id, score=score) for kind, object_id, score in rows)
