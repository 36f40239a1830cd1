"""Comments, activity and notifications at the REST door: shapes, statuses, headers, refusals."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from company.rules.actors import Scope
from knowledge.models import Comment, Notification
from knowledge.writes.comments import add_comment
from knowledge.writes.pages import move_page, rename_page, save_page, set_labels, trash_page, watch_page
from tests.factories import agent, human, person, token_for
from tests.knowledge.pages import page
from tests.knowledge.test_rest_pages import client, error_of

pytestmark = pytest.mark.usefixtures("harbour")


@pytest.fixture
def ada(db: None) -> APIClient:
    """A person who holds the seat ada-marsh."""
    return client(token_for(holder=person("ada", permissions=["knowledge"], seat="ada-marsh"), name="ada"))


@pytest.fixture
def engineer(db: None) -> APIClient:
    """The engineer agent's client."""
    return client(token_for(seat="engineer-bot"))


def said(api: APIClient, page_id: int, body: str = "Which berth?", **more: Any) -> dict[str, Any]:
    answer = api.post(f"/api/v1/pages/{page_id}/comments", {"body": body, **more}, format="json")
    assert answer.status_code == 201, answer.json()
    made: dict[str, Any] = answer.json()
    return made


@pytest.mark.covers("PG-14")
def test_a_comment_has_every_field_of_its_shape_and_is_listed_oldest_first(ada: APIClient, engineer: APIClient) -> None:
    made = page()
    first = said(ada, made.id)
    assert first | {"created_at": 0} == {
        "id": first["id"],
        "body": "Which berth?",
        "author": {"name": "ada-marsh", "kind": "human"},
        "created_at": 0,
        "reply_to": None,
        "edited_at": None,
    }
    reply = said(engineer, made.id, "The left one.", reply_to=first["id"])
    assert reply["reply_to"] == first["id"]
    listed = ada.get(f"/api/v1/pages/{made.id}/comments").json()
    assert listed == {"results": [first, reply], "total": 2, "after": None}
    window = ada.get(f"/api/v1/pages/{made.id}/comments?limit=1").json()
    assert [one["id"] for one in window["results"]] == [first["id"]]
    rest = ada.get(f"/api/v1/pages/{made.id}/comments?limit=1&after={window['after']}").json()
    assert ([one["id"] for one in rest["results"]], rest["after"]) == ([reply["id"]], None)


@pytest.mark.covers("PG-14")
def test_editing_answers_the_comment_and_removing_answers_204(ada: APIClient, engineer: APIClient) -> None:
    made = page()
    url = f"/api/v1/comments/{said(ada, made.id)['id']}"
    assert error_of(engineer.patch(url, {"body": "x"}, format="json")) == (403, "forbidden", None)
    assert error_of(engineer.delete(url)) == (403, "forbidden", None)
    edited = ada.patch(url, {"body": "Which berths?"}, format="json")
    assert (edited.status_code, edited.json()["body"]) == (200, "Which berths?")
    assert edited.json()["edited_at"] is not None
    removed = ada.delete(url)
    assert (removed.status_code, removed.content) == (204, b"")
    assert error_of(ada.delete(url)) == (404, "not_found", None)
    assert error_of(ada.patch(url, {"body": "x"}, format="json"))[:2] == (404, "not_found")


@pytest.mark.covers("PG-14")
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, (400, "required", "body")),
        ({"body": ""}, (400, "required", "body")),
        ({"body": 5}, (400, "invalid", "body")),
        ({"body": "a\x00"}, (400, "invalid", "body")),
        ({"body": "x" * 32_769}, (400, "too_long", "body")),
        ({"body": "x", "parent": 1}, (400, "unknown_field", "parent")),
        ({"body": "x", "reply_to": 99}, (400, "invalid", "reply_to")),
        ({"body": "x", "reply_to": 10**30}, (400, "invalid", "reply_to")),
    ],
)
def test_a_comment_that_is_refused_says_why_and_changes_nothing(
    ada: APIClient, asked: dict[str, Any], expected: tuple[int, str, str]
) -> None:
    made = page()
    answer = ada.post(f"/api/v1/pages/{made.id}/comments", asked, format="json")
    assert error_of(answer) == expected
    if expected[1] == "too_long":
        assert answer.json()["limit"] == 32_768
    assert Comment.objects.count() == 0


@pytest.mark.covers("PG-14", "CO-10")
def test_comments_need_the_app_the_scope_and_a_page_that_is_there(ada: APIClient) -> None:
    made = page(by=agent())
    url = f"/api/v1/pages/{made.id}/comments"
    stranger = client(token_for(holder=person("stranger"), name="stranger"))
    assert error_of(stranger.get(url))[:2] == error_of(stranger.post(url, {"body": "x"}, format="json"))[:2]
    assert error_of(stranger.get(url))[:2] == (403, "forbidden")
    reader = client(token_for(seat="engineer-bot", scopes=frozenset({Scope.READ}), name="reader"))
    assert reader.get(url).status_code == 200
    assert error_of(reader.post(url, {"body": "x"}, format="json"))[:2] == (403, "scope_missing")
    assert error_of(ada.get("/api/v1/pages/999/comments"))[:2] == (404, "not_found")
    trash_page(actor=agent(), page_id=made.id)
    engineer = client(token_for(seat="engineer-bot", name="again"))
    assert error_of(engineer.post(url, {"body": "x"}, format="json"))[:2] == (409, "trashed")
    assert error_of(ada.post(url, {"body": "x"}, format="json"))[:2] == (404, "not_found")


@pytest.mark.covers("PG-16")
def test_the_same_key_answers_the_first_comment_and_another_body_is_refused(ada: APIClient) -> None:
    made = page()
    url, key = f"/api/v1/pages/{made.id}/comments", str(uuid.uuid4())
    first = ada.post(url, {"body": "Once."}, format="json", HTTP_IDEMPOTENCY_KEY=key)
    again = ada.post(url, {"body": "Once."}, format="json", HTTP_IDEMPOTENCY_KEY=key)
    assert (again.status_code, again.json()) == (201, first.json())
    other = ada.post(url, {"body": "Twice."}, format="json", HTTP_IDEMPOTENCY_KEY=key)
    assert error_of(other)[:2] == (422, "idempotency_mismatch")
    assert Comment.objects.count() == Notification.objects.filter(seat="engineer-bot").count() == 1


@pytest.mark.covers("PG-04", "PG-06")
def test_activity_tells_what_happened_newest_first_with_notes(
    engineer: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    above = page("Above")
    made = page(by=agent())
    save_page(actor=human(), page_id=made.id, base_version=1, body="# Same heading\n", message="Two more steps")
    save_page(actor=human(), page_id=made.id, base_version=2, body="# Same heading\n\nMore.\n")
    rename_page(actor=agent(), page_id=made.id, title="Releasing", message="Clearer")
    set_labels(actor=human(), page_id=made.id, labels=["ops"])
    watch_page(actor=human(), page_id=made.id, on=True)
    move_page(actor=human(), page_id=made.id, parent_id=above.id)
    comment = add_comment(actor=human(), page_id=made.id, body="**Why?**")
    url = f"/api/v1/pages/{made.id}/activity"
    with django_assert_num_queries(6):  # the token and its use, the page, the count, the window, what comments say
        listed = engineer.get(url).json()
    rows = [(row["kind"], row["version"], row["message"]) for row in listed["results"]]
    assert rows == [
        ("commented", 4, ""),
        ("moved", 4, ""),
        ("labelled", 4, ""),
        ("renamed", 4, "Clearer"),
        ("saved", 3, ""),
        ("saved", 2, "Two more steps"),
        ("created", 1, ""),
    ]
    assert listed["results"][0]["detail"] == {"comment_id": comment.id, "excerpt": "Why?"}
    assert listed["results"][2]["detail"] == {"labels": ["ops"]}
    assert listed["results"][3]["detail"] == {"was": "Deploy runbook"}
    assert listed["results"][3]["author"] == {"name": "engineer-bot", "kind": "agent"}
    paged = engineer.get(f"{url}?limit=3").json()
    assert engineer.get(f"{url}?limit=9&after={paged['after']}").json()["results"] == listed["results"][3:]
    assert (paged["total"], len(paged["results"])) == (7, 3)
    assert error_of(engineer.get("/api/v1/pages/999/activity"))[:2] == (404, "not_found")


@pytest.mark.covers("PG-15")
def test_an_inbox_is_the_seats_own_and_is_marked_read(ada: APIClient, engineer: APIClient) -> None:
    made = page(by=human())
    save_page(actor=agent(), page_id=made.id, base_version=1, body="x")
    add_comment(actor=agent("product-bot"), page_id=made.id, body="Good.")
    inbox = ada.get("/api/v1/notifications").json()
    (one,) = inbox["results"]
    assert one | {"last_at": 0} == {
        "id": one["id"],
        "page_id": made.id,
        "title": "Deploy runbook",
        "count": 2,
        "actors": [{"name": "engineer-bot", "kind": "agent"}, {"name": "product-bot", "kind": "agent"}],
        "last_at": 0,
        "read_at": None,
    }
    assert (inbox["total"], inbox["after"], inbox["unread"]) == (1, None, 1)
    assert engineer.get("/api/v1/notifications").json()["results"] == []
    read = "/api/v1/notifications/read"
    assert engineer.post(read, {"ids": [one["id"]]}, format="json").json() == {"read": 0, "unread": 0}
    assert ada.post(read, {"ids": [one["id"]]}, format="json").json() == {"read": 1, "unread": 0}
    assert ada.get("/api/v1/notifications").json()["results"][0]["read_at"] is not None
    assert ada.get("/api/v1/notifications?unread=true").json()["results"] == []
    assert ada.post(read, {"all": True}, format="json").json() == {"read": 0, "unread": 0}


@pytest.mark.covers("PG-15")
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, (400, "required", "ids")),
        ({"all": False}, (400, "required", "ids")),
        ({"ids": [1], "all": True}, (400, "invalid", "all")),
        ({"ids": ["one"]}, (400, "invalid", "ids.0")),
        ({"ids": list(range(501))}, (400, "too_long", "ids")),
        ({"every": True}, (400, "unknown_field", "every")),
    ],
)
def test_marking_read_is_asked_for_exactly(
    ada: APIClient, asked: dict[str, Any], expected: tuple[int, str, str]
) -> None:
    assert error_of(ada.post("/api/v1/notifications/read", asked, format="json")) == expected


@pytest.mark.covers("PG-15")
def test_a_seatless_credential_has_an_empty_inbox_and_one_without_the_app_none() -> None:
    root = client(token_for(holder=person("root", permissions=["admin"]), name="root"))
    assert root.get("/api/v1/notifications").json() == {"results": [], "total": 0, "after": None, "unread": 0}
    stranger = client(token_for(holder=person("stranger"), name="stranger"))
    assert error_of(stranger.get("/api/v1/notifications"))[:2] == (403, "forbidden")
    assert error_of(root.get("/api/v1/notifications?after=nonsense"))[:2] == (400, "invalid")
