"""The comments beneath a page, or a thing of another app, as a screen shows them: rendered, in threads, with what their
reader may do to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Refused
from company.rules.windows import Listing, Window, parse_window
from knowledge.addresses import base_urls
from knowledge.models.talk import PAGE
from knowledge.reads.comments import CURSOR_WIDTH, CommentView, Thread, threads_about
from knowledge.reads.shapes import PageView
from knowledge.rules.authority import require_author
from knowledge.rules.markdown import render_kept
from knowledge.views.abilities import abilities_on

THREADS = 100
NO_THREADS: Listing[Thread] = Listing(results=(), total=0)


@dataclass(frozen=True, kw_only=True)
class Place:
    """What is talked about: its screen's `address`, the address below which one comment on it is found, what a reader
    calls it, and whether they may say something."""

    kind: str
    subject_id: int
    address: str
    comments: str
    what: str
    open: bool


def place_of(page: PageView, *, actor: Actor) -> Place:
    """A page as comments are written beneath it."""
    return Place(
        kind=PAGE,
        subject_id=page.id,
        address=f"/knowledge/pages/{page.id}",
        comments="/knowledge/comments",
        what="page",
        open=abilities_on(page, actor=actor).comment,
    )


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A comment, rendered, where it alone is found, and whether its reader may edit and remove it."""

    comment: CommentView
    address: str
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

    place: Place
    threads: Sequence[ShownThread]
    total: int
    after: str | None
    open: bool
    typed: Typed | None = None


def talk_on(
    request: HttpRequest, actor: Actor, place: Place, *, typed: Typed | None = None, silent: bool = False
) -> Talk:
    """The comments on what was read; `comments` in the query is the cursor of a later window.

    `silent` says that the caller knows of none, and spares asking.
    """
    after = parse_window(None, request.GET.get("comments"), width=CURSOR_WIDTH).after
    listing = NO_THREADS
    if not silent:
        listing = threads_about(place.kind, place.subject_id, window=Window(limit=THREADS, after=after))
    threads = [
        ShownThread(
            id=thread.id,
            first=show(request, actor, thread.first, place=place) if thread.first else None,
            replies=[show(request, actor, reply, place=place) for reply in thread.replies],
        )
        for thread in listing.results
    ]
    if typed is not None and typed.reply_to not in [thread.id for thread in threads]:
        typed = replace(typed, reply_to=None)  # what it replied to is gone, and what was typed is not
    opened = place.open or typed is not None
    return Talk(place=place, threads=threads, total=listing.total, after=listing.after, open=opened, typed=typed)


def show(request: HttpRequest, actor: Actor, comment: CommentView, *, place: Place) -> Shown:
    """A comment for the screen, by the renderer of pages."""
    rendered = render_kept(
        comment.body,
        base_urls=base_urls(request),
        handles=live.current().handles,
        within=f"c{comment.id}",
    )
    return Shown(
        comment=comment,
        address=f"{place.comments}/{comment.id}",
        html=rendered.html,
        edits=place.open and _may(comment, actor, or_admin=False),
        removes=place.open and _may(comment, actor, or_admin=True),
    )


def _may(comment: CommentView, actor: Actor, *, or_admin: bool) -> bool:
    try:
        require_author(comment.author, actor=actor, or_admin=or_admin)
    except Refused:
        return False
    return True
