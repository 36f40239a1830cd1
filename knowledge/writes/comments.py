"""Comments: saying something about a page, putting it better, taking it back.

Each holds the page's row, so that nothing is said on a page that is going into the trash and the comments of a page
stand in the order of their ids. A comment leaves the page as it is: neither its version nor when it was saved moves.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor, ActorKind, Author
from company.rules.refusals import Code, Refused
from company.writes.idempotency import forget
from knowledge.models import Comment, Page
from knowledge.reads.comments import CommentView, view_of
from knowledge.rules.authority import Act, require_author
from knowledge.rules.markdown import mentions_in
from knowledge.rules.texts import check_comment
from knowledge.writes.kept_answers import comment_key
from knowledge.writes.pages.holding import hold_page, require_on, require_writer
from knowledge.writes.pages.recording import record_page


def add_comment(*, actor: Actor, page_id: int, body: str, reply_to: int | None = None) -> CommentView:
    """A new comment on a page, or a reply. A thread has one level: a reply to a reply joins the thread it stands in.

    Tells the page's watchers, and the seats that `@handle` names outside code. Refuses: `not_found`, `forbidden`,
    `reserved_container`, `trashed`, `required`, `too_long`, and `invalid` for a `reply_to` that is no comment of the
    page.
    """
    require_writer(actor)
    text = check_comment(body)
    with transaction.atomic():
        company = live.current_for_write()
        page = hold_page(page_id)
        require_on(page, Act.COMMENT, actor=actor, company=company)
        comment = Comment.objects.create(
            page=page,
            reply_to=_thread_of(reply_to, page=page),
            body=text,
            author_name=actor.author.name,
            author_kind=actor.author.kind.value,
            operator_id=actor.credential,
            created_at=timezone.now(),
        )
        record_page(
            actor=actor,
            verb="comment_page",
            page=page,
            version_before=page.version,
            news="page.commented",
            detail={"comment_id": comment.pk, "reply_to": comment.reply_to},
            changed=False,
            mentioned=mentions_in(text, handles=company.handles),
        )
        return view_of(comment)


def edit_comment(*, actor: Actor, comment_id: int, body: str) -> CommentView:
    """The comment with another text, marked as edited; the same text changes nothing. Its author's alone.

    Seats the new text mentions and the old one did not are told. Refuses: `not_found`, `forbidden`,
    `reserved_container`, `trashed`, `required`, `too_long`.
    """
    require_writer(actor)
    text = check_comment(body)
    with transaction.atomic():
        company = live.current_for_write()
        comment, page = _hold(comment_id)
        require_on(page, Act.COMMENT, actor=actor, company=company)
        require_author(_author_of(comment), actor=actor)
        if text == comment.body:
            return view_of(comment)
        before = mentions_in(comment.body, handles=company.handles)
        comment.body, comment.edited_at = text, timezone.now()
        comment.save(update_fields=["body", "edited_at"])
        _record(
            actor,
            "edit_comment",
            comment,
            page,
            mentioned=[seat for seat in mentions_in(text, handles=company.handles) if seat not in before],
        )
        forget(comment_key(comment_id))
        return view_of(comment)


def remove_comment(*, actor: Actor, comment_id: int) -> int:
    """Remove a comment; replies to it stay. Its author's or an administrator's. Answers the id of its page.

    Refuses: `not_found`, `forbidden`, `reserved_container`, `trashed`.
    """
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        comment, page = _hold(comment_id)
        require_on(page, Act.COMMENT, actor=actor, company=company)
        require_author(_author_of(comment), actor=actor, or_admin=True)
        _record(actor, "remove_comment", comment, page)
        comment.delete()
        forget(comment_key(comment_id))
        return page.pk


def _record(actor: Actor, verb: str, comment: Comment, page: Page, *, mentioned: list[str] | None = None) -> None:
    author = {"name": comment.author_name, "kind": comment.author_kind}
    record_page(
        actor=actor,
        verb=verb,
        page=page,
        version_before=page.version,
        detail={"comment_id": comment.pk, "author": author},
        changed=False,
        mentioned=mentioned or (),
    )


def _hold(comment_id: int) -> tuple[Comment, Page]:
    """A comment and its page, the page held first as every write here does; `not_found` without one."""
    page_id = Comment.objects.filter(pk=comment_id).values_list("page_id", flat=True).first()
    if page_id is None:
        raise _not_found()
    page = hold_page(page_id)
    comment = Comment.objects.filter(pk=comment_id).first()
    if comment is None:
        raise _not_found()
    return comment, page


def _thread_of(reply_to: int | None, *, page: Page) -> int | None:
    """The first comment of the thread a reply belongs to."""
    if reply_to is None:
        return None
    above = Comment.objects.filter(pk=reply_to, page=page).values_list("pk", "reply_to").first()
    if above is None:
        raise Refused(
            Code.INVALID, f"This page has no comment {reply_to} to reply to. It may have been removed.", attr="reply_to"
        )
    return above[1] if above[1] is not None else above[0]


def _author_of(comment: Comment) -> Author:
    return Author(name=comment.author_name, kind=ActorKind(comment.author_kind))


def _not_found() -> Refused:
    return Refused(Code.NOT_FOUND, "There is no such comment, or it is not yours to see. It may have been removed.")
