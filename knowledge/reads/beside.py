"""What stands beside a page: whether it has files, links to it, or comments, in one query.

Most pages have none of one kind or another, and a listing that would come back empty costs as much as a full one.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

_ASKED = """
SELECT EXISTS (SELECT FROM knowledge_attachment WHERE page_id = %(page)s),
       EXISTS (SELECT FROM knowledge_pagelink WHERE target = %(page)s),
       EXISTS (SELECT FROM knowledge_comment WHERE page_id = %(page)s)
"""


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Which listings of a page are worth asking for. `links` counts those of pages, seen by the reader or not."""

    files: bool
    links: bool
    comments: bool


def beside(page_id: int) -> Beside:
    """What stands beside a page that the reader has been shown already."""
    with connection.cursor() as cursor:
        cursor.execute(_ASKED, {"page": page_id})
        files, links, comments = cursor.fetchone()
    return Beside(files=files, links=links, comments=comments)
