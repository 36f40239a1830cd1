"""The outcome: what a search did, beside what it found. Pure.

"Nothing matched" and "this could not be searched" send a reader to different places, so every answer says in which
mode it was served, what it covered, and everything that made it less than what was asked.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from company.rules.refusals import Code, Refused
from knowledge.rules.limits import SEARCH_BUCKETS


class Mode(StrEnum):
    """How a search ranks: by both halves, by words, by meaning."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"


class Degraded(StrEnum):
    """Why an answer is less than what was asked for."""

    NO_EMBEDDINGS = "no_embeddings"
    EMBEDDING_FAILED = "embedding_failed"
    SEMANTIC_PARTIAL = "semantic_partial"
    UNSUPPORTED = "unsupported"
    BUILDING = "building"


#: What to tell a person for each reason.
SENTENCES: dict[Degraded, str] = {
    Degraded.NO_EMBEDDINGS: "Ranked by words alone: this company has no search by meaning.",
    Degraded.EMBEDDING_FAILED: "Ranked by words alone: the question could not be read for its meaning in time.",
    Degraded.SEMANTIC_PARTIAL: "Not every document could be searched by meaning yet.",
    Degraded.UNSUPPORTED: "This knowledge base cannot be searched in the way that was asked for.",
    Degraded.BUILDING: "The search index is still being built: a document may be missing that has been written.",
}

#: What to tell a person when hosts of a divided search did not answer.
PARTLY_COVERED = "Part of the search index could not be reached: a document may be missing that has been written."


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How much of the corpus was searched: over how many hosts, and which buckets no host answered for."""

    nodes: int
    complete: bool
    buckets_missing: tuple[int, ...] = ()


#: Nothing was searched.
NOT_COVERED = Coverage(nodes=0, complete=False, buckets_missing=tuple(range(SEARCH_BUCKETS)))


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """`served_mode` None: no search ran, and an empty list of hits says nothing about what has been written."""

    served_mode: Mode | None
    modes: tuple[Mode, ...]
    coverage: Coverage
    degraded: tuple[Degraded, ...] = field(default=())

    @property
    def ran(self) -> bool:
        """Whether anything was searched."""
        return self.served_mode is not None


@dataclass(frozen=True, kw_only=True)
class Semantic:
    """What the semantic half can do for one search: `why_not` names why it cannot rank at all, if it cannot."""

    why_not: Degraded | None = None
    is_partial: bool = False


def parse_mode(text: str | None) -> Mode:
    """The mode asked for, hybrid where none is; raises `unknown_mode` for a word that is none of the three."""
    if text is None or text == "":
        return Mode.HYBRID
    try:
        return Mode(text)
    except ValueError:
        raise Refused(
            Code.UNKNOWN_MODE, f"There is no mode '{text}'. Use hybrid, keyword or semantic.", attr="mode"
        ) from None


def outcome_of(*, asked: Mode, semantic: Semantic, is_building: bool, coverage: Coverage) -> SearchOutcome:
    """What a native search serves. Hybrid falls back to its keyword half and says so; semantic serves nothing then,
    since words cannot find what shares no word with the question. A search by meaning does not need the index of words.
    """
    modes = (Mode.KEYWORD,) if semantic.why_not is Degraded.NO_EMBEDDINGS else tuple(Mode)
    degraded: list[Degraded] = []
    served: Mode | None = asked
    if asked is not Mode.KEYWORD and semantic.why_not is not None:
        degraded.append(semantic.why_not)
        served = Mode.KEYWORD if asked is Mode.HYBRID else None
    elif asked is not Mode.KEYWORD and semantic.is_partial:
        degraded.append(Degraded.SEMANTIC_PARTIAL)
    if is_building and served in (Mode.KEYWORD, Mode.HYBRID):
        degraded.append(Degraded.BUILDING)
    return SearchOutcome(
        served_mode=served,
        modes=modes,
        coverage=coverage if served is not None else NOT_COVERED,
        degraded=tuple(degraded),
    )


def buckets_missing(answered: Collection[tuple[int, int]]) -> tuple[int, ...]:
    """The buckets that none of these ranges (first and last, both counted) answers for."""
    covered = {bucket for first, last in answered for bucket in range(first, last + 1)}
    return tuple(bucket for bucket in range(SEARCH_BUCKETS) if bucket not in covered)
