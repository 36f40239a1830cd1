"""The two stages of a search by meaning, over the vectors of one space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db import connection, models, transaction
from django.db.models import F, Func, QuerySet, Value
from pgvector import HalfVector

from knowledge.embedding.rules.vectors import Vector, sign_code
from knowledge.models import EmbeddingSpace, SemanticIndex, SignCode, SourceVector
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


@dataclass(frozen=True, slots=True)
class Probe:
    """A first stage that reads the nearest `probes` lists of the index of a generation. It is of one kind alone."""

    generation: int
    probes: int


class Hamming(Func):
    """In how many bits a code differs from another, both cut to the width of a space, as its index is made of.

    Not `indexed`, it is one more: the same order, in a form that no index is of, so every code is read.
    """

    arg_joiner = " <~> "
    output_field: ClassVar[models.FloatField[float, float]] = models.FloatField()

    def __init__(self, code: str, *, dimensions: int, indexed: bool) -> None:
        cast = f"(%(expressions)s)::bit({dimensions})"
        super().__init__(
            Func("code", template=cast, output_field=models.TextField()),
            Func(Value(code), template=cast, output_field=models.TextField()),
            template="(%(expressions)s)" if indexed else "((%(expressions)s) + 1)",
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
    probe: Probe | None = None,
) -> tuple[SemanticHit, ...]:
    """The documents whose vectors are nearest, best first, equal ones by id.

    The first stage reads every code the search may find; with `probe`, those in the nearest lists of an index. Two
    queries, five with a probe; one more where ancestors are excluded. Raises `django.db.Error` while the database is
    away.
    """
    distance = Hamming(sign_code(vector), dimensions=space.dimensions, indexed=probe is not None)
    codes = _codes(space, filters)
    if probe is None:
        proposed = _proposed(codes, distance, candidates)
    else:
        with _reading_lists(probe.probes):
            proposed = _proposed(codes.exclude(version=-probe.generation), distance, candidates)
    # By their keys in a statement of their own: as a part of one, a planner without statistics of a table that has just
    # been filled would go through the proposed ones anew for every vector.
    return _ranked(SourceVector.objects.filter(pk__in=proposed), vector, limit=limit)


def nearest_exactly(
    vector: Vector, *, space: EmbeddingSpace, filters: Filters, limit: int = RETURNED
) -> tuple[SemanticHit, ...]:
    """The same by reading every vector there is: what the two stages are measured against. Slow by design."""
    found = SourceVector.objects.filter(code__in=_codes(space, filters).values("pk"))
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('enable_nestloop', 'off', true)")
        return _ranked(found, vector, limit=limit)


def probe_for(index: SemanticIndex | None, filters: Filters) -> Probe | None:
    """How the first stage of a search reads: by the index, if one is installed and the search is of its whole corpus.

    A narrowed search finds its documents in lists that an unnarrowed one never reads, so it reads every code that it
    may find, which narrows it itself.
    """
    is_narrow = filters.containers is not None or filters.buckets is not None or bool(filters.excluded_ids)
    if index is None or not index.is_installed or is_narrow or filters.kinds != frozenset({index.kind}):
        return None
    return Probe(generation=index.generation, probes=index.probes)


def list_size(code: str, *, space: EmbeddingSpace, kind: str, generation: int) -> int:
    """How many codes the list of an index holds that this code is filed in: what a search of one list reads."""
    distance = Hamming(code, dimensions=space.dimensions, indexed=True)
    codes = SignCode.objects.filter(space=space, kind=kind).exclude(version=-generation)
    with _reading_lists(1):
        return len(codes.order_by(distance).values_list("pk", flat=True)[: codes.count()])


@contextmanager
def _reading_lists(probes: int) -> Iterator[None]:
    """Have the first stage read so many lists of its index, and nothing else: what the planner takes for cheaper would
    find other documents than those that were measured."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_READING_LISTS, [str(probes)])
        yield


_READING_LISTS = """
    SELECT set_config('ivfflat.probes', %s, true), set_config('enable_seqscan', 'off', true),
           set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)
"""


def _codes(space: EmbeddingSpace, filters: Filters) -> QuerySet[SignCode]:
    """The codes that a search may find."""
    codes = SignCode.objects.filter(space=space)
    if filters.kinds:
        kinds = sorted(filters.kinds)
        codes = codes.filter(kind=kinds[0]) if len(kinds) == 1 else codes.filter(kind__in=kinds)
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


def _proposed(codes: QuerySet[SignCode], distance: Hamming, number: int) -> list[int]:
    return list(codes.order_by(distance).values_list("pk", flat=True)[:number])


def _ranked(vectors: QuerySet[SourceVector], vector: Vector, *, limit: int) -> tuple[SemanticHit, ...]:
    rows: Sequence[tuple[Any, ...]] = list(
        vectors.annotate(score=Cosine(vector))
        .order_by(F("score").desc(), "object_id")
        .values_list("kind", "object_id", "score")[:limit]
    )
    return tuple(SemanticHit(kind=kind, id=object_id, score=score) for kind, object_id, score in rows)
