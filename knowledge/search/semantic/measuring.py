"""Measuring a search by meaning on the corpus itself: documents of it are asked for as if they were questions.

The truth is the exact ranking of the vectors there are, so nobody has to judge anything. A document never counts as its
own answer. The shapes are those that searches are asked in: over the whole corpus, and narrowed to one container.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from knowledge.embedding.rules.vectors import Vector
from knowledge.models import EmbeddingSpace, SignCode, SourceVector
from knowledge.search.lexical.documents import Filters
from knowledge.search.rules.recall import SAMPLED, Recall, recall_of
from knowledge.search.semantic.nearest import CANDIDATES, RETURNED, Probe, SemanticHit, nearest, nearest_exactly


class Shape(StrEnum):
    """What a search is narrowed to."""

    SOURCE = "source"
    CONTAINER = "container"


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """A document of the corpus that is asked for, its vector, and the exact answers, in each shape."""

    object_id: int
    container: str
    vector: Vector
    exact: dict[Shape, tuple[int, ...]]


def sample(space: EmbeddingSpace, *, kind: str, number: int = SAMPLED) -> tuple[Sampled, ...]:
    """Documents drawn at random, with their exact answers: two queries each, which read every vector."""
    drawn = SignCode.objects.filter(space=space, kind=kind).order_by("?")[:number]
    places = {code.pk: (code.object_id, code.container) for code in drawn}
    vectors = dict(SourceVector.objects.filter(pk__in=places).values_list("pk", "vector"))
    found: list[Sampled] = []
    for pk, (object_id, container) in places.items():
        vector = np.asarray(vectors[pk], dtype=np.float32)
        exact = {
            shape: _but(
                nearest_exactly(
                    vector, space=space, filters=filters_of(shape, kind=kind, container=container), limit=RETURNED + 1
                ),
                object_id,
            )
            for shape in Shape
        }
        found.append(Sampled(object_id=object_id, container=container, vector=vector, exact=exact))
    return tuple(found)


def measure(
    asked: Sequence[Sampled], *, space: EmbeddingSpace, kind: str, shape: Shape, probe: Probe | None = None
) -> Recall:
    """The recall of the two stages for sampled documents in one shape; the first stage scans, or probes an index."""

    def found(one: Sampled) -> tuple[int, ...]:
        hits = nearest(
            one.vector,
            space=space,
            filters=filters_of(shape, kind=kind, container=one.container),
            candidates=CANDIDATES + 1,
            limit=RETURNED + 1,
            probe=probe,
        )
        return _but(hits, one.object_id)

    return recall_of([(one.exact[shape], found(one)) for one in asked])


def filters_of(shape: Shape, *, kind: str, container: str) -> Filters:
    """The filters of a search of this shape."""
    return Filters(kinds=frozenset({kind}), containers=frozenset({container}) if shape is Shape.CONTAINER else None)


def sizes(space: EmbeddingSpace, *, kind: str, asked: Sequence[Sampled], shape: Shape) -> int:
    """How many documents searches of this shape are over, which their floor depends on; of several, the fewest."""
    codes = SignCode.objects.filter(space=space, kind=kind)
    if shape is Shape.SOURCE:
        return codes.count()
    count: Callable[[str], int] = lambda container: codes.filter(container=container).count()  # noqa: E731
    return min((count(one) for one in {one.container for one in asked}), default=0)


def _but(hits: Sequence[SemanticHit], own: int) -> tuple[int, ...]:
    return tuple(hit.id for hit in hits if hit.id != own)[:RETURNED]
