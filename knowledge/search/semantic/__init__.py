"""Search by meaning: the documents whose vectors lie nearest to the question's.

`nearest(vector, space=…, filters=…)` answers them in two stages: the nearest 1 200 by their sign codes, one bit a
dimension, which is quick to read and coarse; then exactly those by their whole vectors. The score is always the exact
one. `half_of(question, company=…)` takes the question in words, and says why where it cannot be asked by meaning.

The narrowing of a search (kind, containers, buckets, what is excluded) is part of the first stage, so it never takes
a candidate's place: a container of fifty pages beside forty thousand is answered in full.

A search of a whole corpus may read an index over the codes instead of all of them, where one is installed: how many of
its lists are read is measured (`measuring`), and the decision kept (`knowledge.models.SemanticIndex`). `probe_for` says
what a search does; a `Probe` can be handed to `nearest` to see what another one would find.
"""

from __future__ import annotations

from knowledge.search.semantic.asking import (
    QuestionVector,
    SemanticHalf,
    asked_provider,
    half_not_asked,
    half_of,
    vector_of,
)
from knowledge.search.semantic.nearest import (
    CANDIDATES,
    RETURNED,
    Probe,
    SemanticHit,
    nearest,
    nearest_exactly,
    probe_for,
)

__all__ = [
    "CANDIDATES",
    "RETURNED",
    "Probe",
    "QuestionVector",
    "SemanticHalf",
    "SemanticHit",
    "asked_provider",
    "half_not_asked",
    "half_of",
    "nearest",
    "nearest_exactly",
    "probe_for",
    "vector_of",
]
