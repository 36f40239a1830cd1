"""Fusion: one ranking out of two, by reciprocal rank. Pure.

A document earns `weight / (k + rank)` from each ranking that has it. Scores of the two halves are on scales that have
nothing to do with each other, so only ranks are asked; a half may be weighed by a factor measured for its model.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

#: How much the first ranks differ: the customary constant, large enough that no single first place decides.
K = 60

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each half counts. Plain reciprocal rank fusion is one and one."""

    keyword: float = 1.0
    semantic: float = 1.0


PLAIN = Weights()


@dataclass(frozen=True, slots=True)
class Fused(Generic[Key]):
    """One document of the fused ranking, and its rank (from 1) in each half that found it."""

    key: Key
    score: float
    keyword_rank: int | None
    semantic_rank: int | None


def fuse(
    *,
    keyword: Sequence[Key],
    semantic: Sequence[Key],
    weights: Weights = PLAIN,
    identifiers: Mapping[Key, int] | None = None,
) -> list[Fused[Key]]:
    """The fused ranking of two, best first; each input is best first and without repeats.

    `identifiers` counts, for documents of the keyword ranking, the question's identifiers they hold whole: more of
    them rank before any score, so a page that holds the very name asked for is first in the fusion too. Documents
    with equal scores stand in the order of the keyword half, then of the semantic one.
    """
    whole = identifiers or {}
    ranks_keyword = {key: rank for rank, key in enumerate(keyword, start=1)}
    ranks_semantic = {key: rank for rank, key in enumerate(semantic, start=1)}
    fused = [
        Fused(
            key=key,
            score=_part(ranks_keyword.get(key), weights.keyword) + _part(ranks_semantic.get(key), weights.semantic),
            keyword_rank=ranks_keyword.get(key),
            semantic_rank=ranks_semantic.get(key),
        )
        for key in dict.fromkeys((*keyword, *semantic))
    ]
    fused.sort(key=lambda one: (-whole.get(one.key, 0), -one.score))
    return fused


def _part(rank: int | None, weight: float) -> float:
    return 0.0 if rank is None else weight / (K + rank)
