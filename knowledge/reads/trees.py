"""Walks of the tree, up and down, each in one query. They know nothing of actors: callers narrow what they hand on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection

from company.rules.actors import ActorKind, Author
from knowledge.models import PageStatus

_UPWARDS = """
WITH RECURSIVE chain AS (
    SELECT id AS start, parent_id AS above, 1 AS height FROM knowledge_page WHERE id = ANY(%s)
    UNION ALL
    SELECT chain.start, page.parent_id, chain.height + 1
    FROM chain JOIN knowledge_page page ON page.id = chain.above
) CYCLE above SET looped USING way
SELECT chain.start, page.id, page.container, page.title, page.status, page.author_name, page.author_kind
FROM chain JOIN knowledge_page page ON page.id = chain.above
WHERE NOT looped
ORDER BY chain.start, chain.height DESC
"""

_DOWNWARDS = """
WITH RECURSIVE branch AS (
    SELECT id, 0 AS depth FROM knowledge_page WHERE id = %s
    UNION ALL
    SELECT page.id, branch.depth + 1
    FROM branch JOIN knowledge_page page ON page.parent_id = branch.id
) CYCLE id SET looped USING way
SELECT page.id, page.parent_id, page.address, page.status, page.trashed_with, branch.depth
FROM branch JOIN knowledge_page page ON page.id = branch.id
WHERE NOT looped
ORDER BY branch.depth, page.id
"""

_BENEATH = """
WITH RECURSIVE beneath AS (
    SELECT id FROM knowledge_page WHERE parent_id = ANY(%s)
    UNION
    SELECT page.id FROM beneath JOIN knowledge_page page ON page.parent_id = beneath.id
)
SELECT id FROM beneath
"""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A page on the way from the top down to another one, with what decides who sees it."""

    id: int
    container: str
    title: str
    status: PageStatus
    author: Author


@dataclass(frozen=True, kw_only=True)
class Twig:
    """A page of a branch, `depth` levels beneath the page the branch starts at."""

    id: int
    parent_id: int | None
    address: str
    status: PageStatus
    trashed_with: int | None
    depth: int


def ancestors_of(page_ids: Collection[int]) -> dict[int, tuple[Link, ...]]:
    """The ancestors of each page, from the top down. One query, however deep the pages lie; none for no pages."""
    found: dict[int, tuple[Link, ...]] = dict.fromkeys(page_ids, ())
    if not found:
        return found
    with connection.cursor() as cursor:
        cursor.execute(_UPWARDS, [list(found)])
        for start, page_id, container, title, status, author_name, author_kind in cursor.fetchall():
            link = Link(
                id=page_id,
                container=container,
                title=title,
                status=PageStatus(status),
                author=Author(name=author_name, kind=ActorKind(author_kind)),
            )
            found[start] = (*found[start], link)
    return found


def branch_of(page_id: int) -> tuple[Twig, ...]:
    """The page and everything beneath it, living or not, level by level. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_DOWNWARDS, [page_id])
        return tuple(
            Twig(
                id=twig_id,
                parent_id=parent_id,
                address=address,
                status=PageStatus(status),
                trashed_with=trashed_with,
                depth=depth,
            )
            for twig_id, parent_id, address, status, trashed_with, depth in cursor.fetchall()
        )


def descendants_of(page_ids: Collection[int]) -> tuple[int, ...]:
    """The ids of everything beneath these pages, living or not. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_BENEATH, [list(page_ids)])
        return tuple(page_id for (page_id,) in cursor.fetchall())
