"""Pages at the REST door: shapes, statuses, headers, and the refusals a client meets."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from company import live
from company.models import AuditEntry, Token
from company.rules.actors import ALL_SCOPES, Scope
from knowledge.models import Page
from knowledge.writes.containers import sync_containers
from tests.factories import person, token_for
from tests.knowledge.pages import page

pytestmark = pytest.mark.usefixtures("harbour")


def client(secret: str) -> APIClient:
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return made


@pytest.fixture
def engineer(db: None) -> APIClient:
    """The engineer agent's client."""
    return client(token_for(seat="engineer-bot"))


@pytest.fixture
def administrator(db: None) -> APIClient:
    """An administrator's client, with a recent proof."""
    from datetime import timedelta

    from django.utils import timezone

    secret = token_for(holder=person("root", permissions=["admin"]), name="root")
    Token.objects.filter(name="root").update(proven_until=timezone.now() + timedelta(minutes=15))
    return client(secret)


def created(api: APIClient, title: str = "Deploy runbook", **more: Any) -> dict[str, Any]:
    answer = api.post("/api/v1/pages", {"title": title, "body": "Ship it.", **more}, format="json")
    assert answer.status_code == 201, answer.json()
    made: dict[str, Any] = answer.json()
    return made


def error_of(answer: Any) -> tuple[int, str, str | None]:
    first = answer.json()["errors"][0]
    return answer.status_code, first["code"], first["attr"]


@pytest.mark.covers("PG-01", "PG-10")
def test_a_page_has_every_field_of_its_shape(engineer: APIClient) -> None:
    parent = created(engineer, "Guides", body="")
    made = created(engineer, "Deploy Runbook", parent_id=parent["id"], labels=["ops"], message="why")
    assert made | {"created_at": 0, "saved_at": 0, "updated_at": 0} == {
        "id": made["id"],
        "container": "ENG",
        "title": "Deploy Runbook",
        "address": "ENG/deploy runbook",
        "parent_id": parent["id"],
        "ancestors": [{"id": parent["id"], "title": "Guides"}],
        "body": "Ship it.",
        "status": "published",
        "labels": ["ops"],
        "watchers": ["engineer-bot"],
        "version": 1,
        "is_folder": False,
        "author": {"name": "engineer-bot", "kind": "agent"},
        "created_at": 0,
        "saved_by": {"name": "engineer-bot", "kind": "agent"},
        "saved_at": 0,
        "updated_at": 0,
        "trashed_at": None,
        "children": 0,
        "url": f"https://harbour.example/knowledge/pages/{made['id']}",
    }
    again = engineer.get(f"/api/v1/pages/{made['id']}")
    assert (again.status_code, again.json(), again.headers["ETag"]) == (200, made, '"1"')
    above = engineer.get(f"/api/v1/pages/{parent['id']}").json()
    assert (above["is_folder"], above["children"]) == (True, 1)


@pytest.mark.covers("PG-17")
@pytest.mark.parametrize(
    "body", ["", "\r\n a \r\nb", "\n\n", "no newline", "tail\n", "\ufeffbom", "日本語 🚢", "a\tb\x0c"]
)
def test_what_is_read_can_be_written_back_without_a_change(engineer: APIClient, body: str) -> None:
    made = created(engineer, body=body)
    assert engineer.get(f"/api/v1/pages/{made['id']}").json()["body"] == body
    answer = engineer.patch(f"/api/v1/pages/{made['id']}", {"body": body, "base_version": 1}, format="json")
    assert (answer.json()["version"], answer.json()["body"]) == (1, body)


@pytest.mark.covers("PG-05")
def test_if_match_stands_for_the_base_version_and_a_stale_one_is_409(engineer: APIClient) -> None:
    made = created(engineer)
    url = f"/api/v1/pages/{made['id']}"
    first = engineer.patch(url, {"body": "Two."}, format="json", HTTP_IF_MATCH='"1"')
    assert (first.status_code, first.headers["ETag"]) == (200, '"2"')
    stale = engineer.patch(url, {"body": "Three."}, format="json", HTTP_IF_MATCH='"1"')
    assert error_of(stale) == (409, "stale_version", "base_version")
    assert stale.json()["current_version"] == 2
    assert error_of(engineer.patch(url, {"body": "x"}, format="json", HTTP_IF_MATCH="2"))[:2] == (400, "invalid")
    both = engineer.patch(url, {"body": "x", "base_version": 1}, format="json", HTTP_IF_MATCH='"2"')
    assert error_of(both)[:2] == (400, "invalid")


@pytest.mark.covers("PG-17")
def test_edits_at_the_door(engineer: APIClient) -> None:
    url = f"/api/v1/pages/{created(engineer, body='aXbXc')['id']}"

    def edit(**asked: Any) -> Any:
        return engineer.patch(url, {"edit": asked}, format="json")

    assert edit(mode="append", text="\r\nd").json()["body"] == "aXbXc\r\nd"
    assert edit(mode="replace_text", find="b", text="").json()["body"] == "aXXc\r\nd"
    assert error_of(edit(mode="replace_text", find="X", text="")) == (422, "text_ambiguous", "edit.find")
    assert error_of(edit(mode="replace_text", find="Z", text="")) == (422, "text_not_found", "edit.find")
    assert error_of(edit(mode="insert", text="")) == (400, "unknown_mode", "edit.mode")
    assert error_of(edit(mode="replace_text", text="")) == (400, "required", "edit.find")
    assert error_of(edit(mode="append", text="", where="end")) == (400, "unknown_field", "edit.where")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"title": "T"}, (400, "required", "body")),
        ({"body": ""}, (400, "required", "title")),
        ({"title": "  ", "body": ""}, (400, "invalid", "title")),
        ({"title": "T", "body": "", "owner": "me"}, (400, "unknown_field", "owner")),
        ({"title": 5, "body": ""}, (400, "invalid", "title")),
        ({"title": "T", "body": None}, (400, "required", "body")),
        ({"title": "x" * 257, "body": ""}, (400, "too_long", "title")),
        ({"title": "T", "body": "x" * 524_289}, (400, "too_long", "body")),
        ({"title": "T", "body": "a\x00"}, (400, "invalid", "body")),
        ({"title": "T", "body": "", "labels": "ops"}, (400, "invalid", "labels")),
        ({"title": "T", "body": "", "labels": [f"l{n}" for n in range(33)]}, (400, "too_long", "labels")),
        ({"title": "T", "body": "", "message": "m" * 257}, (400, "too_long", "message")),
        ({"title": "T", "body": "", "watchers": ["nobody"]}, (400, "invalid", "watchers")),
        ({"title": "T", "body": "", "status": "trashed"}, (400, "invalid", "status")),
        ({"title": "T", "body": "", "container": "LEGAL"}, (422, "unknown_container", "container")),
        ({"title": "T", "body": "", "container": "HOME"}, (403, "reserved_container", "container")),
        ({"title": "T", "body": "", "parent_id": 10**15}, (422, "parent_invalid", "parent_id")),
        ({"title": "T", "body": "", "parent_id": 10**30}, (422, "parent_invalid", "parent_id")),
        (["T"], (400, "invalid", "non_field_errors")),
    ],
)
def test_a_page_of_the_wrong_shape_is_refused_and_nothing_is_made(
    engineer: APIClient, asked: Any, expected: tuple[int, str, str]
) -> None:
    answer = engineer.post("/api/v1/pages", asked, format="json")
    assert error_of(answer) == expected
    assert len(answer.json()["errors"][0]["detail"]) > 10
    assert not Page.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_limit_is_named_beside_its_refusal(engineer: APIClient) -> None:
    answer = engineer.post("/api/v1/pages", {"title": "x" * 257, "body": ""}, format="json")
    assert answer.json()["limit"] == 256


def test_half_a_character_is_refused_and_not_a_fault(engineer: APIClient) -> None:
    answer = engineer.post("/api/v1/pages", b'{"title": "T", "body": "\\ud83d"}', content_type="application/json")
    assert error_of(answer) == (400, "invalid", "body")
    assert error_of(engineer.post("/api/v1/pages", b"{", content_type="application/json"))[:2] == (400, "invalid")


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (
            b'{"title": ',
            "The body is no JSON (Expecting value: line 1 column 11 (char 10)). Send one JSON object in UTF-8.",
        ),
        (b'["T"]', "This is a list. Send one JSON object: names with values, in braces."),
        (b'{"body": ""}', "'title' is missing. Give it."),
        (b'{"title": "T", "body": null}', "'body' is null. Give it a value."),
    ],
)
def test_what_the_framework_refuses_is_told_in_a_sentence_that_says_what_to_do(
    engineer: APIClient, sent: bytes, sentence: str
) -> None:
    answer = engineer.post("/api/v1/pages", sent, content_type="application/json")
    assert [error["detail"] for error in answer.json()["errors"]] == [sentence]


def test_more_than_a_request_may_hold_is_refused_in_the_shape_of_every_error(engineer: APIClient) -> None:
    asked = {"title": "T", "body": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE, "container": "ENG"}
    answer = engineer.post("/api/v1/pages", asked, format="json")
    assert error_of(answer) == (400, "too_long", None)
    assert answer.json()["limit"] == settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert not Page.objects.exists()


@pytest.mark.covers("PG-03", "PG-04")
def test_an_address_is_read_in_any_spelling_and_an_old_one_answers_308(engineer: APIClient) -> None:
    made = created(engineer, "Deploy / Über Runbook")
    address = f"/api/v1/pages/at/ENG/{quote('DEPLOY / über   runbook')}"
    assert engineer.get(address).json()["id"] == made["id"]
    engineer.patch(f"/api/v1/pages/{made['id']}", {"title": "Guide"}, format="json")
    moved = engineer.get(address)
    assert (moved.status_code, moved.headers["Location"]) == (308, f"/api/v1/pages/{made['id']}")
    assert engineer.get(moved.headers["Location"]).json()["title"] == "Guide"
    assert error_of(engineer.get("/api/v1/pages/at/ENG/nothing%00here"))[:2] == (404, "not_found")


@pytest.mark.covers("PG-12")
def test_trash_restore_and_purge_at_the_door(engineer: APIClient, administrator: APIClient) -> None:
    made = created(engineer)
    child = created(engineer, "Child", parent_id=made["id"])
    url = f"/api/v1/pages/{made['id']}"
    assert engineer.post(f"{url}/trash").json()["status"] == "trashed"
    assert error_of(engineer.post(f"{url}/trash"))[:2] == (409, "trashed")
    restored = engineer.post(f"{url}/restore").json()
    assert (restored["status"], restored["restored"], restored["left"]) == (
        "published", {"pages": 2, "parent_id": None, "moved": False}, [],
    )  # fmt: skip
    assert error_of(administrator.post(f"{url}/purge", {"reason": "old"}, format="json"))[:2] == (409, "invalid")
    engineer.post(f"{url}/trash")
    assert error_of(engineer.post(f"{url}/purge", {"reason": "old"}, format="json"))[:2] == (403, "forbidden")
    assert error_of(administrator.post(f"{url}/purge", {}, format="json")) == (400, "required", "reason")
    purged = administrator.post(f"{url}/purge", {"reason": "old"}, format="json")
    assert (purged.status_code, purged.json()) == (200, {"purged": made["id"]})
    assert engineer.get(url).status_code == 404
    assert administrator.get(f"/api/v1/pages/{child['id']}").json()["parent_id"] is None


def test_move_and_watch_at_the_door(engineer: APIClient) -> None:
    parent, made = created(engineer, "Parent"), created(engineer)
    url = f"/api/v1/pages/{made['id']}"
    moved = engineer.post(f"{url}/move", {"parent_id": parent["id"]}, format="json").json()
    assert [above["id"] for above in moved["ancestors"]] == [parent["id"]]
    assert error_of(engineer.post(f"{url}/move", {}, format="json")) == (400, "required", "parent_id")
    away = engineer.post(f"{url}/move", {"parent_id": None, "container": "PROD"}, format="json").json()
    assert away["address"] == "PROD/deploy runbook"
    assert engineer.post(f"{url}/watch", {"on": False}, format="json").json()["watchers"] == []
    assert error_of(engineer.post(f"{url}/watch", {"on": "perhaps"}, format="json")) == (400, "invalid", "on")


@pytest.mark.covers("PG-07")
def test_revisions_are_listed_without_bodies_read_with_them_and_restored(engineer: APIClient) -> None:
    made = created(engineer, message="first")
    url = f"/api/v1/pages/{made['id']}"
    engineer.patch(url, {"body": "Two.", "base_version": 1}, format="json")
    listing = engineer.get(f"{url}/revisions?limit=1").json()
    assert (listing["total"], [row["version"] for row in listing["results"]]) == (2, [2])
    assert "body" not in listing["results"][0]
    rest = engineer.get(f"{url}/revisions?after={listing['after']}").json()
    assert ([row["message"] for row in rest["results"]], rest["after"]) == (["first"], None)
    assert engineer.get(f"{url}/revisions/1").json()["body"] == "Ship it."
    assert error_of(engineer.get(f"{url}/revisions/9"))[:2] == (404, "not_found")
    brought = engineer.post(f"{url}/revisions/1/restore", {"base_version": 2}, format="json")
    assert (brought.status_code, brought.json()["version"], brought.json()["body"]) == (200, 3, "Ship it.")
    assert error_of(engineer.post(f"{url}/revisions/1/restore", {}, format="json")) == (
        400, "required", "base_version",
    )  # fmt: skip


def test_a_listing_takes_its_filters_and_refuses_what_it_does_not_know(engineer: APIClient) -> None:
    created(engineer, "One", labels=["ops"])
    two = created(engineer, "Two")
    found = engineer.get("/api/v1/pages?container=ENG&label=ops").json()
    assert [row["title"] for row in found["results"]] == ["One"]
    assert "body" not in found["results"][0]
    assert found["results"][0]["excerpt"] == "Ship it."
    assert engineer.get("/api/v1/pages?title=%20TWO").json()["results"][0]["id"] == two["id"]
    for query, attr in (
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("after=x", "after"),
        ("after=WyIiLCIiLCIiLCIiXQ", "after"),
        ("roots=maybe", "roots"),
        ("parent=x", "parent"),
        ("status=gone", "status"),
        ("roots=true&parent=1", "roots"),
        ("label=%00", "label"),
    ):
        assert error_of(engineer.get(f"/api/v1/pages?{query}")) == (400, "invalid", attr), query
    over = engineer.get("/api/v1/pages?limit=501")
    assert (error_of(over), over.json()["limit"]) == ((400, "too_long", "limit"), 500)
    assert error_of(engineer.get("/api/v1/pages?parent=999999"))[:2] == (404, "not_found")


@pytest.mark.covers("CO-05")
def test_containers_are_listed_with_the_pages_they_show(engineer: APIClient) -> None:
    sync_containers(live.current())
    created(engineer)
    listing = engineer.get("/api/v1/containers").json()
    by_key = {row["key"]: row for row in listing["results"]}
    assert (listing["total"], sorted(by_key)) == (5, ["ADA", "ENG", "HOME", "PROD", "TS"])
    assert by_key["ENG"] == {
        "key": "ENG", "name": "Engineering", "purpose": "", "kind": "unit", "reserved": False, "pages": 1,
    }  # fmt: skip
    assert (by_key["TS"]["reserved"], by_key["HOME"]["reserved"]) == (True, True)
    assert engineer.get("/api/v1/containers/PROD").json()["pages"] == 0
    assert error_of(engineer.get("/api/v1/containers/eng"))[:2] == (404, "not_found")


def test_without_a_credential_the_app_or_the_scope_nothing_is_told() -> None:
    made = page()
    url = f"/api/v1/pages/{made.id}"
    assert error_of(APIClient().get(url))[:2] == (401, "not_authenticated")
    bare = client(token_for(holder=person("bob"), name="bob"))
    for path in (url, "/api/v1/pages", "/api/v1/containers", f"{url}/revisions"):
        assert error_of(bare.get(path))[:2] == (403, "forbidden")
    reader = client(token_for(seat="engineer-bot", scopes=frozenset({Scope.READ}), name="reader"))
    assert reader.get(url).status_code == 200
    assert error_of(reader.patch(url, {"title": "x"}, format="json"))[:2] == (403, "scope_missing")
    assert reader.post(f"{url}/watch", {"on": True}, format="json").status_code == 200
    writer = client(token_for(seat="engineer-bot", scopes=ALL_SCOPES - {Scope.ADMIN}, name="writer"))
    assert error_of(writer.post(f"{url}/purge", {"reason": "x"}, format="json"))[:2] == (403, "scope_missing")


def test_the_schema_names_every_route_of_pages(engineer: APIClient) -> None:
    from drf_spectacular.generators import SchemaGenerator

    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    created_page = schema["paths"]["/api/v1/pages"]["post"]
    assert "201" in created_page["responses"]
    assert "Idempotency-Key" in {parameter["name"] for parameter in created_page["parameters"]}
    shape = schema["components"]["schemas"]["PageShape"]["properties"]
    of_skills = {"skill_loaded_by", "pending_version"}  # only pages of the skills container have those
    assert set(created(engineer)) == set(shape) - of_skills


@pytest.mark.parametrize("path", ["pages/abc", "pages/", "nothing", "pages/1/nothing"])
def test_an_address_that_leads_nowhere_is_answered_as_the_door_answers(engineer: APIClient, path: str) -> None:
    for answer in (engineer.get(f"/api/v1/{path}"), engineer.post(f"/api/v1/{path}", {}, format="json")):
        assert error_of(answer)[:2] == (404, "not_found")
    assert error_of(APIClient().get(f"/api/v1/{path}"))[:2] == (401, "not_authenticated")


def test_a_null_where_nothing_is_meant_is_nothing_and_one_where_a_text_is_meant_is_refused(engineer: APIClient) -> None:
    made = created(engineer, container=None, parent_id=None, message=None)
    url = f"/api/v1/pages/{made['id']}"
    for field in ("body", "edit", "title", "labels"):
        assert error_of(engineer.patch(url, {field: None}, format="json")) == (400, "required", field)
    assert engineer.get(url).json() == made


@pytest.mark.covers("PG-07")
def test_the_difference_of_two_versions_is_by_line_with_the_words_marked(engineer: APIClient) -> None:
    made = created(engineer, body="Ship it.\nCheck the tide.\n")
    url = f"/api/v1/pages/{made['id']}"
    engineer.patch(url, {"body": "Ship it.\nCheck the wind.\nGo.", "base_version": 1}, format="json")
    answer = engineer.get(f"{url}/diff?from=1&to=2")
    assert (answer.status_code, answer.json()) == (200, {
        "from": 1,
        "to": 2,
        "level": "word",
        "hunks": [{
            "old_start": 1,
            "new_start": 1,
            "lines": [
                {"op": " ", "text": "Ship it."},
                {"op": "-", "text": "Check the tide.", "marks": [[10, 14]]},
                {"op": "+", "text": "Check the wind.", "marks": [[10, 14]]},
                {"op": "+", "text": "Go.", "marks": []},
            ],
        }],
    })  # fmt: skip
    back = engineer.get(f"{url}/diff?from=2&to=1").json()["hunks"][0]["lines"]
    assert [line["op"] for line in back] == [" ", "-", "-", "+"]
    assert engineer.get(f"{url}/diff?from=2&to=2").json()["hunks"] == []


@pytest.mark.covers("PG-07")
@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("to=1", (400, "required", "from")),
        ("from=1", (400, "required", "to")),
        ("from=x&to=1", (400, "invalid", "from")),
        ("from=1&to=-1", (400, "invalid", "to")),
        ("from=1&to=9", (404, "not_found", None)),
    ],
)
def test_a_difference_of_versions_that_are_not_there_is_refused(
    engineer: APIClient, query: str, error: tuple[int, str, str | None]
) -> None:
    made = created(engineer)
    assert error_of(engineer.get(f"/api/v1/pages/{made['id']}/diff?{query}")) == error
    assert error_of(engineer.get(f"/api/v1/pages/987654/diff?{query}"))[0] in (400, 404)


@pytest.mark.covers("PG-18")
def test_backlinks_are_listed_by_container_and_title_and_paged(engineer: APIClient) -> None:
    target = created(engineer, "Target")
    url = f"/api/v1/pages/{target['id']}/backlinks"
    assert engineer.get(url).json() == {"results": [], "total": 0, "after": None}
    made = [
        created(engineer, f"Source {n}", body=f"[t](/pages/{target['id']}) [t](#/knowledge/pages/{target['id']})")
        for n in range(3)
    ]
    first = engineer.get(f"{url}?limit=2").json()
    assert first["total"] == 3
    assert first["results"] == [
        {"kind": "page", "id": page["id"], "title": page["title"], "container": "ENG"} for page in made[:2]
    ]
    rest = engineer.get(f"{url}?limit=2&after={first['after']}").json()
    assert ([row["title"] for row in rest["results"]], rest["total"], rest["after"]) == (["Source 2"], 3, None)
    assert error_of(engineer.get(f"{url}?after=x"))[:2] == (400, "invalid")
    assert error_of(engineer.get("/api/v1/pages/987654/backlinks"))[:2] == (404, "not_found")


@pytest.mark.covers("PG-18")
def test_an_absolute_link_counts_for_the_dashboards_address_and_the_host_of_the_request(engineer: APIClient) -> None:
    target = created(engineer, "Target")
    url = f"/api/v1/pages/{target['id']}/backlinks"
    bodies = {
        "By the dashboard": f"<https://harbour.example/knowledge/pages/{target['id']}>",
        "By the host": f"see http://testserver/#/knowledge/pages/{target['id']} for more",
        "Elsewhere": f"[x](https://elsewhere.example/knowledge/pages/{target['id']})",
    }
    for title, body in bodies.items():
        created(engineer, title, body=body)
    assert [row["title"] for row in engineer.get(url).json()["results"]] == ["By the dashboard", "By the host"]
    other = engineer.get(url, HTTP_HOST="elsewhere.example", secure=True, HTTP_X_FORWARDED_PROTO="https")
    assert other.status_code == 400 or "Elsewhere" in [row["title"] for row in other.json()["results"]]
