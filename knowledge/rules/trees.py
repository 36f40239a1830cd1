"""The tree of a container: where a page may be filed, and in what order a level stands. Pure, over what was fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from company.rules.refusals import Code, Refused


@dataclass(frozen=True, kw_only=True)
class Place:
    """What is known of a page somebody wants to file another one under. `above` are the ids of its ancestors."""

    id: int
    container: str
    living: bool
    above: frozenset[int] = frozenset()


def check_parent(parent: Place | None, *, container: str, page_id: int | None = None) -> None:
    """Refuse a parent that would break the tree (`parent_invalid`, naming `parent_id` and what to do).

    `parent` is None where there is no such page for this writer; `page_id` is the page being filed, None for a new
    one; `container` is where it is to live.
    """
    if parent is None:
        raise _invalid("There is no such page. Give the id of a page of this space, or null for the top.")
    if not parent.living:
        raise _invalid("That page is in the trash. Restore it first, or choose another parent.")
    if parent.container != container:
        raise _invalid(
            f"That page lives in {parent.container}, this one in {container}. Choose a parent in {container}, "
            f"or name the container {parent.container} too."
        )
    if page_id is not None and (parent.id == page_id or page_id in parent.above):
        raise _invalid("A page cannot be filed under itself or under a page beneath it. Move that page out first.")


def _invalid(detail: str) -> Refused:
    return Refused(Code.PARENT_INVALID, detail, attr="parent_id")


def ordered_with(
    siblings: Sequence[int], *, page_id: int, before: int | None = None, after: int | None = None
) -> list[int]:
    """The ids of a level in their new order, `page_id` standing just before `before`, or just after `after`.

    `siblings` are the ids of the level in their order. Raises `invalid` where the one named is not one of them.
    """
    others = [sibling for sibling in siblings if sibling != page_id]
    attr, beside = ("before", before) if before is not None else ("after", after)
    if beside not in others:
        raise Refused(
            Code.INVALID, f"'{attr}' is the id of another page under the same parent. Read that level again.",
            attr=attr,
        )  # fmt: skip
    place = others.index(beside) + (attr == "after")
    return [*others[:place], page_id, *others[place:]]


class Branched(Protocol):
    """A page of a branch, as the two rules below see it."""

    @property
    def id(self) -> int: ...
    @property
    def parent_id(self) -> int | None: ...
    @property
    def trashed_with(self) -> int | None: ...


Twig = TypeVar("Twig", bound=Branched)


def living_branch(branch: Sequence[Branched]) -> list[int]:
    """The ids of a branch that are not in the trash; beneath a trashed page nothing is."""
    return [twig.id for twig in branch if twig.trashed_with is None]


def fallen_with(branch: Sequence[Twig], *, page_id: int, trashed_with: int | None) -> list[Twig]:
    """The pages beneath `page_id` that fell in the same trashing, level by level.

    What was trashed before stands between: neither it nor what lies beneath it belongs. `branch` runs level by level.
    """
    reached = {page_id}
    fallen: list[Twig] = []
    for twig in branch:
        if twig.parent_id in reached and twig.id != page_id and twig.trashed_with == trashed_with:
            reached.add(twig.id)
            fallen.append(twig)
    return fallen
