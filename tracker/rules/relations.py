"""Relations between items: how one that is asked for is kept, how it reads from either end, and which are refused.

Of every pair of words one is kept: `blocks` (`blocked_by` is the same from the other end), `duplicates`, and `relates`
from the lower id to the higher. Neither blocking nor duplicating goes in a circle, since nothing in one could ever end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from company.rules.refusals import Code, Refused
from tracker.rules.vocabulary import Relation

DIRECTED = frozenset({Relation.BLOCKS, Relation.DUPLICATES})

WORDS = {
    (Relation.BLOCKS, True): "Blocks",
    (Relation.BLOCKS, False): "Blocked by",
    (Relation.DUPLICATES, True): "Duplicates",
    (Relation.DUPLICATES, False): "Duplicated by",
    (Relation.RELATES, True): "Relates to",
    (Relation.RELATES, False): "Relates to",
}
"""How a kept relation reads from the item it leaves (True) and from the one it leads to."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A relation as it is kept."""

    relation: Relation
    source: int
    target: int


def kept_as(relation: Relation, *, item: int, other: int) -> Kept:
    """How `item` standing in `relation` to `other` is kept; `invalid` for an item and itself."""
    if item == other:
        raise Refused(Code.INVALID, "An item stands in no relation to itself. Name another one.", attr="key")
    if relation is Relation.BLOCKED_BY:
        return Kept(relation=Relation.BLOCKS, source=other, target=item)
    if relation is Relation.RELATES:
        return Kept(relation=relation, source=min(item, other), target=max(item, other))
    return Kept(relation=relation, source=item, target=other)


def reaches(edges: Mapping[int, Iterable[int]], *, start: int, goal: int) -> bool:
    """Whether a walk along `edges` from `start` comes to `goal`."""
    seen, left = {start}, [start]
    while left:
        here = left.pop()
        if here == goal:
            return True
        for further in edges.get(here, ()):
            if further not in seen:
                seen.add(further)
                left.append(further)
    return False


def refuse_circle(relation: Relation) -> Refused:
    """The refusal of a relation that would close a circle."""
    words = "block each other" if relation is Relation.BLOCKS else "be duplicates of each other"
    return Refused(Code.INVALID, f"The two would {words}, perhaps by way of others. Remove one link first.", attr="key")
