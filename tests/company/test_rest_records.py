"""`events` and `audit` at the REST door, and what no route answers."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from company.models import AuditEntry
from company.rules.actors import Scope
from company.writes import ledger
from tests.company.doors import administrator, bearer, codes
from tests.factories import agent, human, install_company, person, token_for

pytestmark = pytest.mark.django_db

AUDIT, EVENTS = "/api/v1/audit", "/api/v1/events"


@transaction.atomic
def write(number: int, **changes: Any) -> None:
    ledger.record(
        **{
            "actor": agent(),
            "verb": "save_page",
            "target": ledger.Target(kind="page", id=str(number)),
            "version_before": number,
            "version_after": number + 1,
            "news": ledger.News(type="page.saved", payload={"page_id": number}, seat="engineer-bot"),
            **changes,
        }
    )


@pytest.mark.covers("PG-23")
def test_an_administrator_filters_the_audit_trail() -> None:
    write(1)
    write(2, actor=human())
    write(3, verb="trash_page")
    AuditEntry.objects.filter(target_id="1").update(at=timezone.now() - timedelta(days=2))
    root = administrator()

    def ids(**filters: str) -> list[str]:
        answer = root.get(AUDIT, filters)
        assert answer.status_code == 200, answer.content
        return [row["target"]["id"] for row in answer.json()["results"]]

    day_ago = (timezone.now() - timedelta(days=1)).isoformat()
    assert ids() == ["3", "2", "1"]
    assert ids(actor="ada-marsh") == ["2"]
    assert ids(actor="login:ada-marsh") == ["2"]
    assert ids(verb="trash_page") == ["3"]
    assert ids(target="page") == ["3", "2", "1"]
    assert ids(target="page:2") == ["2"]
    assert ids(since=day_ago) == ["3", "2"]
    assert ids(until=day_ago) == ["1"]
    assert ids(verb="save_page", actor="engineer-bot", until=day_ago) == ["1"]


@pytest.mark.covers("PG-23")
def test_an_entry_says_who_did_what_to_what_and_through_which_credential() -> None:
    write(1)

    row = administrator().get(AUDIT).json()["results"][0]

    assert row | {"id": 0, "at": ""} == {
        "id": 0,
        "at": "",
        "actor": {"name": "engineer-bot", "kind": "agent"},
        "operator_id": "token:1",
        "door": "rest",
        "verb": "save_page",
        "target": {"kind": "page", "id": "1"},
        "version_before": 1,
        "version_after": 2,
        "detail": {},
    }


@pytest.mark.covers("PG-23")
def test_the_audit_trail_is_exported_whole_and_no_cell_is_a_formula() -> None:
    for number in range(60):
        write(number)
    write(60, target=ledger.Target(kind="page", id="=HYPERLINK(1)"))

    answer = administrator().get(AUDIT, {"verb": "save_page"}, headers={"Accept": "text/csv"})

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert "audit.csv" in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert len(rows) == 61
    assert rows[0]["target_id"] == "'=HYPERLINK(1)"
    assert (rows[1]["actor"], rows[1]["version_before"], rows[1]["version_after"]) == ("engineer-bot", "59", "60")


@pytest.mark.covers("CO-09", "PG-23")
def test_only_an_administrator_with_the_scope_reads_the_audit_trail() -> None:
    install_company()
    ada = person("ada", permissions=["knowledge", "tracker"])
    root = person("root", permissions=["admin"])

    for accept in ("application/json", "text/csv"):
        headers = {"Accept": accept}
        assert codes(Client().get(AUDIT, headers=headers)) == ["not_authenticated"]
        assert codes(bearer(token_for(holder=ada, name=accept)).get(AUDIT, headers=headers)) == ["forbidden"]
        agents = bearer(token_for(seat="engineer-bot", name=f"agent{accept}"))
        assert codes(agents.get(AUDIT, headers=headers)) == ["forbidden"]
        narrow = bearer(token_for(holder=root, scopes=frozenset({Scope.READ, Scope.WRITE}), name=f"narrow{accept}"))
        assert codes(narrow.get(AUDIT, headers=headers)) == ["scope_missing"]


@pytest.mark.parametrize(
    ("query", "code", "attr"),
    [
        ({"since": "yesterday"}, "invalid", "since"),
        ({"since": "2026-01-01T00:00:00"}, "invalid", "since"),
        ({"until": "2026-99-01T00:00:00Z"}, "invalid", "until"),
        ({"actr": "ada"}, "unknown_field", "actr"),
        ({"actor": "a\x00"}, "invalid", "actor"),
        ({"limit": "0"}, "invalid", "limit"),
        ({"limit": "501"}, "too_long", "limit"),
        ({"after": "zzz"}, "invalid", "after"),
    ],
)
def test_a_filter_that_cannot_be_is_refused_by_name(query: dict[str, str], code: str, attr: str) -> None:
    refused = administrator().get(AUDIT, query)

    assert (refused.status_code, refused.json()["errors"][0]["code"], refused.json()["errors"][0]["attr"]) == (
        400, code, attr,
    )  # fmt: skip


@pytest.mark.covers("AP-03")
def test_an_administrator_sees_every_event_and_a_seat_its_own_oldest_first() -> None:
    install_company()
    write(1)
    write(2, news=ledger.News(type="config.applied", payload={"revision": 9}))
    write(3, news=ledger.News(type="skill_used", payload={"key": "mcp:github"}, seat="product-bot"))
    root, bot = administrator(), bearer(token_for(seat="engineer-bot"))
    nobody = bearer(token_for(holder=person("ada", permissions=["knowledge"]), name="ada"))

    assert [row["type"] for row in root.get(EVENTS).json()["results"]] == ["page.saved", "config.applied", "skill_used"]
    assert root.get(EVENTS, {"type": "config.applied"}).json()["total"] == 1
    own = bot.get(EVENTS).json()
    assert [(row["type"], row["payload"]) for row in own["results"]] == [("page.saved", {"page_id": 1})]
    assert set(own["results"][0]) == {"id", "type", "at", "payload"}
    assert nobody.get(EVENTS).json()["results"] == []


@pytest.mark.covers("AP-03")
def test_events_are_followed_by_cursor_or_by_the_last_ones_id() -> None:
    for number in range(3):
        write(number)
    root = administrator()

    first = root.get(EVENTS, {"limit": 2}).json()
    by_cursor = root.get(EVENTS, {"limit": 2, "after": first["after"]}).json()
    by_id = root.get(EVENTS, {"limit": 2, "after": first["results"][-1]["id"]}).json()

    assert [row["payload"]["page_id"] for row in by_cursor["results"]] == [2]
    assert by_cursor == by_id
    assert by_cursor["after"] is None


def test_lists_take_a_fixed_number_of_queries(django_assert_num_queries: Any) -> None:
    for number in range(20):
        write(number)
    root = administrator()
    root.get(EVENTS)

    for path in (AUDIT, EVENTS):
        with django_assert_num_queries(3):  # the token, the count, the window
            assert len(root.get(path).json()["results"]) == 20


@pytest.mark.covers("AP-01")
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/config", "/api/v1/config/revisions/x"])
def test_what_is_no_route_is_not_found_in_the_shape_of_every_refusal(method: str, path: str) -> None:
    answer = getattr(administrator(), method)(path)

    assert (answer.status_code, codes(answer)) == (404, ["not_found"])
    assert getattr(Client(), method)(path).status_code == 401


@pytest.mark.covers("AP-01")
def test_the_openapi_document_and_its_page_are_served() -> None:
    schema = Client().get("/api/schema/", headers={"Accept": "application/json"}).json()
    page = Client().get("/api/docs/").content.decode()

    assert {"/api/v1/config", "/api/v1/tokens/{token_id}", "/api/v1/audit"} <= set(schema["paths"])
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            assert {"400", "401", "403", "404", "429"} <= set(operation["responses"]), (path, method)
            assert operation.get("description"), (path, method)
    assert "GET /api/v1/audit" in page
    assert "<script" not in page
    assert "style=" not in page
