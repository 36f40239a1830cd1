"""Comments on items, who is told of what, what links to pages, and what becomes of the trash: as with pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from company.rules.actors import Actor, Permission
from company.rules.refusals import Code, Refused
from company.rules.windows import Window
from knowledge.models import Comment, Notification
from knowledge.reads.links import list_backlinks
from knowledge.reads.notifications import count_unread, list_notifications
from knowledge.writes.comments import add_comment, edit_comment, remove_comment
from knowledge.writes.notifications import mark_read
from knowledge.writes.reaping import reap_trash
from tests.company.doors import bearer, codes
from tests.factories import agent, human, person, token_for
from tests.knowledge.pages import page
from tests.tracker.items import ada, item, proven_admin, row, save
from tracker.models import Item, PurgedItem
from tracker.reads.items import get_item
from tracker.writes.comments import comment_item
from tracker.writes.items import purge_item, relate_item, restore_item, trash_item, watch_item

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("harbour")]


def told() -> dict[str, list[str]]:
    """What each seat was told of items, in words."""
    return {note.seat: note.what for note in Notification.objects.filter(kind="item").order_by("seat")}


@pytest.mark.covers("TK-01")
def test_a_comment_is_written_answered_edited_and_removed_by_the_rules_of_pages() -> None:
    made = item()
    first = comment_item(actor=ada(), key=made.key, body="Is this still so?")
    reply = comment_item(actor=agent(), key=made.key, body="Yes.", reply_to=first.id)
    assert reply.reply_to == first.id
    assert edit_comment(actor=agent(), comment_id=reply.id, body="No.").edited_at is not None
    with pytest.raises(Refused) as refused:
        edit_comment(actor=agent("product-bot"), comment_id=reply.id, body="x")
    assert refused.value.code is Code.FORBIDDEN
    remove_comment(actor=ada(), comment_id=first.id)
    assert list(Comment.objects.values_list("kind", "subject_id", "body")) == [("item", made.id, "No.")]
    assert row(made.key).version == 1
    trash_item(actor=agent(), key=made.key)
    with pytest.raises(Refused) as refused:
        comment_item(actor=agent(), key=made.key, body="Too late")
    assert refused.value.code is Code.TRASHED


@pytest.mark.covers("TK-01")
def test_comments_of_items_go_through_the_routes_of_comments() -> None:
    made = item()
    engineer = bearer(token_for(seat="engineer-bot"))
    answer = engineer.post(
        f"/api/v1/items/{made.key}/comments", {"body": "On it."}, content_type="application/json",
        headers={"Idempotency-Key": "c1"},
    )  # fmt: skip
    assert (answer.status_code, set(answer.json())) == (
        201, {"id", "body", "author", "created_at", "reply_to", "edited_at"}
    )  # fmt: skip
    number = answer.json()["id"]
    edited = engineer.patch(f"/api/v1/comments/{number}", {"body": "Done."}, content_type="application/json")
    assert edited.json()["body"] == "Done."
    assert [one["body"] for one in engineer.get(f"/api/v1/items/{made.key}/comments").json()["results"]] == ["Done."]
    without_it = bearer(token_for(holder=person("keeper", permissions=["knowledge"]), name="keeper"))
    assert codes(without_it.patch(f"/api/v1/comments/{number}", {"body": "x"}, content_type="application/json")) == [
        "forbidden"
    ]
    assert engineer.delete(f"/api/v1/comments/{number}").status_code == 204
    nobody = Client().get(f"/api/v1/items/{made.key}/comments")
    assert nobody.status_code == 401


@pytest.mark.covers("TK-01", "PG-15")
def test_followers_and_the_mentioned_are_told_and_a_lead_of_what_comes_in() -> None:
    made = item(assignee="product-bot", description="Ask @ada-marsh, not `@lead-bot`.")
    assert told() == {
        "ada-marsh": ["mentioned"],
        "lead-bot": ["filed", "assigned"],
        "product-bot": ["filed", "assigned"],
    }
    Notification.objects.all().delete()
    save(made.key, by=agent("lead-bot"), status="in_progress", labels=["x"])
    assert told() == {"engineer-bot": ["changed status"], "product-bot": ["changed status"]}
    Notification.objects.all().delete()
    save(made.key, labels=["y"])
    watch_item(actor=ada(), key=made.key, on=True)
    assert told() == {}
    comment_item(actor=ada(), key=made.key, body="Well, @product-bot?")
    assert told() == {"engineer-bot": ["commented"], "product-bot": ["commented", "mentioned"]}


@pytest.mark.covers("TK-01")
def test_an_inbox_holds_both_and_each_reader_only_what_their_apps_open() -> None:
    made = item(watchers=["ada-marsh"])
    save(made.key, status="done")
    about = page(watchers=["ada-marsh"])
    add_comment(actor=agent("lead-bot"), page_id=about.id, body="x")
    inbox = list_notifications(actor=ada(), window=Window())
    assert {(one.kind, one.key, one.page_id) for one in inbox.listing.results} == {
        ("item", made.key, None), ("page", None, about.id)
    }  # fmt: skip
    assert next(one for one in inbox.listing.results if one.kind == "item").address == f"/tracker/items/{made.key}"
    assert count_unread(human()) == 1
    assert count_unread(human("ada-marsh", Permission.TRACKER)) == 1
    mark_read(actor=human(), everything=True)
    assert count_unread(ada()) == 1
    with pytest.raises(Refused) as refused:
        count_unread(replace(human(), permissions=frozenset()))
    assert refused.value.code is Code.FORBIDDEN


@pytest.mark.covers("PG-18", "TK-02")
def test_a_page_lists_the_items_that_link_to_it_and_forgets_those_in_the_trash() -> None:
    about = page()
    by_text = item("By its text", description=f"See [it](/pages/{about.id}), not `/pages/{about.id}`.")
    by_relation = item("By a relation", project="PROD")
    relate_item(actor=agent(), key=by_relation.key, relation="page", page_id=about.id)
    item("Unrelated", description="`/pages/1`")

    def linked(actor: Actor) -> list[str | None]:
        return [one.key for one in list_backlinks(actor=actor, page_id=about.id, origins=(), window=Window()).results]

    assert linked(agent()) == [by_text.key, by_relation.key]
    assert linked(human()) == []
    trash_item(actor=agent(), key=by_text.key)
    assert linked(agent()) == [by_relation.key]
    restore_item(actor=agent(), key=by_text.key)
    assert linked(agent()) == [by_text.key, by_relation.key]
    assert [one.page_title for one in get_item(actor=agent(), key=by_relation.key).relations] == [about.title]


@pytest.mark.covers("TR-01", "TK-01")
def test_what_lay_in_the_trash_for_its_term_is_purged_with_all_that_was_said() -> None:
    made, young = item(watchers=["ada-marsh"]), item("Younger")
    under = item("Beneath", parent=made.key)
    comment_item(actor=agent(), key=made.key, body="x")
    for one in (made, young):
        trash_item(actor=agent(), key=one.key)
    Item.objects.filter(pk=made.id).update(trashed_at=timezone.now() - timedelta(days=31))
    passes = reap_trash()
    assert [(one.purged, one.failed) for one in passes] == [(1, 0)]
    assert PurgedItem.objects.get().key == made.key
    assert (row(under.key).parent_id, Comment.objects.count()) == (None, 0)
    assert not Notification.objects.filter(subject_id=made.id).exists()
    assert Item.objects.filter(key=young.key).exists()


@pytest.mark.covers("TK-01")
def test_a_purge_by_hand_takes_the_talk_along() -> None:
    made = item()
    comment_item(actor=ada(), key=made.key, body="x")
    trash_item(actor=agent(), key=made.key)
    purge_item(actor=proven_admin(), key=made.key, reason="Personal data")
    assert not Comment.objects.exists()
    assert not Notification.objects.filter(kind="item").exists()
