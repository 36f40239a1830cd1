"""The screens of work: what they show, what a refused form keeps, and that they refuse as REST does."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from company.models.credentials import Person
from knowledge.writes.comments import add_comment
from tests.company.doors import bearer, codes
from tests.factories import admin, agent, token_for
from tests.knowledge.pages import page
from tests.screens.browsers import browser_of
from tests.tracker.items import item, row, save
from tracker.models import Item, SavedView
from tracker.rules.keys import key_of
from tracker.rules.vocabulary import Status
from tracker.writes.comments import comment_item
from tracker.writes.items import relate_item, trash_item
from tracker.writes.items.creating import new_row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("harbour")]


@pytest.fixture
def mia(harbour: object) -> Client:
    """A person with both apps, who holds the seat ada-marsh."""
    return browser_of("mia", "knowledge", "tracker", seat="ada-marsh")


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


def many(number: int) -> None:
    """That many items, spread over the statuses."""
    from django.utils import timezone

    statuses = list(Status)
    Item.objects.bulk_create(
        new_row(
            actor=agent(), key=key_of("ENG", 1_000 + at), project="ENG", watchers=[], now=timezone.now(),
            values={"title": f"Item {at}", "status": statuses[at % 6], "labels": ["tides"], "assignee": "lead-bot"},
        )
        for at in range(number)
    )  # fmt: skip


@pytest.mark.covers("TK-02")
def test_the_list_shows_what_is_open_until_it_is_asked_for_more(mia: Client) -> None:
    save(item("Old news").key, status="done")
    item("Tide table wrong", priority="urgent", labels=["tides"], assignee="lead-bot")
    shown = text_of(mia.get("/tracker"))
    assert "Tide table wrong" in shown
    assert "Old news" not in shown
    assert "Old news" in text_of(mia.get("/tracker?status="))
    assert "Tide table wrong" not in text_of(mia.get("/tracker?assignee=me"))
    assert "Nothing fits" in text_of(mia.get("/tracker?label=nope"))
    assert mia.get("/tracker?status=doing").status_code == 400


@pytest.mark.covers("TK-02")
def test_a_list_and_a_board_cost_the_same_however_much_there_is(
    mia: Client, django_assert_max_num_queries: Any, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    many(12)
    counted = {}
    for address in ("/tracker?project=ENG", "/tracker/board?project=ENG", "/tracker/mine"):
        mia.get(address)
        with CaptureQueriesContext(connection) as asked:
            assert mia.get(address).status_code == 200
        counted[address] = len(asked)
    Item.objects.all().delete()
    many(2_000)
    for address, number in counted.items():
        with django_assert_num_queries(number):
            answer = mia.get(address)
        assert len(answer.content) < 600_000
    shown = text_of(mia.get("/tracker/board?project=ENG"))
    assert shown.count('class="board-card"') == 4 * 50
    assert "284 more" in shown


@pytest.mark.covers("TK-01")
def test_an_item_is_filed_from_the_form_and_from_the_line_above_the_list(mia: Client) -> None:
    answer = mia.post(
        "/tracker/new", {"title": "Holds do not expire", "project": "ENG", "body": "Since Friday.\r\n", "type": "bug",
                         "priority": "high", "assignee": "lead-bot", "labels": "a, b", "due": "2026-12-24"},
    )  # fmt: skip
    assert answer["Location"] == "/tracker/items/ENG-1"
    made = row("ENG-1")
    assert (made.description, made.type, made.labels, made.assignee) == (
        "Since Friday.\n",
        "bug",
        ["a", "b"],
        "lead-bot",
    )
    quick = mia.post("/tracker/quick", {"title": "Quick one", "project": "ENG", "back": "/tracker?project=ENG"})
    assert quick["Location"] == "/tracker?project=ENG"
    assert row("ENG-2").title == "Quick one"


@pytest.mark.covers("TK-01", "TK-03")
def test_a_refused_form_keeps_what_was_typed(mia: Client) -> None:
    answer = mia.post("/tracker/new", {"title": "Lost?", "project": "NOPE", "body": "Not lost."})
    assert answer.status_code == 422
    assert "declares no project 'NOPE'" in text_of(answer)
    assert 'value="Lost?"' in text_of(answer)
    assert "Not lost." in text_of(answer)
    assert not Item.objects.exists()


@pytest.mark.covers("TK-01")
def test_a_field_is_changed_beside_the_item_and_leaves_what_others_changed(mia: Client) -> None:
    made = item()
    save(made.key, status="in_review")
    form = {
        "base_version": "1", "status": "todo", "was_status": "todo", "assignee": "ada-marsh", "was_assignee": "",
        "labels": "", "was_labels": "", "due": "", "was_due": "", "parent": "", "was_parent": "",
    }  # fmt: skip
    assert mia.post(f"/tracker/items/{made.key}/fields", form).status_code == 302
    assert (row(made.key).status, row(made.key).assignee) == ("in_review", "ada-marsh")
    stale = mia.post(f"/tracker/items/{made.key}/fields", {**form, "status": "done"}, headers={"HX-Request": "true"})
    assert stale.status_code == 409
    assert "status changed since" in text_of(stale)
    assert row(made.key).status == "in_review"


@pytest.mark.covers("TK-01")
def test_two_edits_that_met_are_both_shown_and_saved_together(mia: Client) -> None:
    made = item(description="one\ntwo\nthree\n")
    save(made.key, description="one\ntwo\nTHREE\n", base_version=1)
    met = mia.post(
        f"/tracker/items/{made.key}/edit", {"base_version": "1", "body": "ONE\ntwo\nthree\n", "title": made.title}
    )
    assert met.status_code == 409
    shown = text_of(met)
    assert "Two edits met" in shown
    assert f'action="/tracker/items/{made.key}/edit"' in shown
    together = re.search(r'<textarea id="body"[^>]*>\n(.*?)</textarea>', shown, re.DOTALL)
    assert together is not None
    assert together[1] == "ONE\ntwo\nTHREE\n"
    saved = mia.post(f"/tracker/items/{made.key}/edit", {"base_version": "2", "body": together[1], "resolving": "1"})
    assert saved["Location"] == f"/tracker/items/{made.key}"
    assert row(made.key).description == "ONE\ntwo\nTHREE\n"


PARITY = [
    ("create", "tracker/new", {"title": "x", "project": "NOPE"}, "post", "items", {"title": "x", "project": "NOPE"}),
    ("save", "tracker/items/{key}/status", {"status": "doing"}, "patch", "items/{key}", {"status": "doing"}),
    ("move", "tracker/items/{key}/move", {"project": "NOPE"}, "post", "items/{key}/move", {"project": "NOPE"}),
    ("trash", "tracker/items/{key}/trash", {}, "post", "items/{key}/trash", {}),
    ("restore", "tracker/items/{own}/restore", {}, "post", "items/{own}/restore", {}),
    ("relate", "tracker/items/{key}/relations", {"relation": "blocks", "other": "ENG-99"}, "put",
     "items/{key}/relations", {"relation": "blocks", "key": "ENG-99"}),
    ("comment", "tracker/items/{key}/comments", {"body": " "}, "post", "items/{key}/comments", {"body": " "}),
    ("watch", "tracker/items/ENG-99/watch", {"on": "1"}, "post", "items/ENG-99/watch", {"on": True}),
    ("view", "tracker/views", {"name": " ", "query": ""}, "post", "item-views", {"name": " "}),
]  # fmt: skip


@pytest.mark.covers("TK-01", "CO-09")
@pytest.mark.parametrize(("name", "form", "typed", "method", "route", "body"), PARITY, ids=[one[0] for one in PARITY])
def test_each_write_refuses_the_same_by_form_and_over_rest(
    mia: Client, name: str, form: str, typed: dict[str, str], method: str, route: str, body: dict[str, Any]
) -> None:
    made, own = item(), item("Hers", by=agent("product-bot"))
    names = {"key": made.key, "own": own.key}
    rest = bearer(token_for(holder=Person.objects.get(login="mia")))
    before = list(Item.objects.order_by("pk").values())
    told = getattr(rest, method)(f"/api/v1/{route.format(**names)}", body, content_type="application/json")
    shown = mia.post(f"/{form.format(**names)}", typed, headers={"HX-Request": "true"})
    assert told.status_code == shown.status_code >= 400
    sentence = told.json()["errors"][0]["detail"]
    assert codes(told)
    assert sentence in text_of(shown)
    assert list(Item.objects.order_by("pk").values()) == before


@pytest.mark.covers("TK-01", "TK-02", "PG-18")
def test_an_item_shows_its_words_its_relations_and_what_links_to_it(mia: Client) -> None:
    made, other = item("First", description="See **this**, @ada-marsh.\n\n<script>alert(1)</script>"), item("Second")
    relate_item(actor=agent(), key=made.key, relation="blocks", other=other.key)
    about = page("Tide limits", body=f"Filed as [it](/tracker/items/{made.key}), not `/tracker/items/{other.key}`.")
    comment_item(actor=agent(), key=made.key, body="On *it*.")
    add_comment(actor=agent(), page_id=about.id, body="elsewhere")
    shown = text_of(mia.get(f"/tracker/items/{made.key}"))
    assert "<strong>this</strong>" in shown
    assert "<script>alert(1)" not in mia.get(f"/tracker/items/{made.key}").content.decode()
    assert "Tide limits" in shown
    assert "<em>it</em>" in shown
    assert "elsewhere" not in shown
    there = text_of(mia.get(f"/tracker/items/{other.key}"))
    assert "Blocked by" in there
    assert made.key in there
    assert "Tide limits" not in there
    assert mia.get(f"/tracker/items/{made.key.lower()}")["Location"] == f"/tracker/items/{made.key}"


@pytest.mark.covers("TK-02")
def test_my_work_is_what_is_given_to_me_and_what_i_wait_for(mia: Client) -> None:
    item("Doing", assignee="ada-marsh", status="in_progress")
    item("Coming", assignee="ada-marsh")
    item("Not mine", assignee="lead-bot")
    shown = text_of(mia.get("/tracker/mine"))
    assert shown.index("Doing") < shown.index("Coming")
    assert "Not mine" not in shown


@pytest.mark.covers("TK-02")
def test_a_view_is_kept_and_leads_back_to_what_it_showed(mia: Client) -> None:
    item("Tides", labels=["tides"])
    item("Other")
    kept = mia.post("/tracker/views", {"name": "Tides", "query": "label=tides&status=open", "layout": "list"})
    assert kept["Location"] == "/tracker?status=open&label=tides"
    shown = text_of(mia.get(kept["Location"]))
    assert ">Tides</a>" in shown
    assert "Other" not in shown
    view = SavedView.objects.get()
    assert mia.post(f"/tracker/views/{view.pk}/drop")["Location"] == "/tracker"
    assert not SavedView.objects.exists()


@pytest.mark.covers("TK-01")
def test_a_trashed_item_can_be_undone_restored_and_removed_for_good(mia: Client, root: Client) -> None:
    made = item(by=agent())
    trash_item(actor=agent(), key=made.key)
    assert mia.get(f"/tracker/items/{made.key}").status_code == 404
    assert made.key in text_of(root.get("/tracker/trash"))
    assert made.key not in text_of(mia.get("/tracker/trash"))
    assert root.post(f"/tracker/items/{made.key}/restore").status_code == 302
    trash_item(actor=admin(), key=made.key)
    refused = root.post(f"/tracker/items/{made.key}/purge", {"reason": "x", "password": "wrong"})
    assert refused.status_code == 403
    done = root.post(f"/tracker/items/{made.key}/purge", {"reason": "x", "password": "a long password"})
    assert done["Location"] == "/tracker/trash"
    assert not Item.objects.exists()


@pytest.mark.covers("CO-09")
def test_without_the_app_no_screen_of_work_opens(ada: Client) -> None:
    made = item("Quay works")
    for address in ("/tracker", "/tracker/board", "/tracker/mine", f"/tracker/items/{made.key}", "/tracker/trash"):
        answer = ada.get(address)
        assert answer.status_code == 403
        assert "Quay works" not in text_of(answer)


def test_whoever_holds_the_tracker_alone_begins_with_the_work(harbour: object) -> None:
    lee = browser_of("lee", "tracker")
    assert lee.get("/")["Location"] == "/tracker"
    shown = text_of(lee.get("/tracker"))
    assert "My work" in shown
    assert 'href="/skills"' not in shown
    assert lee.get("/notifications").status_code == 200


@pytest.mark.covers("TK-01")
def test_the_history_and_the_activity_of_an_item_have_screens(mia: Client) -> None:
    made = item(description="one\n")
    save(made.key, description="two\n", base_version=1, title="Renamed")
    save(made.key, status="done", labels=["x"])
    assert "2 versions" in text_of(mia.get(f"/tracker/items/{made.key}/history"))
    change = text_of(mia.get(f"/tracker/items/{made.key}/history/2"))
    assert "Renamed from" in change
    back = mia.post(f"/tracker/items/{made.key}/history/1/restore", {"base_version": "3"})
    assert back["Location"] == f"/tracker/items/{made.key}"
    assert row(made.key).description == "one\n"
    assert "status: todo → done" in text_of(mia.get(f"/tracker/items/{made.key}/activity"))
