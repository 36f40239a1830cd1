"""Comments: what may be said where, by whom, and what it leaves behind."""

from __future__ import annotations

from functools import partial

import pytest

from company.models import AuditEntry, Event
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import Window
from knowledge.models import Comment, Notification, PageStatus
from knowledge.reads.comments import CommentView, list_comments, threads_about
from knowledge.writes.comments import add_comment, edit_comment, remove_comment
from knowledge.writes.pages import purge_page, trash_page
from tests.factories import admin, agent, human
from tests.knowledge.pages import page, proven_admin, row
from tests.threads import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("harbour"), pytest.mark.covers("PG-14")]


def said(body: str = "Which berth?", *, on: int, by: Actor | None = None, **more: int | None) -> CommentView:
    return add_comment(actor=by or human(), page_id=on, body=body, **more)


def refused(code: Code) -> pytest.RaisesExc[Refused]:
    return pytest.RaisesExc(Refused, check=lambda error: error.code is code)


def all_of(page_id: int) -> tuple[CommentView, ...]:
    return list_comments(actor=human(), page_id=page_id, window=Window()).results


@pytest.mark.covers("PG-11", "CO-10")
def test_a_comment_is_its_authors_and_leaves_the_page_as_it_is() -> None:
    made = page()
    before = row(made.id)
    comment = said(" two spaces \r\n", on=made.id)
    assert (comment.body, comment.reply_to, comment.edited_at) == (" two spaces \r\n", None, None)
    assert comment.author.as_dict() == {"name": "ada-marsh", "kind": "human"}
    after = row(made.id)
    assert (after.version, after.saved_at, after.updated_at) == (before.version, before.saved_at, before.updated_at)
    entry = AuditEntry.objects.get(verb="comment_page")
    assert (entry.actor_name, entry.operator_id, entry.target_id) == ("ada-marsh", "login:ada-marsh", str(made.id))
    event = Event.objects.get(type="page.commented")
    assert event.payload["comment_id"] == comment.id
    assert "body" not in event.payload


@pytest.mark.covers("CO-10")
def test_a_credential_without_a_seat_comments_under_its_login() -> None:
    comment = said(on=page().id, by=admin())
    assert comment.author.as_dict() == {"name": "root", "kind": "operator"}


def test_comments_are_flat_and_a_reply_to_a_reply_joins_its_thread() -> None:
    made = page()
    first = said("first", on=made.id)
    second = said("second", on=made.id)
    reply = said("reply", on=made.id, reply_to=first.id, by=agent())
    deeper = said("deeper", on=made.id, reply_to=reply.id)
    assert deeper.reply_to == first.id
    assert [comment.body for comment in all_of(made.id)] == ["first", "second", "reply", "deeper"]
    threads = threads_about("page", made.id, window=Window()).results
    shown = [(thread.first and thread.first.body, [reply.body for reply in thread.replies]) for thread in threads]
    assert shown == [("first", ["reply", "deeper"]), ("second", [])]
    assert second.reply_to is None


def test_replies_outlive_a_removed_parent_and_can_be_answered() -> None:
    made = page()
    first = said("first", on=made.id)
    reply = said("reply", on=made.id, reply_to=first.id, by=agent())
    remove_comment(actor=human(), comment_id=first.id)
    assert [(comment.body, comment.reply_to) for comment in all_of(made.id)] == [("reply", first.id)]
    assert said("later", on=made.id, reply_to=reply.id).reply_to == first.id
    with refused(Code.INVALID):
        said(on=made.id, reply_to=first.id)
    thread = threads_about("page", made.id, window=Window()).results[0]
    assert (thread.first, len(thread.replies)) == (None, 2)


def test_a_reply_to_a_comment_of_another_page_is_refused() -> None:
    elsewhere = said(on=page("Other").id)
    made = page()
    with refused(Code.INVALID):
        said(on=made.id, reply_to=elsewhere.id)
    assert all_of(made.id) == ()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", Code.REQUIRED),
        (" \n\u200b", Code.REQUIRED),
        ("a\x00b", Code.INVALID),
        ("\ud800", Code.INVALID),
        ("x" * (32 * 1024 + 1), Code.TOO_LONG),
        ("ü" * (16 * 1024) + "x", Code.TOO_LONG),
    ],
)
def test_what_cannot_be_kept_or_shows_nothing_is_refused_and_nothing_changes(body: str, code: Code) -> None:
    made = page()
    kept = said(on=made.id)
    with refused(code):
        said(body, on=made.id)
    with refused(code):
        edit_comment(actor=human(), comment_id=kept.id, body=body)
    assert [comment.body for comment in all_of(made.id)] == ["Which berth?"]
    assert all_of(made.id)[0].edited_at is None


def test_a_comment_of_exactly_32_kib_is_kept() -> None:
    made = page()
    assert said("ü" * (16 * 1024), on=made.id).body == "ü" * (16 * 1024)


def test_an_edit_is_its_authors_alone_and_marked() -> None:
    made = page()
    comment = said(on=made.id)
    for other in (agent(), agent("lead-bot"), admin()):
        with refused(Code.FORBIDDEN):
            edit_comment(actor=other, comment_id=comment.id, body="mine now")
    assert edit_comment(actor=human(), comment_id=comment.id, body="Which berth?").edited_at is None
    edited = edit_comment(actor=human(), comment_id=comment.id, body="Which berths?")
    assert edited.edited_at is not None
    assert AuditEntry.objects.filter(verb="edit_comment").count() == 1


def test_removing_is_the_authors_or_an_admins_and_not_a_leads() -> None:
    made = page()
    first, second = said(on=made.id), said(on=made.id)
    for other in (agent(), agent("lead-bot")):
        with refused(Code.FORBIDDEN):
            remove_comment(actor=other, comment_id=first.id)
    remove_comment(actor=human(), comment_id=first.id)
    remove_comment(actor=admin(), comment_id=second.id)
    assert all_of(made.id) == ()
    with refused(Code.NOT_FOUND):
        remove_comment(actor=admin(), comment_id=second.id)
    removals = AuditEntry.objects.filter(verb="remove_comment").order_by("id")
    assert [entry.detail["author"]["name"] for entry in removals] == ["ada-marsh", "ada-marsh"]


@pytest.mark.covers("PG-20")
def test_an_agent_may_not_add_edit_or_remove_a_remark_in_the_skills_container() -> None:
    skill = page("A skill", by=admin(), container="TS")
    comment = said(on=skill.id)
    with refused(Code.RESERVED_CONTAINER):
        said(on=skill.id, by=agent())
    for act in (partial(edit_comment, body="x"), remove_comment):
        with refused(Code.RESERVED_CONTAINER):
            act(actor=agent(), comment_id=comment.id)
    assert [kept.body for kept in all_of(skill.id)] == ["Which berth?"]


def test_a_trashed_page_takes_no_comment_no_edit_and_no_removal() -> None:
    made = page(by=human())
    comment = said(on=made.id)
    trash_page(actor=human(), page_id=made.id)
    for act in (
        partial(said, on=made.id),
        partial(edit_comment, actor=human(), comment_id=comment.id, body="x"),
        partial(remove_comment, actor=human(), comment_id=comment.id),
    ):
        with refused(Code.TRASHED):
            act()
    assert Comment.objects.get().body == "Which berth?"
    with refused(Code.NOT_FOUND):
        said(on=made.id, by=agent())


def test_a_draft_of_somebody_else_is_not_there_to_comment_on() -> None:
    made = page(by=agent(), status=PageStatus.DRAFT)
    with refused(Code.NOT_FOUND):
        said(on=made.id)
    with refused(Code.NOT_FOUND):
        all_of(made.id)


@pytest.mark.covers("PG-13")
def test_a_purge_takes_comments_and_notifications_along() -> None:
    made = page(by=agent())
    said(on=made.id)
    assert Notification.objects.filter(seat="engineer-bot").count() == 1
    trash_page(actor=agent(), page_id=made.id)
    purge_page(actor=proven_admin(), page_id=made.id, reason="old")
    assert Comment.objects.count() == Notification.objects.count() == 0


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.covers("PG-15")
def test_of_fifty_comments_at_once_none_is_lost_and_the_bundle_counts_them_all() -> None:
    made = page(by=agent())
    first = said("first", on=made.id)
    outcomes = at_once([
        partial(said, f"comment {number}", on=made.id, by=[human(), agent("product-bot")][number % 2],
                reply_to=first.id if number % 3 else None)
        for number in range(50)
    ])  # fmt: skip
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    kept = list_comments(actor=human(), page_id=made.id, window=Window(limit=100))
    assert {comment.body for comment in kept.results} == {"first"} | {f"comment {number}" for number in range(50)}
    assert kept.total == 51
    bundles = Notification.objects.filter(seat="engineer-bot")
    assert sum(bundle.count for bundle in bundles) == 51
    assert len(bundles) <= 2  # two when the hour turned meanwhile
    assert {actor["name"] for bundle in bundles for actor in bundle.actors} == {"ada-marsh", "product-bot"}
