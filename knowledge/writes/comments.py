"""Comments: saying something about a page or a thing of another app, putting it better, taking it back.

Each holds the row of what it is about, so that nothing is said on what is going into the trash and comments stand in
the order of their ids. A comment leaves the thing as it is: neither its version nor when it was saved moves.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor, ActorKind, Author
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.writes.idempotency import forget
from knowledge.models import Comment, Page
from knowledge.models.talk import PAGE
from knowledge.reads.comments import CommentView, about, view_of
from knowledge.rules.authority import Act, require_author
from knowledge.rules.markdown import mentions_in
from knowledge.rules.texts import check_comment
from knowledge.writes.kept_answers import comment_key
from knowledge.writes.pages.holding import hold_page, require_on, require_writer
from knowledge.writes.pages.recording import record_page
from knowledge.writes.talked import Said, Talked, register, talkable_of


def add_comment(*, actor: Actor, page_id: int, body: str, reply_to: int | None = None) -> CommentView:
    """A new comment on a page, or a reply. A thread has one level: a reply to a reply joins the thread it stands in.

    Tells the page's watchers, and the seats that `@handle` names outside code. Refuses: `not_found`, `forbidden`,
    `reserved_container`, `trashed`, `required`, `too_long`, and `invalid` for a `reply_to` that is no comment of the
    page.
    """
    return comment_on(PAGE, page_id, actor=actor, body=body, reply_to=reply_to)


def comment_on(kind: str, subject_id: int, *, actor: Actor, body: str, reply_to: int | None = None) -> CommentView:
    """A new comment on a thing of that kind, as `add_comment` makes one on a page."""
    talkable = talkable_of(kind)
    talkable.require_writer(actor)
    text = check_comment(body)
    with transaction.atomic():
        company = live.current_for_write()
        talked = talkable.hold(subject_id, actor=actor, company=company)
        comment = Comment.objects.create(
            **about(kind, subject_id),
            reply_to=_thread_of(reply_to, kind=kind, subject_id=subject_id),
            body=text,
            author_name=actor.author.name,
            author_kind=actor.author.kind.value,
            operator_id=actor.credential,
            created_at=timezone.now(),
        )
        talked.record(
            Said.SAID,
            actor=actor,
            detail={"comment_id": comment.pk, "reply_to": comment.reply_to},
            mentioned=mentions_in(text, handles=company.handles),
        )
        return view_of(comment)


def edit_comment(*, actor: Actor, comment_id: int, body: str) -> CommentView:
    """The comment with another text, marked as edited; the same text changes nothing. Its author's alone.

    Seats the new text mentions and the old one did not are told. Refuses: `not_found`, `forbidden`,
    `reserved_container`, `trashed`, `required`, `too_long`.
    """
    kind, subject_id = _subject_of(comment_id, actor=actor)
    text = check_comment(body)
    with transaction.atomic():
        company = live.current_for_write()
        comment, talked = _hold(comment_id, kind=kind, subject_id=subject_id, actor=actor, company=company)
        require_author(_author_of(comment), actor=actor)
        if text == comment.body:
            return view_of(comment)
        before = mentions_in(comment.body, handles=company.handles)
        comment.body, comment.edited_at = text, timezone.now()
        comment.save(update_fields=["body", "edited_at"])
        mentioned = [seat for seat in mentions_in(text, handles=company.handles) if seat not in before]
        talked.record(Said.EDITED, actor=actor, detail=_detail(comment), mentioned=mentioned)
        forget(comment_key(comment_id))
        return view_of(comment)


def remove_comment(*, actor: Actor, comment_id: int) -> CommentView:
    """Remove a comment; replies to it stay. Its author's or an administrator's. Answers the comment as it was.

    Refuses: `not_found`, `forbidden`, `reserved_container`, `trashed`.
    """
    kind, subject_id = _subject_of(comment_id, actor=actor)
    with transaction.atomic():
        company = live.current_for_write()
        comment, talked = _hold(comment_id, kind=kind, subject_id=subject_id, actor=actor, company=company)
        require_author(_author_of(comment), actor=actor, or_admin=True)
        was = view_of(comment)
        talked.record(Said.REMOVED, actor=actor, detail=_detail(comment), mentioned=())
        comment.delete()
        forget(comment_key(comment_id))
        return was


class _TalkedPage:
    """A page that is held and may be commented on."""

    _VERBS = {Said.SAID: "comment_page", Said.EDITED: "edit_comment", Said.REMOVED: "remove_comment"}

    def __init__(self, page: Page) -> None:
        self._page = page

    def record(self, said: Said, *, actor: Actor, detail: dict[str, Any], mentioned: Collection[str]) -> None:
        """As every write of a page is recorded."""
        record_page(
            actor=actor,
            verb=self._VERBS[said],
            page=self._page,
            version_before=self._page.version,
            news="page.commented" if said is Said.SAID else None,
            detail=detail,
            changed=False,
            mentioned=mentioned,
        )


class _TalkablePages:
    """Pages as comments are written on them."""

    kind = PAGE

    def require_writer(self, actor: Actor) -> None:
        """Whoever may write no page comments on none."""
        require_writer(actor)

    def hold(self, subject_id: int, *, actor: Actor, company: Company) -> Talked:
        """The page, held."""
        page = hold_page(subject_id)
        require_on(page, Act.COMMENT, actor=actor, company=company)
        return _TalkedPage(page)


register(_TalkablePages())


def _detail(comment: Comment) -> dict[str, Any]:
    return {"comment_id": comment.pk, "author": {"name": comment.author_name, "kind": comment.author_kind}}


def _subject_of(comment_id: int, *, actor: Actor) -> tuple[str, int]:
    """What a comment is about, for an actor who may write such things; `not_found` without the comment."""
    row = Comment.objects.filter(pk=comment_id).values_list("kind", "page_id", "subject_id").first()
    kind = row[0] if row is not None else PAGE
    talkable_of(kind).require_writer(actor)
    if row is None:
        raise _not_found()
    return kind, int(row[1] or row[2] or 0)


def _hold(comment_id: int, *, kind: str, subject_id: int, actor: Actor, company: Company) -> tuple[Comment, Talked]:
    """A comment and what it is about, which is held first as every write here does; `not_found` where it is gone."""
    talked = talkable_of(kind).hold(subject_id, actor=actor, company=company)
    comment = Comment.objects.filter(pk=comment_id).first()
    if comment is None:
        raise _not_found()
    return comment, talked


def _thread_of(reply_to: int | None, *, kind: str, subject_id: int) -> int | None:
    """The first comment of the thread a reply belongs to."""
    if reply_to is None:
        return None
    above = Comment.objects.filter(pk=reply_to, **about(kind, subject_id)).values_list("pk", "reply_to").first()
    if above is None:
        raise Refused(
            Code.INVALID, f"This {kind} has no comment {reply_to} to reply to. It may have been removed.",
            attr="reply_to",
        )  # fmt: skip
    return above[1] if above[1] is not None else above[0]


def _author_of(comment: Comment) -> Author:
    return Author(name=comment.author_name, kind=ActorKind(comment.author_kind))


def _not_found() -> Refused:
    return Refused(Code.NOT_FOUND, "There is no such comment, or it is not yours to see. It may have been removed.")
