"""The row of one page, with whether anything stands beside it: the read that most requests begin with.

One statement, written out: it is asked for at every page view, where building the same statement anew each time costs
more than Postgres takes to answer it. Narrowing it by the actor is its callers' part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

_ASKED = """
SELECT id, container, parent_id, position, title, address, status, labels, watchers, version, is_folder,
       author_name, author_kind, created_at, saved_by_name, saved_by_kind, saved_at, updated_at, trashed_at, body,
       held_version,
       EXISTS (SELECT FROM knowledge_page under WHERE under.parent_id = page.id) AS children,
       EXISTS (SELECT FROM knowledge_attachment WHERE page_id = page.id) AS files,
       EXISTS (SELECT FROM knowledge_pagelink WHERE target = page.id) AS links,
       EXISTS (SELECT FROM knowledge_comment WHERE page_id = page.id) AS comments,
       EXISTS (SELECT FROM knowledge_pagereading WHERE page_id = page.id) AS readings
FROM knowledge_page page WHERE page.id = %s
"""


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Which listings of a page are worth asking for, whoever reads: most pages have none of one kind or another, and
    a listing that comes back empty costs as much as a full one. `links` are those of pages."""

    children: bool
    files: bool
    links: bool
    comments: bool
    readings: bool


def row_of(page_id: int) -> tuple[dict[str, Any], Beside] | None:
    """The columns of a listing and the body of a page, and what stands beside it; None where there is no such page."""
    with connection.cursor() as cursor:
        cursor.execute(_ASKED, [page_id])
        found, names = cursor.fetchone(), [column.name for column in cursor.description]
    if found is None:
        return None
    row = dict(zip(names, found, strict=True))
    return row, Beside(**{name: row.pop(name) for name in ("children", "files", "links", "comments", "readings")})
