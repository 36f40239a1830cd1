"""Measuring the search by meaning as it ships, on this company's own vectors, and what of its text has none.

The truth is the exact scan's own ranking, so nobody has to judge anything. Documents of the corpus are asked for as if
they were questions, in every shape a search is asked in, and none counts as its own answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count

from company import live
from company.rules.refusals import Code, Refused
from knowledge.embedding.current import provider_for
from knowledge.embedding.rules.vectors import Vector
from knowledge.embedding.rules.window import WINDOW_BYTES, reach_of
from knowledge.models import EmbeddingSpace, SemanticIndex, SignCode, SourceVector
from knowledge.search import corpora
from knowledge.search.lexical.documents import Filters
from knowledge.search.rules.recall import SAMPLED, Recall, floor_of, recall_of
from knowledge.search.semantic import CANDIDATES, RETURNED, Probe, SemanticHit, nearest, nearest_exactly

#: Which documents are asked for: the same ones each time, so that two runs over one corpus say the same.
_SEED = 1_200

_Key = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One shape of search: what it found of the exact ranking over `questions`, and the least it has to.

    `scan` is the same with every code read, where searches of this shape read an index.
    """

    shape: str
    recall: Recall
    floor: float
    questions: int
    scan: Recall | None = None

    @property
    def passes(self) -> bool:
        """Whether a search of this shape is good enough."""
        return self.recall.meets(self.floor)


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The shapes of one space, the unfiltered one first, and the indexes that were read. `others` are vectors of other
    spaces, which no search sees."""

    space: EmbeddingSpace
    sources: int
    shapes: Sequence[Measured]
    indexes: Sequence[SemanticIndex]
    others: Sequence[tuple[EmbeddingSpace, int]]

    @property
    def passes(self) -> bool:
        """Whether every shape is good enough."""
        return all(shape.passes for shape in self.shapes)


@dataclass(frozen=True, kw_only=True)
class PastWindow:
    """What of one corpus lies past the opening that is embedded: found by its words, never by its meaning."""

    kind: str
    sources: int
    sources_past: int
    total_bytes: int
    past_bytes: int


@dataclass(frozen=True, slots=True)
class _Asked:
    key: _Key
    container: str
    vector: Vector


def evaluate(*, probes: int | None = None) -> Evaluation | None:
    """The search in the space that is asked now, on 25 documents of it; None where there is no vector.

    `probes` is how many lists of an index to read instead of what it was measured to need; refused as `invalid` where
    no index is installed. Reads every vector some two dozen times over. Raises `django.db.Error` while the database is
    away.
    """
    spaces = list(EmbeddingSpace.objects.annotate(number=Count("signcode")).filter(number__gt=0).order_by("-number"))
    if not spaces:
        return None
    wanted = _current(spaces)
    codes = SignCode.objects.filter(space=wanted)
    asked = _sampled(wanted)
    kinds = sorted(codes.values_list("kind", flat=True).distinct().order_by())
    indexes = list(SemanticIndex.objects.filter(space=wanted, is_installed=True).order_by("kind"))
    if probes is not None and not indexes:
        raise Refused(Code.INVALID, "There is no index whose lists could be read: every search reads every code.")
    of_kinds = {index.kind: Probe(generation=index.generation, probes=probes or index.probes) for index in indexes}
    shapes = [_measured("unfiltered", asked, lambda _: Filters(), space=wanted, size=codes.count())]
    for kind in kinds:
        size = codes.filter(kind=kind).count()
        probe = of_kinds.get(kind)
        shapes.append(_measured(f"source:{kind}", asked, _only(kind), space=wanted, size=size, probe=probe))
    for kind in kinds:
        mine = [one for one in asked if one.key[0] == kind]
        if mine:
            sizes = [codes.filter(kind=kind, container=one).count() for one in {one.container for one in mine}]
            shapes.append(_measured(f"container:{kind}", mine, _own_container, space=wanted, size=min(sizes)))
    others = [(space, number) for space, number in _counted(spaces) if space != wanted]
    return Evaluation(space=wanted, sources=codes.count(), shapes=shapes, indexes=indexes, others=others)


def window_bytes() -> int:
    """The window that this company's documents are embedded by."""
    try:
        provider = provider_for(live.current())
    except Refused:
        provider = None
    return WINDOW_BYTES if provider is None else min(WINDOW_BYTES, provider.limits.input_bytes)


def past_windows(bound: int) -> Iterator[PastWindow]:
    """What lies past a window of `bound` bytes, for each corpus. Reads every body."""
    for corpus in corpora.registered():
        sources = sources_past = total = past = identity = 0
        while documents := corpus.after(identity):
            identity = documents[-1].id
            for document in documents:
                reach = reach_of(title=document.title, body=document.body, bound=bound)
                sources += 1
                sources_past += reach.past > 0
                total += reach.total
                past += reach.past
        yield PastWindow(
            kind=corpus.kind, sources=sources, sources_past=sources_past, total_bytes=total, past_bytes=past
        )


def _current(spaces: Sequence[EmbeddingSpace]) -> EmbeddingSpace:
    """The space of the company's provider; of several without one, that with the most vectors."""
    try:
        provider = provider_for(live.current())
    except Refused:
        provider = None
    if provider is not None:
        for space in spaces:
            if (space.model, space.dimensions) == (provider.model, provider.dimensions):
                return space
    return spaces[0]


def _counted(spaces: Sequence[EmbeddingSpace]) -> list[tuple[EmbeddingSpace, int]]:
    return [(space, SignCode.objects.filter(space=space).count()) for space in spaces]


def _sampled(space: EmbeddingSpace) -> list[_Asked]:
    keys = list(SignCode.objects.filter(space=space).order_by("pk").values_list("pk", flat=True))
    drawn = random.Random(_SEED).sample(keys, min(SAMPLED, len(keys)))  # noqa: S311 (a sample, not a secret)
    rows = SourceVector.objects.filter(pk__in=drawn).order_by("pk")
    return [
        _Asked((kind, object_id), container, np.asarray(vector, dtype=np.float32))
        for kind, object_id, container, vector in rows.values_list("kind", "object_id", "code__container", "vector")
    ]


def _only(kind: str) -> Callable[[_Asked], Filters]:
    filters = Filters(kinds=frozenset({kind}))
    return lambda _: filters


def _own_container(asked: _Asked) -> Filters:
    return Filters(kinds=frozenset({asked.key[0]}), containers=frozenset({asked.container}))


def _measured(
    shape: str,
    asked: Sequence[_Asked],
    filters_of: Callable[[_Asked], Filters],
    *,
    space: EmbeddingSpace,
    size: int,
    probe: Probe | None = None,
) -> Measured:
    exact = [
        _but_itself(nearest_exactly(one.vector, space=space, filters=filters_of(one), limit=RETURNED + 1), one.key)
        for one in asked
    ]

    def recall(probe: Probe | None) -> Recall:
        pairs = []
        for one, truth in zip(asked, exact, strict=True):
            found = nearest(
                one.vector,
                space=space,
                filters=filters_of(one),
                candidates=CANDIDATES + 1,
                limit=RETURNED + 1,
                probe=probe,
            )
            pairs.append(_numbered(truth, _but_itself(found, one.key)))
        return recall_of(pairs)

    return Measured(
        shape=shape,
        recall=recall(probe),
        floor=floor_of(size),
        questions=len(asked),
        scan=None if probe is None else recall(None),
    )


def _but_itself(hits: Sequence[SemanticHit], own: _Key) -> list[_Key]:
    return [(hit.kind, hit.id) for hit in hits if (hit.kind, hit.id) != own][:RETURNED]


def _numbered(exact: Sequence[_Key], found: Sequence[_Key]) -> tuple[list[int], list[int]]:
    """Two rankings of several kinds as numbers: ids of different kinds may be equal."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys((*exact, *found)))}
    return [numbers[key] for key in exact], [numbers[key] for key in found]
