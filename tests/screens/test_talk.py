"""The screens of comments, notifications and activity: what they show, what a refused form keeps, and what the two
doors of one write leave behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.db.models import Q
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from company.models import AuditEntry
from knowledge.models import Comment, Notification, PageStatus
from knowledge.reads.shapes import PageView
from knowledge.views import talk
from knowledge.writes.comments import add_comment, edit_comment, remove_comment
from knowledge.writes.pages import create_page, rename_page, save_page, trash_page
from tests.factories import agent, human, person, token_for

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def made(title: str = "Deploy runbook", **more: Any) -> PageView:
    return create_page(**{"actor": agent(), "title": title, "body": "Ship it.\n", "container": "ENG", **more})


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.mark.covers("PG-14", "UI-02", "PG-19")
def test_comments_stand_beneath_the_page_in_threads_and_are_rendered_as_pages_are(ada: Client) -> None:
    page = made()
    first = add_comment(actor=agent(), page_id=page.id, body="# Setup\n\n**Which** <script>x()</script> @ada-marsh?")
    add_comment(actor=human(), page_id=page.id, body="The left one.", reply_to=first.id)
    shown = ada.get(f"/knowledge/pages/{page.id}").content.decode()
    assert "<strong>Which</strong>" in shown
    assert "&lt;script&gt;x()" in shown
    assert '<span class="mention">@ada-marsh</span>' in shown
    assert f'id="h-c{first.id}-setup"' in shown
    assert shown.index("The left one.") > shown.index('class="replies"')


@pytest.mark.covers("PG-14")
def test_whoever_may_do_it_is_offered_it(ada: Client, root: Client) -> None:
    page = made()
    own = add_comment(actor=human(), page_id=page.id, body="Mine.")
    other = add_comment(actor=agent(), page_id=page.id, body="Other words.")
    shown = ada.get(f"/knowledge/pages/{page.id}").content.decode()
    assert f"/knowledge/comments/{own.id}/edit" in shown
    assert f"/knowledge/comments/{own.id}/remove" in shown
    assert f"/knowledge/comments/{other.id}/edit" not in shown
    assert f"/knowledge/comments/{other.id}/remove" not in shown
    administrators = root.get(f"/knowledge/pages/{page.id}").content.decode()
    assert f"/knowledge/comments/{other.id}/edit" not in administrators
    assert f"/knowledge/comments/{other.id}/remove" in administrators
    trash_page(actor=agent("lead-bot"), page_id=page.id)
    trashed = root.get(f"/knowledge/pages/{page.id}").content.decode()
    assert "Other words." in trashed
    assert 'name="body"' not in trashed
    assert "/remove" not in trashed


@pytest.mark.covers("PG-14")
def test_a_form_without_scripts_comments_replies_edits_and_removes(ada: Client) -> None:
    page = made()
    said = ada.post(f"/knowledge/pages/{page.id}/comments", {"body": "one\r\ntwo"})
    comment = Comment.objects.get()
    assert (said.status_code, said["Location"]) == (302, f"/knowledge/pages/{page.id}#comment-{comment.pk}")
    assert comment.body == "one\ntwo"
    ada.post(f"/knowledge/pages/{page.id}/comments", {"body": "reply", "reply_to": comment.pk})
    assert Comment.objects.get(body="reply").reply_to == comment.pk
    assert "one\ntwo" in text_of(ada.get(f"/knowledge/comments/{comment.pk}/edit"))
    ada.post(f"/knowledge/comments/{comment.pk}/edit", {"body": "better"})
    assert "edited" in text_of(ada.get(f"/knowledge/pages/{page.id}"))
    gone = ada.post(f"/knowledge/comments/{comment.pk}/remove")
    assert gone["Location"] == f"/knowledge/pages/{page.id}#comments"
    shown = text_of(ada.get(f"/knowledge/pages/{page.id}"))
    assert "This comment was removed." in shown
    assert "reply" in shown


@pytest.mark.covers("PG-14")
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_refused_comment_says_why_and_keeps_what_was_typed(ada: Client, headers: dict[str, str]) -> None:
    page = made()
    above = add_comment(actor=agent(), page_id=page.id, body="first")
    too_long = "é" * 17_000
    for reply_to in ("", above.id):
        answer = ada.post(
            f"/knowledge/pages/{page.id}/comments", {"body": too_long, "reply_to": reply_to}, headers=headers
        )
        assert answer.status_code == 400
        assert "at most 32768 are kept" in text_of(answer)
        assert text_of(answer).count(too_long) == 1
    kept = add_comment(actor=human(), page_id=page.id, body="mine")
    answer = ada.post(f"/knowledge/comments/{kept.id}/edit", {"body": " "}, headers=headers)
    assert answer.status_code == 400
    assert "shows nothing" in text_of(answer)
    assert Comment.objects.count() == 2


@pytest.mark.covers("PG-14")
def test_a_fragments_request_is_answered_with_the_part_that_changed(ada: Client) -> None:
    page = made()
    answer = ada.post(f"/knowledge/pages/{page.id}/comments", {"body": "Hello."}, headers=HTMX)
    comment = Comment.objects.get()
    assert answer["HX-Trigger-After-Swap"] == f'{{"comment-written": "comment-{comment.pk}"}}'
    assert text_of(answer).lstrip().startswith("<section")
    assert "<html" not in text_of(answer)
    form = text_of(ada.get(f"/knowledge/comments/{comment.pk}/edit", headers=HTMX))
    assert form.lstrip().startswith("<form")
    edited = text_of(ada.post(f"/knowledge/comments/{comment.pk}/edit", {"body": "Hi."}, headers=HTMX))
    assert edited.lstrip().startswith("<article")
    assert "Hi." in edited
    assert "Hi." not in text_of(ada.post(f"/knowledge/comments/{comment.pk}/remove", headers=HTMX))


@pytest.mark.covers("PG-14")
def test_many_threads_come_in_windows_and_a_link_to_a_comment_finds_its_window(
    ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "THREADS", 3)
    monkeypatch.setattr("knowledge.views.commenting.THREADS", 3)
    page = made()
    comments = [add_comment(actor=agent(), page_id=page.id, body=f"thread-{number}") for number in range(5)]
    late = add_comment(actor=agent(), page_id=page.id, body="late reply", reply_to=comments[0].id)
    shown = text_of(ada.get(f"/knowledge/pages/{page.id}"))
    assert re.findall(r"thread-\d", shown) == ["thread-0", "thread-1", "thread-2"]
    assert "late reply" in shown
    more = re.search(r'hx-get="(/knowledge/pages/\d+/comments\?comments=[^"]+)"', shown)
    assert more is not None
    assert re.findall(r"thread-\d", text_of(ada.get(more[1], headers=HTMX))) == ["thread-3", "thread-4"]
    assert ada.get(f"/knowledge/comments/{late.id}")["Location"] == f"/knowledge/pages/{page.id}#comment-{late.id}"
    there = ada.get(f"/knowledge/comments/{comments[4].id}")["Location"]
    assert "thread-4" in text_of(ada.get(there.partition("#")[0]))
    sent = ada.post(f"/knowledge/pages/{page.id}/comments", {"body": "last"}, headers=HTMX)
    assert "last" in text_of(ada.get(sent["HX-Redirect"].partition("#")[0]))


@pytest.mark.covers("UI-02")
def test_completion_offers_the_seats_that_fit_without_a_query(
    ada: Client, stranger: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):  # session, person
        found = text_of(ada.get("/knowledge/seats?q=MAR", headers=HTMX))
    assert 'data-handle="ada-marsh"' in found
    assert "engineer-bot" not in found
    assert text_of(ada.get("/knowledge/seats?q=", headers=HTMX)).count("data-handle") == 4
    assert text_of(ada.get("/knowledge/seats?q=%00zz", headers=HTMX)).strip() == ""
    assert stranger.get("/knowledge/seats?q=").status_code == 403


@pytest.mark.covers("PG-15", "UI-05")
def test_the_inbox_shows_who_did_what_and_the_rail_how_much_is_unread(ada: Client) -> None:
    page = made(actor=human())
    save_page(actor=agent(), page_id=page.id, base_version=1, body="x")
    add_comment(actor=agent("product-bot"), page_id=page.id, body="@ada-marsh look")
    shown = text_of(ada.get("/notifications"))
    assert "engineer-bot and product-bot: saved, commented" in re.sub(r"<[^>]+>", "", shown)
    assert "mentions you" in shown
    assert "2 changes" in shown
    assert re.search(r'class="badge">.*?1<', text_of(ada.get("/knowledge")))
    note = Notification.objects.get(seat="ada-marsh")
    assert ada.post("/notifications/read", {"id": note.pk}).status_code == 302
    assert 'class="badge"' not in text_of(ada.get("/notifications/unread", headers=HTMX))
    assert "All read" in text_of(ada.get("/notifications?show=unread"))
    add_comment(actor=agent(), page_id=page.id, body="more")
    assert 'class="badge"' in text_of(ada.get("/notifications/unread", headers=HTMX))
    ada.post("/notifications/read", {"all": "1"})
    assert "Everything is read." in text_of(ada.get("/notifications"))
    assert 'class="badge"' not in text_of(ada.get("/knowledge"))


def test_an_empty_inbox_says_what_would_fill_it(ada: Client, root: Client, stranger: Client) -> None:
    assert "Nothing yet" in text_of(ada.get("/notifications"))
    assert "you hold none" in text_of(root.get("/notifications"))
    assert stranger.get("/notifications").status_code == 403
    assert "/notifications" not in text_of(stranger.get("/company"))


@pytest.mark.covers("PG-06", "PG-04")
def test_activity_stands_beside_the_history_and_shows_notes(ada: Client) -> None:
    page = made()
    save_page(actor=agent(), page_id=page.id, base_version=1, body="x", message="Two more steps")
    rename_page(actor=agent(), page_id=page.id, title="Releasing")
    comment = add_comment(actor=human(), page_id=page.id, body="Why that?")
    gone = add_comment(actor=human(), page_id=page.id, body="Never mind.")
    remove_comment(actor=human(), comment_id=gone.id)
    edit_comment(actor=human(), comment_id=comment.id, body="Why this?")
    assert f'href="/knowledge/pages/{page.id}/activity"' in text_of(ada.get(f"/knowledge/pages/{page.id}/history"))
    shown = text_of(ada.get(f"/knowledge/pages/{page.id}/activity"))
    for words in ("Two more steps", "Renamed from “Deploy runbook” to “Releasing”", "Why this?", "removed since"):
        assert words in shown
    assert "Never mind." not in shown


@pytest.mark.covers("PG-14")
def test_what_a_page_view_costs_does_not_grow_with_its_comments(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page = made()
    first = add_comment(actor=agent(), page_id=page.id, body="one")
    for count in (1, 12):
        for number in range(count):
            add_comment(actor=human(), page_id=page.id, body=f"{number}", reply_to=first.id)
        with django_assert_num_queries(7):  # session, person, page, threads, comments, their number, unread
            ada.get(f"/knowledge/pages/{page.id}")


@pytest.mark.covers("PG-15")
def test_an_inbox_costs_the_same_however_much_it_shows(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(2):
        for number in range(4):
            page = made(f"Page {Notification.objects.count()} {number}", actor=human())
            save_page(actor=agent(), page_id=page.id, base_version=1, body="x")
        with django_assert_num_queries(6):  # session, person, unread, all, the window; and unread in the rail
            ada.get("/notifications")


# --- the two doors of one write ----------------------------------------------------------------------------------


def left_behind() -> tuple[list[Any], list[Any], list[Any]]:
    """What a write left: comments, the audit trail, notifications, without ids and times."""
    comments = Comment.objects.order_by("pk").annotate(edited=Q(edited_at__isnull=False))
    told = Notification.objects.order_by("seat").annotate(read=Q(read_at__isnull=False))
    return (
        list(comments.values_list("body", "author_name", "author_kind", "edited")),
        list(AuditEntry.objects.order_by("pk").values_list("actor_name", "actor_kind", "verb", "target_kind")),
        list(told.values_list("seat", "count", "actors", "what", "read")),
    )


Write = Callable[[Client, APIClient, bool, PageView, int], Any]


def _add(form: Client, rest: APIClient, by_form: bool, page: PageView, _: int) -> Any:
    if by_form:
        return form.post(f"/knowledge/pages/{page.id}/comments", {"body": "@product-bot look"})
    return rest.post(f"/api/v1/pages/{page.id}/comments", {"body": "@product-bot look"}, format="json")


def _edit(form: Client, rest: APIClient, by_form: bool, _: PageView, comment_id: int) -> Any:
    if by_form:
        return form.post(f"/knowledge/comments/{comment_id}/edit", {"body": "@product-bot look"})
    return rest.patch(f"/api/v1/comments/{comment_id}", {"body": "@product-bot look"}, format="json")


def _remove(form: Client, rest: APIClient, by_form: bool, _: PageView, comment_id: int) -> Any:
    if by_form:
        return form.post(f"/knowledge/comments/{comment_id}/remove")
    return rest.delete(f"/api/v1/comments/{comment_id}")


def _read(form: Client, rest: APIClient, by_form: bool, _: PageView, __: int) -> Any:
    if by_form:
        return form.post("/notifications/read", {"all": "1"})
    return rest.post("/api/v1/notifications/read", {"all": True}, format="json")


@pytest.mark.covers("CO-10", "PG-14", "PG-15")
@pytest.mark.parametrize("write", [_add, _edit, _remove, _read])
def test_a_form_and_the_api_leave_the_same_behind(harbour: object, write: Write) -> None:
    holder = person("ada", permissions=["knowledge"], seat="ada-marsh")
    form, rest = Client(), APIClient()
    form.force_login(holder)
    rest.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(holder=holder, name='ada')}")
    found = []
    for by_form in (True, False):
        for model in (Comment, Notification, AuditEntry):
            model.objects.all().delete()
        page = made(f"Page {by_form}", watchers=["ada-marsh"])
        add_comment(actor=agent(), page_id=page.id, body="first")
        comment = add_comment(actor=human(), page_id=page.id, body="mine")
        assert write(form, rest, by_form, page, comment.id).status_code in (200, 201, 204, 302)
        found.append(left_behind())
    assert found[0] == found[1]


@pytest.mark.covers("PG-14")
@pytest.mark.parametrize("write", [_add, _edit, _remove])
def test_a_form_is_refused_where_the_api_is_and_changes_nothing(harbour: object, write: Write) -> None:
    holder = person("ada", permissions=["knowledge"], seat="ada-marsh")
    form, rest = Client(), APIClient()
    form.force_login(holder)
    rest.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(holder=holder, name='ada')}")
    page = made(status=PageStatus.DRAFT)
    comment = add_comment(actor=agent(), page_id=page.id, body="not ada's")
    before = left_behind()
    statuses = [write(form, rest, by_form, page, comment.id).status_code for by_form in (True, False)]
    assert statuses == [404, 404]
    assert left_behind() == before
