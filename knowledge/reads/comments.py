"""Reads of comments: flat, as the REST door lists them, and in threads, as the screens show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, F
from django.db.models.functions import Coalesce

from company.rules.actors import Actor, ActorKind, Author
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import Comment
from knowledge.models.talk import PAGE
from knowledge.reads.pages import require_readable
from knowledge.reads.subjects import subjects_of

CURSOR_WIDTH = 1


@dataclass(frozen=True, kw_only=True)
class CommentView:
    """A comment. `reply_to` is the first comment of its thread, which may be gone; `edited_at` is set once edited.

    `subject_id` names what it is about among things of its `kind`, pages included.
    """

    id: int
    kind: str
    subject_id: int
    body: str
    author: Author
    created_at: datetime
    reply_to: int | None
    edited_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Thread:
    """A comment and the replies to it, oldest first; `first` is None where the comment was removed."""

    id: int
    first: CommentView | None
    replies: tuple[CommentView, ...]


def list_comments(*, actor: Actor, page_id: int, window: Window) -> Listing[CommentView]:
    """The comments of a page, oldest first; `not_found` as for the page itself. Three queries."""
    require_readable(actor, page_id)
    return comments_about(PAGE, page_id, window=window)


def comments_about(kind: str, subject_id: int, *, window: Window) -> Listing[CommentView]:
    """The comments on a thing whose reader has been judged already, oldest first. Two queries."""
    comments = Comment.objects.filter(**about(kind, subject_id))
    total = comments.count()
    after = _id_of(window)
    rows = list(comments.filter(pk__gt=after).order_by("pk")[: window.limit + 1])
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].pk,))
    return Listing(results=tuple(view_of(row) for row in rows), total=total, after=cursor)


def get_comment(*, actor: Actor, comment_id: int) -> CommentView:
    """One comment; `not_found` where it or its page is not there for this actor. Two queries."""
    row = Comment.objects.filter(pk=comment_id).first()
    if row is None:
        raise Refused(Code.NOT_FOUND, "There is no such comment, or it is not yours to see. It may have been removed.")
    if row.page_id is not None:
        require_readable(actor, row.page_id)
    else:
        subjects_of(row.kind).require_readable(actor, row.subject_id or 0)
    return view_of(row)


def threads_about(kind: str, subject_id: int, *, window: Window) -> Listing[Thread]:
    """The comments on a thing whose reader has been judged already, in threads, oldest thread first; `total` counts
    comments. One query where there are none, else three."""
    after = _id_of(window)
    of_it = Comment.objects.filter(**about(kind, subject_id))
    comments = of_it.annotate(thread=Coalesce(F("reply_to"), F("id"), output_field=BigIntegerField()))
    ids = list(
        comments.filter(thread__gt=after)
        .order_by("thread")
        .values_list("thread", flat=True)
        .distinct()[: window.limit + 1]
    )
    if not ids:
        return Listing(results=(), total=0)
    cursor = None
    if len(ids) > window.limit:
        ids.pop()
        cursor = encode_cursor((ids[-1],))
    threads = _threads(comments.filter(thread__in=ids).order_by("pk"), ids)
    return Listing(results=threads, total=of_it.count(), after=cursor)


def about(kind: str, subject_id: int) -> dict[str, Any]:
    """What the rows about a thing hold."""
    return {"page_id": subject_id} if kind == PAGE else {"kind": kind, "subject_id": subject_id}


def has_earlier_threads(*, subject_id: int, thread: int, number: int, kind: str = PAGE) -> bool:
    """Whether at least `number` threads on a thing are older than `thread`, so that it is not in their first window."""
    older = (
        Comment.objects.filter(**about(kind, subject_id))
        .annotate(thread=Coalesce(F("reply_to"), F("id"), output_field=BigIntegerField()))
        .filter(thread__lt=thread)
    )
    return len(older.values_list("thread", flat=True).distinct()[:number]) >= number


def view_of(row: Comment) -> CommentView:
    """A comment's row as it is answered."""
    return CommentView(
        id=row.pk,
        kind=row.kind,
        subject_id=row.page_id or row.subject_id or 0,
        body=row.body,
        author=Author(name=row.author_name, kind=ActorKind(row.author_kind)),
        created_at=row.created_at,
        reply_to=row.reply_to,
        edited_at=row.edited_at,
    )


def _threads(comments: Iterable[Comment], ids: list[int]) -> tuple[Thread, ...]:
    firsts: dict[int, CommentView] = {}
    replies: dict[int, list[CommentView]] = {thread: [] for thread in ids}
    for row in comments:
        shown = view_of(row)
        if shown.reply_to is None:
            firsts[shown.id] = shown
        else:
            replies[shown.reply_to].append(shown)
    return tuple(Thread(id=thread, first=firsts.get(thread), replies=tuple(replies[thread])) for thread in ids)


def _id_of(window: Window) -> int:
    if window.after is None:
        return 0
    value = window.after[0]
    if type(value) is not int:
        raise Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
    return value
