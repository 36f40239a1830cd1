"""Items at the REST door: the contract's routes, codes, preconditions and listings."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from company.rules.actors import Scope
from tests.company.doors import bearer, codes
from tests.factories import person, token_for
from tests.tracker.items import item, row, save
from tracker.models import Item

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("harbour")]


@pytest.fixture
def engineer() -> Client:
    return bearer(token_for(seat="engineer-bot"))


def post(client: Client, path: str, body: Any = None, **headers: str) -> Any:
    return client.post(f"/api/v1/{path}", body or {}, content_type="application/json", headers=headers)


def patch(client: Client, path: str, body: Any, **headers: str) -> Any:
    return client.patch(f"/api/v1/{path}", body, content_type="application/json", headers=headers)


@pytest.mark.covers("TK-01")
def test_an_item_is_filed_under_the_next_key_of_its_project(engineer: Client) -> None:
    answer = post(
        engineer, "items",
        {
            "project": "ENG", "title": "Holds do not expire", "description": "Since *Friday*.", "type": "bug",
            "priority": "high", "assignee": "lead-bot", "labels": ["booking"], "due": "2026-12-24",
        },
    )  # fmt: skip
    assert answer.status_code == 201
    made = answer.json()
    assert made["key"] == "ENG-1"
    assert {name: made[name] for name in ("project", "title", "type", "status", "priority", "assignee", "due")} == {
        "project": "ENG", "title": "Holds do not expire", "type": "bug", "status": "todo", "priority": "high",
        "assignee": "lead-bot", "due": "2026-12-24",
    }  # fmt: skip
    assert made["author"] == {"name": "engineer-bot", "kind": "agent"}
    assert made["watchers"] == ["engineer-bot"]
    assert made["url"].endswith("/tracker/items/ENG-1")
    assert answer["ETag"] == '"1"'
    assert post(engineer, "items", {"project": "ENG", "title": "Next"}).json()["key"] == "ENG-2"
    assert post(engineer, "items", {"project": "PROD", "title": "Elsewhere"}).json()["key"] == "PROD-1"


@pytest.mark.covers("TK-03")
@pytest.mark.parametrize("project", ["NOPE", "eng", "HOME"])
def test_filing_in_a_project_nobody_declares_is_refused_naming_it(engineer: Client, project: str) -> None:
    answer = post(engineer, "items", {"project": project, "title": "x"})
    assert (answer.status_code, codes(answer)) == (422, ["unknown_project"])
    assert f"'{project}'" in answer.json()["errors"][0]["detail"]
    assert not Item.objects.exists()


@pytest.mark.covers("TK-01")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"title": "x"}, "required"),
        ({"project": "ENG"}, "required"),
        ({"project": "ENG", "title": " \t"}, "invalid"),
        ({"project": "ENG", "title": "x" * 257}, "too_long"),
        ({"project": "ENG", "title": "x", "status": "doing"}, "invalid"),
        ({"project": "ENG", "title": "x", "priority": "asap"}, "invalid"),
        ({"project": "ENG", "title": "x", "type": "thing"}, "invalid"),
        ({"project": "ENG", "title": "x", "assignee": "nobody-bot"}, "invalid"),
        ({"project": "ENG", "title": "x", "labels": [str(number) for number in range(41)]}, "too_long"),
        ({"project": "ENG", "title": "x", "description": "é" * 16_385}, "too_long"),
        ({"project": "ENG", "title": "x", "due": "tomorrow"}, "invalid"),
        ({"project": "ENG", "title": "x", "parent": "ENG-9"}, "parent_invalid"),
        ({"project": "ENG", "title": "x", "asignee": "lead-bot"}, "unknown_field"),
    ],
)
def test_what_does_not_fit_is_refused_and_files_nothing(engineer: Client, body: dict[str, Any], code: str) -> None:
    answer = post(engineer, "items", body)
    assert codes(answer) == [code]
    assert not Item.objects.exists()
    assert post(engineer, "items", {"project": "ENG", "title": "x"}).json()["key"] == "ENG-1"


@pytest.mark.covers("TK-01")
def test_a_description_is_saved_on_its_base_or_refused_with_the_current_version(engineer: Client) -> None:
    made = item(description="one")
    answer = patch(engineer, f"items/{made.key}", {"base_version": 1, "description": "two"})
    assert (answer.status_code, answer.json()["version"], answer["ETag"]) == (200, 2, '"2"')
    stale = patch(engineer, f"items/{made.key}", {"base_version": 1, "description": "three"})
    assert (stale.status_code, codes(stale), stale.json()["current_version"]) == (409, ["stale_version"], 2)
    by_header = patch(engineer, f"items/{made.key}", {"description": "three"}, **{"If-Match": '"2"'})
    assert by_header.json()["description"] == "three"
    assert codes(patch(engineer, f"items/{made.key}", {"description": "four"})) == ["required"]
    assert row(made.key).description == "three"


@pytest.mark.covers("TK-01")
def test_a_field_needs_no_base_and_one_that_is_given_counts_where_it_was_changed_since(engineer: Client) -> None:
    made = item(description="one")
    assert patch(engineer, f"items/{made.key}", {"status": "in_progress"}).json()["version"] == 2
    assert patch(engineer, f"items/{made.key}", {"base_version": 1, "priority": "low"}).json()["version"] == 3
    assert patch(engineer, f"items/{made.key}", {"base_version": 1, "description": "two"}).status_code == 200
    stale = patch(engineer, f"items/{made.key}", {"base_version": 1, "status": "done"})
    assert codes(stale) == ["stale_version"]
    assert "status changed since" in stale.json()["errors"][0]["detail"]
    assert patch(engineer, f"items/{made.key}", {"status": "in_progress"}).json()["version"] == 4
    assert codes(patch(engineer, f"items/{made.key}", {"base_version": 9, "status": "done"})) == ["stale_version"]


@pytest.mark.covers("TK-01")
def test_an_assignee_a_parent_and_a_day_are_taken_away_by_null(engineer: Client) -> None:
    above = item("Epic", type="epic")
    made = item(assignee="lead-bot", due="2026-12-01", parent=above.key)
    answer = patch(engineer, f"items/{made.key}", {"assignee": None, "due": None, "parent": None})
    assert [answer.json()[name] for name in ("assignee", "due", "parent")] == [None, None, None]


@pytest.mark.covers("TK-01")
def test_a_request_sent_again_with_its_key_files_one_item(engineer: Client) -> None:
    first = post(engineer, "items", {"project": "ENG", "title": "Once"}, **{"Idempotency-Key": "k1"})
    again = post(engineer, "items", {"project": "ENG", "title": "Once"}, **{"Idempotency-Key": "k1"})
    assert (again.status_code, again.json()["key"], again["Idempotent-Replayed"]) == (201, first.json()["key"], "true")
    other = post(engineer, "items", {"project": "ENG", "title": "Twice"}, **{"Idempotency-Key": "k1"})
    assert codes(other) == ["idempotency_mismatch"]
    assert Item.objects.count() == 1


@pytest.mark.covers("TK-01")
def test_blocking_shows_at_both_ends_and_never_goes_in_a_circle(engineer: Client) -> None:
    one, two, three = item("One"), item("Two"), item("Three")

    def put(of: str, /, **body: Any) -> Any:
        return engineer.put(f"/api/v1/items/{of}/relations", body, content_type="application/json")

    answer = put(one.key, relation="blocks", key=two.key)
    assert answer.json()["relations"][0] | {"title": ""} == {
        "relation": "blocks", "outgoing": True, "key": two.key, "title": "", "status": "todo", "page_id": None
    }  # fmt: skip
    there = engineer.get(f"/api/v1/items/{two.key}").json()
    assert (there["relations"][0]["relation"], there["is_blocked"]) == ("blocked_by", True)
    assert put(three.key, relation="blocked_by", key=two.key).status_code == 200
    for key, relation, other in [
        (three.key, "blocks", one.key),
        (one.key, "blocked_by", three.key),
        (one.key, "blocks", one.key),
    ]:
        assert codes(put(key, relation=relation, key=other)) == ["invalid"]
    save(one.key, status="done")
    assert engineer.get(f"/api/v1/items/{two.key}").json()["is_blocked"] is False
    gone = engineer.delete(f"/api/v1/items/{two.key}/relations?relation=blocked_by&key={one.key}")
    assert gone.status_code == 204
    assert engineer.get(f"/api/v1/items/{one.key}").json()["relations"] == []
    assert put(three.key, relation="blocks", key=one.key).status_code == 200


@pytest.mark.covers("TK-01")
def test_only_its_author_its_lead_and_an_administrator_trash_an_item(engineer: Client) -> None:
    made = item()
    other = bearer(token_for(seat="product-bot", name="other"))
    assert codes(post(other, f"items/{made.key}/trash")) == ["forbidden"]
    assert post(engineer, f"items/{made.key}/trash").status_code == 200
    assert codes(engineer.get("/api/v1/items/NOPE-1")) == ["not_found"]
    assert codes(other.get(f"/api/v1/items/{made.key}")) == ["not_found"]
    assert codes(patch(engineer, f"items/{made.key}", {"status": "done"})) == ["trashed"]
    assert engineer.get("/api/v1/items").json()["total"] == 0
    assert engineer.get("/api/v1/items?trashed=true").json()["total"] == 1
    assert other.get("/api/v1/items?trashed=true").json()["total"] == 0
    lead = bearer(token_for(seat="lead-bot", name="lead"))
    assert post(lead, f"items/{made.key}/restore").json()["trashed_at"] is None
    again = post(lead, f"items/{made.key}/restore")
    assert (again.status_code, codes(again)) == (409, ["invalid"])


@pytest.mark.covers("TK-01")
def test_a_purge_needs_an_administrator_and_a_proof_and_its_key_never_comes_back(engineer: Client) -> None:
    made = item()
    root = bearer(token_for(holder=person("root", permissions=["admin"]), name="root"))
    assert codes(post(engineer, f"items/{made.key}/purge", {"reason": "x"})) == ["forbidden"]
    assert codes(post(root, f"items/{made.key}/purge", {"reason": "x"})) == ["proof_required"]
    assert post(root, "proof", {"password": "a long password"}).status_code == 200
    living = post(root, f"items/{made.key}/purge", {"reason": "x"})
    assert (living.status_code, codes(living)) == (409, ["invalid"])
    post(root, f"items/{made.key}/trash")
    assert post(root, f"items/{made.key}/purge", {"reason": "filed twice"}).json() == {"purged": "ENG-1"}
    assert post(engineer, "items", {"project": "ENG", "title": "x"}).json()["key"] == "ENG-2"


@pytest.mark.covers("TK-02")
def test_the_list_takes_the_filters_it_knows_and_refuses_the_others(engineer: Client) -> None:
    item("Tide table wrong", type="bug", priority="urgent", labels=["tides"], assignee="engineer-bot")
    done = item("Old news")
    save(done.key, status="done")
    item("Elsewhere", project="PROD")

    def found(query: str) -> list[str]:
        return [one["title"] for one in engineer.get(f"/api/v1/items?{query}").json()["results"]]

    assert found("project=ENG&status=open") == ["Tide table wrong"]
    assert found("status=done,cancelled") == ["Old news"]
    assert found("type=bug&priority=high,urgent&label=tides&assignee=me") == ["Tide table wrong"]
    assert found("assignee=none&project=PROD") == ["Elsewhere"]
    assert found("q=TABLE tide") == ["Tide table wrong"]
    assert found("q=eng-2") == ["Old news"]
    assert found("sort=priority")[0] == "Tide table wrong"
    assert codes(engineer.get("/api/v1/items?stauts=done")) == ["unknown_field"]
    assert codes(engineer.get("/api/v1/items?status=doing")) == ["invalid"]
    assert codes(engineer.get("/api/v1/items?limit=501")) == ["too_long"]
    assert codes(engineer.get("/api/v1/items?sort=age")) == ["invalid"]


@pytest.mark.covers("TK-02")
@pytest.mark.parametrize("sort", ["updated", "created", "priority", "due"])
def test_a_list_is_walked_window_by_window_in_every_order(engineer: Client, sort: str) -> None:
    for number in range(7):
        item(
            f"No. {number}",
            priority=["none", "high"][number % 2],
            due=f"2026-12-0{1 + number % 3}" if number % 2 else "",
        )
    seen: list[str] = []
    after = ""
    while True:
        answer = engineer.get(f"/api/v1/items?sort={sort}&limit=3{after}").json()
        seen += [one["key"] for one in answer["results"]]
        if answer["after"] is None:
            break
        after = f"&after={answer['after']}"
    whole = [one["key"] for one in engineer.get(f"/api/v1/items?sort={sort}").json()["results"]]
    assert seen == whole
    assert len(set(seen)) == 7
    assert codes(engineer.get(f"/api/v1/items?sort={'due' if sort != 'due' else 'updated'}&after=WyJ4Il0")) == [
        "invalid"
    ]


@pytest.mark.covers("TK-01")
def test_an_item_keeps_its_key_when_it_is_filed_elsewhere(engineer: Client) -> None:
    made = item()
    answer = post(engineer, f"items/{made.key}/move", {"project": "PROD"})
    assert (answer.json()["key"], answer.json()["project"]) == ("ENG-1", "PROD")
    assert codes(post(engineer, f"items/{made.key}/move", {"project": "NOPE"})) == ["unknown_project"]
    assert post(engineer, "items", {"project": "PROD", "title": "x"}).json()["key"] == "PROD-1"


@pytest.mark.covers("TK-01")
def test_the_words_of_an_item_have_a_history_that_leads_back(engineer: Client) -> None:
    made = item(description="one\n")
    save(made.key, status="in_progress")
    save(made.key, description="two\n", base_version=1)
    history = engineer.get(f"/api/v1/items/{made.key}/revisions").json()
    assert [one["version"] for one in history["results"]] == [3, 1]
    assert engineer.get(f"/api/v1/items/{made.key}/revisions/2").json()["description"] == "one\n"
    lines = engineer.get(f"/api/v1/items/{made.key}/diff?from=1&to=3").json()["hunks"][0]["lines"]
    assert [(line["op"], line["text"]) for line in lines] == [("-", "one"), ("+", "two")]
    back = post(engineer, f"items/{made.key}/revisions/1/restore", {"base_version": 3})
    assert (back.json()["description"], back.json()["version"]) == ("one\n", 4)
    assert codes(engineer.get(f"/api/v1/items/{made.key}/revisions/9")) == ["not_found"]


@pytest.mark.covers("TK-01")
def test_what_happened_to_an_item_is_told_newest_first(engineer: Client) -> None:
    made, other = item(), item("Other")
    save(made.key, status="in_progress", assignee="lead-bot")
    engineer.put(
        f"/api/v1/items/{made.key}/relations", {"relation": "blocks", "key": other.key}, content_type="application/json"
    )
    happened = engineer.get(f"/api/v1/items/{made.key}/activity").json()["results"]
    assert [one["kind"] for one in happened] == ["related", "changed", "filed"]
    assert happened[1]["detail"]["changes"] == {"status": ["todo", "in_progress"], "assignee": ["", "lead-bot"]}
    assert happened[0]["detail"] == {"relation": "blocks", "other": other.key}
    theirs = engineer.get(f"/api/v1/items/{other.key}/activity").json()["results"]
    assert theirs[0]["detail"] == {"relation": "blocked_by", "other": made.key}


@pytest.mark.covers("TK-01")
def test_projects_are_those_of_the_document_with_what_is_open_in_them(engineer: Client) -> None:
    made = item()
    item("Second")
    save(made.key, status="done")
    projects = engineer.get("/api/v1/projects").json()["results"]
    assert [(one["key"], one["items"], one["open"]) for one in projects] == [("ENG", 2, 1), ("PROD", 0, 0)]
    assert codes(engineer.get("/api/v1/projects/NOPE")) == ["not_found"]


@pytest.mark.covers("CO-09")
def test_without_the_app_or_the_scope_nothing_of_the_tracker_opens() -> None:
    made = item()
    stranger = bearer(token_for(holder=person("mia", permissions=["knowledge"]), name="mia"))
    for path in ("items", f"items/{made.key}", "projects", "item-views"):
        assert codes(stranger.get(f"/api/v1/{path}")) == ["forbidden"]
    reader = bearer(token_for(seat="engineer-bot", scopes=frozenset({Scope.READ}), name="reader"))
    assert reader.get(f"/api/v1/items/{made.key}").status_code == 200
    assert codes(patch(reader, f"items/{made.key}", {"status": "done"})) == ["scope_missing"]
    assert post(reader, f"items/{made.key}/watch", {"on": True}).status_code == 200


@pytest.mark.covers("TK-02")
def test_a_view_is_kept_by_name_and_shown_to_others_once_it_is_shared(engineer: Client) -> None:
    made = post(engineer, "item-views", {"name": "Mine, urgent", "query": "assignee=me&priority=urgent"})
    assert (made.status_code, made.json()["query"]) == (201, "priority=urgent&assignee=me")
    other = bearer(token_for(seat="product-bot", name="other"))
    assert other.get("/api/v1/item-views").json()["total"] == 0
    shared = post(engineer, "item-views", {"name": "Mine, urgent", "query": "priority=urgent", "shared": True})
    assert shared.json()["id"] == made.json()["id"]
    assert other.get("/api/v1/item-views").json()["total"] == 1
    assert codes(other.delete(f"/api/v1/item-views/{made.json()['id']}")) == ["forbidden"]
    assert engineer.delete(f"/api/v1/item-views/{made.json()['id']}").status_code == 204
    assert codes(post(engineer, "item-views", {"name": "x", "query": "colour=red"})) == ["unknown_field"]
