"""Pages as the tools answer them: one line with id, address and version, then markdown. The body is never touched."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.reads.comments import CommentView
from knowledge.reads.shapes import PageFacts, PageRow, PageView
from knowledge.search.rules.outcome import SENTENCES
from knowledge.search.seam import Found

NOT_SEARCHED = (
    "The knowledge base could not be searched just now. That says nothing about what has been written down: ask a "
    "colleague rather than concluding that there is no such page."
)
WAITS = "It waits for review: nobody reads it before an administrator other than its writer has approved it."
HITS_SHOWN = 6
"""Contract, section 5."""


def header(page: PageFacts) -> str:
    """The line on top of every answer about one page."""
    status = f" · {page.status.value}" if page.status.value != "published" else ""
    return f"page {page.id} · {page.address} · version {page.version}{status}{_waiting(page)} · {page.title}"


def _waiting(page: PageFacts) -> str:
    """What waits for review of a page, for those who may save it: the next save begins from there."""
    if not isinstance(page, PageView) or page.pending_version is None:
        return ""
    return " · waits for review" if page.waits else f" · version {page.pending_version} waits for review"


def whole(page: PageView) -> str:
    """The header, an empty line, and the body to the byte: a save may give back all that stands after the first
    empty line."""
    return f"{header(page)}\n\n{page.body}"


def done(page: PageFacts, *sentences: str) -> str:
    """The header of a page something was done to, and what there is to say of it."""
    return "\n\n".join([header(page), *sentences])


def rows(pages: Iterable[PageRow], *, total: int, after: str | None) -> str:
    """A listing, a line a page."""
    lines = [_row(page) for page in pages]
    if not lines:
        return "No page fits."
    shown = f"{len(lines)} of {total}" if after else str(total)
    tail = [f"\nGo on with after: {after}"] if after else []
    return "\n".join([f"{shown} {'page' if total == 1 else 'pages'}", "", *lines, *tail])


def _row(page: PageRow) -> str:
    beneath = f" · {page.children} beneath" if page.children else ""
    labels = f" · {', '.join(page.labels)}" if page.labels else ""
    return f"- {header(page)}{beneath}{labels}"


def comment(said: CommentView, *, verb: str) -> str:
    """A comment that was written or changed."""
    return f"comment {said.id} · {said.kind} {said.subject_id} · {verb}"


def found(result: Found) -> str:
    """The hits of a search, and in words what the search was worth."""
    outcome = result.outcome
    notes = [SENTENCES[reason] for reason in outcome.degraded]
    if not outcome.ran:
        lines = [NOT_SEARCHED]
    elif not result.hits:
        lines = ["No page matches."]
    else:
        lines = [f"{len(result.hits)} {'page' if len(result.hits) == 1 else 'pages'}, best first"]
        for hit in result.hits:
            where = " › ".join((hit.container, *hit.ancestors))
            lines.append(f"\n{hit.rank}. page {hit.page_id} · {hit.title}\n   {where}\n   {hit.snippet}")
    return "\n".join([*lines, *([""] if notes else []), *notes])
