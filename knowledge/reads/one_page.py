"""The row of one page, with whether anything stands beside it: the read that most requests begin with.

One statement, written out: it is asked for at every page view, where building the same statement anew each time costs
more than Postgres takes to answer it. Narrowing it by the actor is its callers' part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from knowledge.reads.levels import COLUMNS

_ASKED = f"""
SELECT {", ".join(COLUMNS)}, body,
       EXISTS (SELECT FROM knowledge_page under WHERE under.parent_id = page.id),
       EXISTS (SELECT FROM knowledge_attachment WHERE page_id = page.id),
       EXISTS (SELECT FROM knowledge_pagelink WHERE target = page.id),
       EXISTS (SELECT FROM knowledge_comment WHERE page_id = page.id)
FROM knowledge_page page WHERE page.id = %s
"""  # noqa: S608 (names of columns, from a constant)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Which listings of a page are worth asking for, whoever reads: most pages have none of one kind or another, and
    a listing that comes back empty costs as much as a full one. `links` are those of pages."""

    children: bool
    files: bool
    links: bool
    comments: bool


def row_of(page_id: int) -> tuple[dict[str, Any], Beside] | None:
    """The columns `COLUMNS` and the body of a page, and what stands beside it; None where there is no such page."""
    with connection.cursor() as cursor:
        cursor.execute(_ASKED, [page_id])
        found = cursor.fetchone()
    if found is None:
        return None
    *values, children, files, links, comments = found
    row = dict(zip((*COLUMNS, "body"), values, strict=True))
    return row, Beside(children=children, files=files, links=links, comments=comments)
