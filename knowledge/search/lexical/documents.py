"""What the lexical index is fed with, and what it answers about itself. Values only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True)
class Document:
    """One thing to be found. `kind` and `id` are its identity; putting it again replaces it.

    `ancestors` are the ids of every page above it, whatever their order: a search that leaves a page's descendants out
    asks for them. `is_drafted` marks the drafts that promotion files, which searches leave out unless told otherwise.
    """

    kind: str
    id: int
    container: str
    bucket: int
    title: str
    body: str
    version: int
    ancestors: tuple[int, ...] = ()
    is_drafted: bool = False


@dataclass(frozen=True, kw_only=True)
class Removal:
    """One thing that must not be found any more. Removing what is not there is no fault."""

    kind: str
    id: int


@dataclass(frozen=True, kw_only=True)
class IndexState:
    """Where the index stands, committed with the documents it is true of.

    `position` is the place in the change log up to which everything is in, in the follower's own words; None before
    the first commit. `kinds` names what the index was built of, joined by commas. `is_whole` says that the first lap
    over every document is done, and stays true from then on. `lap_kind` and `lap_after` are the kind and the id after
    which an unfinished lap goes on; `done` of `total` is its progress. `seen` is the id of the newest change taken in.
    """

    position: str | None = None
    kinds: str = ""
    is_whole: bool = False
    lap_kind: str = ""
    lap_after: int = 0
    done: int = 0
    total: int = 0
    seen: int = 0

    def to_json(self) -> str:
        """As the index keeps it."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> IndexState:
        """As the index kept it; raises ValueError or TypeError for text that no index of ours wrote."""
        return cls(**json.loads(text))


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Changes that belong together, and the state of the index once they are in."""

    documents: Sequence[Document] = ()
    removals: Sequence[Removal] = ()
    state: IndexState


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What may be found. Empty means everything; what is left out never costs a place.

    `containers` None is every container, an empty one is none at all. `buckets` is the first and the last bucket of a
    divided search.
    """

    kinds: frozenset[str] = frozenset()
    containers: frozenset[str] | None = None
    excluded_containers: frozenset[str] = frozenset()
    excluded_ids: frozenset[int] = frozenset()
    excluded_ancestors: frozenset[int] = frozenset()
    with_drafted: bool = False
    buckets: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """One document found. `identifiers` counts the identifiers of the question that it holds whole; more of them rank
    before any score."""

    kind: str
    id: int
    score: float
    identifiers: int = 0


@dataclass(frozen=True, kw_only=True)
class LexicalAnswer:
    """What a search of the index found, and how far the index is. While `state.is_whole` is false, a document may be
    missing only because its turn has not come. `nodes` hosts were asked, and none answered for `buckets_missing`."""

    hits: tuple[LexicalHit, ...]
    state: IndexState
    nodes: int = 1
    buckets_missing: tuple[int, ...] = ()
