"""The comments beneath a page as a screen shows them: rendered, in threads, with what their reader may do to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Refused
from company.rules.windows import Listing, Window, parse_window
from knowledge.addresses import base_urls
from knowledge.reads.comments import CURSOR_WIDTH, CommentView, Thread, threads_of
from knowledge.reads.shapes import PageView
from knowledge.rules.authority import require_author
from knowledge.rules.markdown import render_kept
from knowledge.views.abilities import abilities_on

THREADS = 100
NO_THREADS: Listing[Thread] = Listing(results=(), total=0)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A comment, rendered, and whether its reader may edit and remove it."""

    comment: CommentView
    html: str
    edits: bool
    removes: bool


@dataclass(frozen=True, kw_only=True)
class ShownThread:
    """A thread; `first` is None where the comment it began with was removed."""

    id: int
    first: Shown | None
    replies: Sequence[Shown]


@dataclass(frozen=True, kw_only=True)
class Typed:
    """A comment that was typed and refused: what is still in its form, and why."""

    body: str
    reply_to: int | None
    refused: Refused


@dataclass(frozen=True, kw_only=True)
class Talk:
    """What is said about a page: one window of threads, how many comments there are in all, and the cursor after it."""

    threads: Sequence[ShownThread]
    total: int
    after: str | None
    open: bool
    typed: Typed | None = None


def talk_on(
    request: HttpRequest, actor: Actor, page: PageView, *, typed: Typed | None = None, silent: bool = False
) -> Talk:
    """The comments of a page that was read; `comments` in the query is the cursor of a later window.

    `silent` says that the caller knows of none, and spares asking.
    """
    after = parse_window(None, request.GET.get("comments"), width=CURSOR_WIDTH).after
    listing = NO_THREADS if silent else threads_of(page, window=Window(limit=THREADS, after=after))
    may_speak = abilities_on(page, actor=actor).comment
    threads = [
        ShownThread(
            id=thread.id,
            first=show(request, actor, thread.first, may_speak=may_speak) if thread.first else None,
            replies=[show(request, actor, reply, may_speak=may_speak) for reply in thread.replies],
        )
        for thread in listing.results
    ]
    if typed is not None and typed.reply_to not in [thread.id for thread in threads]:
        typed = replace(typed, reply_to=None)  # what it replied to is gone, and what was typed is not
    opened = may_speak or typed is not None
    return Talk(threads=threads, total=listing.total, after=listing.after, open=opened, typed=typed)


def show(request: HttpRequest, actor: Actor, comment: CommentView, *, may_speak: bool) -> Shown:
    """A comment for the screen, by the renderer of pages."""
    rendered = render_kept(
        comment.body,
        base_urls=base_urls(request),
        handles=live.current().handles,
        within=f"c{comment.id}",
    )
    return Shown(
        comment=comment,
        html=rendered.html,
        edits=may_speak and _may(comment, actor, or_admin=False),
        removes=may_speak and _may(comment, actor, or_admin=True),
    )


def _may(comment: CommentView, actor: Actor, *, or_admin: bool) -> bool:
    try:
        require_author(comment.author, actor=actor, or_admin=or_admin)
    except Refused:
        return False
    return True
