"""The screens of knowledge: what they show, what a form that is refused keeps, and that they refuse as the API does."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries, Settings

from company.rules.actors import Actor
from knowledge.models import Page, PageStatus, Revision
from knowledge.reads.shapes import PageView
from knowledge.writes.pages import create_page, rename_page, save_page, set_labels, trash_page
from tests.factories import HARBOUR, admin, agent, human, install_company
from tests.screens.browsers import browser_of

pytestmark = pytest.mark.django_db


def made(title: str = "Deploy runbook", body: str = "Ship it.\n", *, by: Actor | None = None, **more: Any) -> PageView:
    return create_page(actor=by or human(), **{"title": title, "body": body, "container": "ENG", **more})


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


def typed_in(answer: Any, name: str = "body") -> str:
    """What a form holds in a text area."""
    found = re.search(rf'<textarea[^>]*name="{name}"[^>]*>\n(.*?)</textarea>', answer.content.decode(), re.DOTALL)
    assert found is not None
    return unescape(found[1])


# --- reading -----------------------------------------------------------------------------------------------------


def test_the_first_screen_shows_the_spaces_and_what_changed_lately(ada: Client) -> None:
    page = made()
    save_page(actor=agent(), page_id=page.id, base_version=1, body="New.", message="Two more steps")
    shown = text_of(ada.get("/knowledge"))
    assert "Engineering" in shown
    assert "Two more steps" in shown
    assert f"/knowledge/pages/{page.id}" in shown


def test_a_space_that_is_no_longer_declared_says_so_beside_its_pages(ada: Client) -> None:
    made()
    assert "No longer declared" not in text_of(ada.get("/knowledge"))
    install_company(spaces=tuple(space for space in HARBOUR.spaces if space.key != "ENG"), dashboard_base_url="")
    assert text_of(ada.get("/knowledge")).count("No longer declared") == 1


def test_a_draft_of_somebody_else_is_not_among_what_changed_lately(ada: Client) -> None:
    made("Secret plan", by=agent(), status=PageStatus.DRAFT)
    assert "Secret plan" not in text_of(ada.get("/knowledge"))


@pytest.mark.covers("PG-01", "PG-11", "PG-19")
def test_a_page_shows_its_text_its_labels_and_who_saved_it(ada: Client) -> None:
    page = made(body="# First\n\n**bold** <script>alert(1)</script>\n\n# Second\n")
    set_labels(actor=human(), page_id=page.id, labels=["tides"])
    shown = ada.get(f"/knowledge/pages/{page.id}").content.decode()
    assert "<strong>bold</strong>" in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "tides" in shown
    assert "ada-marsh" in shown
    assert 'href="#h-second"' in shown


@pytest.mark.covers("PG-03", "PG-04")
def test_a_page_is_found_by_its_address_and_an_old_one_leads_to_the_new(ada: Client) -> None:
    page = made("Deploy/run book")
    assert ada.get("/knowledge/at/ENG/deploy/RUN book").status_code == 200
    rename_page(actor=human(), page_id=page.id, title="Releasing")
    answer = ada.get("/knowledge/at/ENG/Deploy/run book")
    assert (answer.status_code, answer["Location"]) == (308, "/knowledge/at/ENG/Releasing")


@pytest.mark.covers("PG-12")
def test_a_trashed_page_is_not_there_for_whoever_may_not_restore_it(ada: Client, root: Client) -> None:
    page = made(by=agent())
    trash_page(actor=agent(), page_id=page.id)
    assert ada.get(f"/knowledge/pages/{page.id}").status_code == 404
    assert "in the trash" in text_of(root.get(f"/knowledge/pages/{page.id}"))
    assert "Deploy runbook" in text_of(root.get("/knowledge/ENG/trash"))
    assert "Deploy runbook" not in text_of(ada.get("/knowledge/ENG/trash"))


def test_without_the_app_the_screens_say_so_and_show_nothing(stranger: Client) -> None:
    page = made("Quay works")
    for address in ("/knowledge", "/knowledge/ENG", f"/knowledge/pages/{page.id}", "/skills"):
        answer = stranger.get(address)
        assert answer.status_code == 403
        assert "Ask an administrator" in text_of(answer)
        assert "Quay works" not in text_of(answer)
        assert "Engineering" not in text_of(answer)


def test_nobody_is_sent_to_sign_in_and_brought_back(client: Client, harbour: object) -> None:
    answer = client.get("/knowledge/ENG?open=3")
    assert answer["Location"] == "/sign-in?next=%2Fknowledge%2FENG%3Fopen%3D3"


def test_an_address_without_a_screen_is_answered_with_one(ada: Client) -> None:
    for address in ("/knowledge/NOPE", "/knowledge/pages/99", "/nowhere/at/all"):
        answer = ada.get(address)
        assert answer.status_code == 404
        assert "There is nothing here" in text_of(answer)


# --- the outline -------------------------------------------------------------------------------------------------


@pytest.mark.covers("OU-01", "OU-02")
def test_a_space_opens_at_its_top_and_says_what_lies_beneath(ada: Client) -> None:
    top = made("Runbooks")
    made("Under it", parent_id=top.id)
    shown = text_of(ada.get("/knowledge/ENG"))
    assert "Runbooks" in shown
    assert "Under it" not in shown
    assert f'hx-get="/knowledge/outline/{top.id}"' in shown
    branch = text_of(ada.get(f"/knowledge/outline/{top.id}"))
    assert "Under it" in branch
    assert "<html" not in branch


@pytest.mark.covers("OU-02")
def test_a_page_with_nothing_to_show_beneath_has_no_expander(ada: Client) -> None:
    top = made("Runbooks")
    made("Hidden draft", by=agent(), parent_id=top.id, status=PageStatus.DRAFT)
    assert "twisty" not in text_of(ada.get("/knowledge/ENG"))


@pytest.mark.covers("OU-03")
def test_a_deep_link_opens_the_right_branch(ada: Client) -> None:
    top = made("Runbooks")
    middle = made("Payments", parent_id=top.id)
    leaf = made("Cards", parent_id=middle.id)
    made("Other child", parent_id=made("Other top").id)
    shown = text_of(ada.get(f"/knowledge/ENG?open={leaf.id}"))
    assert "Cards" in shown
    assert "is-here" in shown
    assert "Other child" not in shown


@pytest.mark.covers("OU-01")
def test_a_level_of_more_than_500_pages_goes_on_where_it_ended(ada: Client) -> None:
    parent = made("Archive")
    template = Page.objects.get(pk=made("Entry", parent_id=parent.id).id)
    rows = [
        Page(**{
            field.attname: getattr(template, field.attname)
            for field in Page._meta.concrete_fields
            if field.attname != "id"
        } | {"title": f"Entry {n:04}", "address": f"entry {n:04}"})
        for n in range(504)
    ]  # fmt: skip
    Page.objects.bulk_create(rows)
    first = text_of(ada.get(f"/knowledge/outline/{parent.id}"))
    more = re.search(r'hx-get="(/knowledge/outline/\d+\?after=[^"]+)"', first)
    assert more is not None
    assert first.count("outline-row") == 500
    assert ada.get(more[1]).content.decode().count("outline-row") == 5


@pytest.mark.covers("OU-03")
def test_a_level_costs_the_same_however_many_pages_it_shows(
    ada: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    made("One")
    ada.get("/knowledge/ENG")
    with django_assert_max_num_queries(8):  # session, person, container with its count, the level, unread
        ada.get("/knowledge/ENG")
    for number in range(12):
        made(f"Page {number}")
    with django_assert_max_num_queries(8):
        ada.get("/knowledge/ENG")


def test_a_page_view_costs_five_queries(ada: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    page = made(parent_id=made("Above").id)
    ada.get(f"/knowledge/pages/{page.id}")
    # session, person, page, the pages above it, what is unread
    with django_assert_num_queries(5):
        ada.get(f"/knowledge/pages/{page.id}")


# --- writing -----------------------------------------------------------------------------------------------------


@pytest.mark.covers("PG-17")
@pytest.mark.parametrize("body", ["a\r\nb\r\n", "a\nb", "\n\nlead and trail\n\n", "a\r\nb\nc"])
def test_a_page_opened_and_saved_untouched_is_the_same_to_the_byte(ada: Client, body: str) -> None:
    page = made(body=body)
    form = typed_in(ada.get(f"/knowledge/pages/{page.id}/edit"))
    sent = re.sub(r"\r\n|\r|\n", "\r\n", form)
    ada.post(f"/knowledge/pages/{page.id}/edit", {"base_version": 1, "body": sent})
    assert Page.objects.get(pk=page.id).body == body
    assert Revision.objects.filter(page_id=page.id).count() == 1


@pytest.mark.covers("PG-05", "UI-02")
def test_a_save_on_a_stale_base_shows_both_edits_and_saves_what_comes_of_them(ada: Client) -> None:
    page = made(body="one\ntwo\nthree\nfour\nfive\n")
    save_page(actor=agent(), page_id=page.id, base_version=1, body="one\ntwo\nthree\nfour\nFIVE\n")
    answer = ada.post(
        f"/knowledge/pages/{page.id}/edit",
        {"base_version": 1, "body": "ONE\r\ntwo\r\nthree\r\nfour\r\nfive\r\n", "message": "Mine"},
    )
    assert answer.status_code == 409
    assert typed_in(answer) == "ONE\ntwo\nthree\nfour\nFIVE\n"
    assert 'name="base_version" value="2"' in text_of(answer)
    assert "Mine" in text_of(answer)
    saved = ada.post(
        f"/knowledge/pages/{page.id}/edit", {"base_version": 2, "body": typed_in(answer), "resolving": "1"}
    )
    assert saved.status_code == 302
    assert Page.objects.get(pk=page.id).body == "ONE\ntwo\nthree\nfour\nFIVE\n"


@pytest.mark.covers("PG-05")
def test_a_place_that_both_changed_is_not_saved_with_the_marks_in_it(ada: Client) -> None:
    page = made(body="one\n")
    save_page(actor=agent(), page_id=page.id, base_version=1, body="theirs\n")
    met = ada.post(f"/knowledge/pages/{page.id}/edit", {"base_version": 1, "body": "yours\n"})
    proposal = typed_in(met)
    assert "yours" in proposal
    assert "theirs" in proposal
    again = ada.post(f"/knowledge/pages/{page.id}/edit", {"base_version": 2, "body": proposal, "resolving": "1"})
    assert again.status_code == 400
    assert typed_in(again) == proposal
    assert Page.objects.get(pk=page.id).body == "theirs\n"


def test_a_new_page_lands_under_its_parent(ada: Client) -> None:
    parent = made("Runbooks")
    assert 'name="container" value="ENG"' in text_of(ada.get(f"/knowledge/new?parent={parent.id}"))
    answer = ada.post("/knowledge/new", {"title": "Cards", "body": "x", "container": "ENG", "parent": parent.id})
    page = Page.objects.get(title="Cards")
    assert answer["Location"] == f"/knowledge/pages/{page.pk}"
    assert page.parent_id == parent.id


def test_the_preview_is_the_page_s_own_renderer(ada: Client) -> None:
    answer = ada.post("/knowledge/preview", {"body": "**b** <script>"}, headers={"HX-Request": "true"})
    assert answer.content.decode().strip() == "<p><strong>b</strong> &lt;script&gt;</p>"


def test_a_page_thrown_away_is_brought_back_by_undo(ada: Client) -> None:
    page = made()
    after = ada.post(f"/knowledge/pages/{page.id}/trash", follow=True)
    assert Page.objects.get(pk=page.id).status == PageStatus.TRASHED
    assert f'action="/knowledge/pages/{page.id}/restore"' in text_of(after)
    ada.post(f"/knowledge/pages/{page.id}/restore")
    assert Page.objects.get(pk=page.id).status == PageStatus.PUBLISHED


@pytest.mark.covers("PG-12")
def test_restoring_onto_a_claimed_title_asks_for_another_one(ada: Client) -> None:
    page = made()
    trash_page(actor=human(), page_id=page.id)
    made()
    answer = ada.post(f"/knowledge/pages/{page.id}/restore")
    assert answer.status_code == 409
    assert 'name="title" value="Deploy runbook"' in text_of(answer)
    ada.post(f"/knowledge/pages/{page.id}/restore", {"title": "Deploy runbook, old"})
    assert Page.objects.get(pk=page.id).title == "Deploy runbook, old"


def test_a_page_moves_under_another_by_title(ada: Client) -> None:
    page, target = made(), made("Runbooks")
    ada.post(f"/knowledge/pages/{page.id}/move", {"container": "ENG", "parent": "runbooks"})
    assert Page.objects.get(pk=page.id).parent_id == target.id
    answer = ada.post(f"/knowledge/pages/{page.id}/move", {"container": "ENG", "parent": "No such"})
    assert answer.status_code == 422
    assert 'value="No such"' in text_of(answer)


@pytest.mark.covers("PG-07")
def test_the_history_shows_what_a_save_changed_and_brings_a_text_back(ada: Client) -> None:
    page = made(body="one\ntwo\n")
    save_page(actor=agent(), page_id=page.id, base_version=1, body="one\n2\n", message="Digits")
    assert "Digits" in text_of(ada.get(f"/knowledge/pages/{page.id}/history"))
    changed = text_of(ada.get(f"/knowledge/pages/{page.id}/history/2"))
    assert "1 line added" in changed
    ada.post(f"/knowledge/pages/{page.id}/history/1/restore", {"base_version": 2})
    restored = Page.objects.get(pk=page.id)
    assert (restored.body, restored.version) == ("one\ntwo\n", 3)


@pytest.mark.covers("PG-19")
@pytest.mark.parametrize("layout", ["unified", "split"])
def test_a_difference_shows_what_turns_the_direction_of_a_line(ada: Client, layout: str) -> None:
    page = made(body="may(<user>)\n")
    save_page(actor=agent(), page_id=page.id, base_version=1, body="may(\u202e<user>)\n")
    shown = ada.get(f"/knowledge/pages/{page.id}/compare?from=1&to=2&as={layout}").content.decode()
    assert '<span class="control" role="img" aria-label="U+202E">\u202e</span>' in shown
    assert "<user>" not in shown
    assert "&lt;user&gt;" in re.sub("</?mark>", "", shown)


@pytest.mark.covers("PG-07")
def test_any_two_versions_are_compared_in_the_layout_somebody_chose_last(ada: Client) -> None:
    page = made(body="one tide\ntwo\n")
    save_page(actor=agent(), page_id=page.id, base_version=1, body="one wind\ntwo\n")
    save_page(actor=agent(), page_id=page.id, base_version=2, body="one wind\ntwo\nthree\n")
    history = text_of(ada.get(f"/knowledge/pages/{page.id}/history"))
    assert 'name="from" value="2" checked' in history
    assert 'name="to" value="3" checked' in history
    compare = f"/knowledge/pages/{page.id}/compare?from=1&to=3"
    shown = text_of(ada.get(compare))
    assert "<mark>tide</mark>" in shown
    assert 'class="diff is-unified"' in shown
    assert 'class="diff is-split"' in text_of(ada.get(f"{compare}&as=split"))
    assert 'class="diff is-split"' in text_of(ada.get(f"/knowledge/pages/{page.id}/history/2"))
    assert 'class="diff is-unified"' in text_of(ada.get(f"{compare}&as=unified"))
    assert ada.get(f"/knowledge/pages/{page.id}/compare?from=1&to=9").status_code == 404


@pytest.mark.covers("PG-07")
def test_a_change_of_the_last_line_end_is_told_in_words(ada: Client) -> None:
    page = made(body="one\r\ntwo")
    save_page(actor=human(), page_id=page.id, base_version=1, body="one\ntwo\n")
    shown = text_of(ada.get(f"/knowledge/pages/{page.id}/history/2"))
    for words in ("ends in CRLF", "ends in LF", "no line end"):
        assert words in shown


@pytest.mark.covers("PG-07")
def test_a_long_difference_comes_in_windows_and_nothing_of_it_is_left_out(ada: Client) -> None:
    page = made(body="".join(f"old {n}\n" for n in range(1_000)))
    save_page(actor=human(), page_id=page.id, base_version=1, body="".join(f"new {n}\n" for n in range(1_000)))
    address = f"/knowledge/pages/{page.id}/history/2"
    shown = text_of(ada.get(address))
    assert "Show more (501 lines left)" in shown
    rest = ada.get(f"{address}?show=changes&row=1500", headers={"HX-Request": "true"})
    shown += text_of(rest)
    assert all(f"<mark>old</mark> {n}<" in shown for n in range(1_000))
    assert all(f"<mark>new</mark> {n}<" in shown for n in range(1_000))
    assert "<html" not in text_of(rest)


@pytest.mark.covers("PG-05", "PG-07")
def test_bringing_a_text_back_shows_what_that_changes_and_asks_again_when_somebody_saved_meanwhile(ada: Client) -> None:
    page = made(body="one\n")
    save_page(actor=agent(), page_id=page.id, base_version=1, body="two\n")
    address = f"/knowledge/pages/{page.id}/history/1/restore"
    asked = text_of(ada.get(address))
    assert "Bring version 1 back?" in asked
    assert 'name="base_version" value="2"' in asked
    save_page(actor=agent(), page_id=page.id, base_version=2, body="three\n")
    answer = ada.post(address, {"base_version": "2"})
    assert answer.status_code == 409
    assert 'name="base_version" value="3"' in text_of(answer)
    assert "<mark>three</mark>" in text_of(answer)
    assert Page.objects.get(pk=page.id).body == "three\n"
    ada.post(address, {"base_version": "3"})
    assert Page.objects.get(pk=page.id).body == "one\n"


@pytest.mark.covers("PG-07")
def test_a_history_of_many_versions_costs_the_same_as_one_of_few_and_reads_no_body(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page, long = made(body="x"), made("Long history", body="x")
    Revision.objects.bulk_create(
        Revision(
            page_id=long.id, version=version, title=long.title, body="b" * 2_000, author_name="ada-marsh",
            author_kind="human", operator_id="test", created_at=long.created_at,
        )
        for version in range(2, 1_501)
    )  # fmt: skip
    Page.objects.filter(pk=long.id).update(version=1_500)
    with CaptureQueriesContext(connection) as few:
        ada.get(f"/knowledge/pages/{page.id}/history")
    with django_assert_num_queries(len(few)):
        shown = ada.get(f"/knowledge/pages/{long.id}/history")
    seen: list[str] = []
    address = f"/knowledge/pages/{long.id}/history"
    while True:
        seen += re.findall(r'name="to" value="(\d+)"', text_of(shown))
        more = re.search(r'hx-get="(/knowledge/[^"]+)"', shown.content.decode())
        if more is None:
            break
        with CaptureQueriesContext(connection) as queries:
            shown = ada.get(unescape(more[1]), headers={"HX-Request": "true"})
        assert len(queries) == len(few) - 1  # a part of the screen has no rail that says what is unread
        assert not any('knowledge_revision"."body' in query["sql"] for query in queries)
    assert seen == [str(version) for version in range(1_500, 0, -1)], address


# --- a form refuses as the API does ------------------------------------------------------------------------------


LONG = "x" * (512 * 1024 + 1)


@pytest.mark.parametrize(
    ("sent", "attr"),
    [
        ({"title": "Deploy runbook", "container": "ENG"}, "title"),
        ({"title": "  ", "container": "ENG"}, "title"),
        ({"title": "x" * 257, "container": "ENG"}, "title"),
        ({"title": "a\u202eb", "container": "ENG"}, "title"),
        ({"title": "Kept", "container": "NOPE"}, "container"),
        ({"title": "Kept", "container": "TS"}, None),
        ({"title": "Kept", "container": "ENG", "body": LONG}, "body"),
        ({"title": "Kept", "container": "ENG", "message": "m" * 257}, "message"),
        ({"title": "Kept", "container": "ENG", "parent": "999"}, "parent_id"),
    ],
)  # fmt: skip
def test_a_create_is_refused_by_form_and_by_rest_alike_and_keeps_what_was_typed(
    ada: Client, sent: dict[str, str], attr: str | None
) -> None:
    made()
    before = Page.objects.count()
    form = ada.post("/knowledge/new", {"body": "kept text", **sent})
    body = {"body": "kept text", **sent}
    if "parent" in body:
        body["parent_id"] = int(body.pop("parent"))  # type: ignore[assignment]
    rest = ada.post("/api/v1/pages", body, content_type="application/json")
    assert form.status_code == rest.status_code
    assert rest.json()["errors"][0]["detail"] in text_of(form)
    assert rest.json()["errors"][0]["attr"] == attr
    assert Page.objects.count() == before
    assert typed_in(form) == body["body"]


@pytest.mark.parametrize(
    "sent",
    [
        {"base_version": 9, "body": "kept text"},
        {"base_version": 1, "body": LONG},
        {"base_version": 1, "body": "kept text", "message": "m" * 257},
        {"base_version": 1, "body": "kept text", "title": "Taken"},
    ],
)
def test_a_save_is_refused_by_form_and_by_rest_alike_and_keeps_what_was_typed(
    ada: Client, sent: dict[str, Any]
) -> None:
    made("Taken")
    page = made()
    form = ada.post(f"/knowledge/pages/{page.id}/edit", {**sent, "had_title": "1"})
    rest = ada.patch(f"/api/v1/pages/{page.id}", sent, content_type="application/json")
    assert form.status_code == rest.status_code
    assert str(sent["body"]) in text_of(form)
    if rest.json()["errors"][0]["code"] != "stale_version":
        assert rest.json()["errors"][0]["detail"] in text_of(form)
    kept = Page.objects.get(pk=page.id)
    assert (kept.version, kept.body, kept.title) == (1, page.body, page.title)


def test_a_rename_and_a_trash_are_refused_by_form_and_by_rest_alike(ada: Client) -> None:
    page = made(by=agent())
    for form, rest in (
        (
            ada.post(f"/knowledge/pages/{page.id}/rename", {"title": "Mine now"}),
            ada.patch(f"/api/v1/pages/{page.id}", {"title": "Mine now"}, content_type="application/json"),
        ),
        (
            ada.post(f"/knowledge/pages/{page.id}/trash"),
            ada.post(f"/api/v1/pages/{page.id}/trash", content_type="application/json"),
        ),
    ):
        assert form.status_code == rest.status_code == 403
        assert rest.json()["errors"][0]["detail"] in text_of(form)
    kept = Page.objects.get(pk=page.id)
    assert (kept.title, kept.status) == ("Deploy runbook", PageStatus.PUBLISHED)


def test_a_page_offers_only_what_its_reader_may_do(ada: Client, root: Client) -> None:
    page = made(by=agent())
    address = f"/knowledge/pages/{page.id}"
    assert f"{address}/rename" not in text_of(ada.get(address))
    assert f"{address}/rename" in text_of(root.get(address))
    skill = create_page(actor=admin(), title="Skill", body="x", container="TS")
    assert f"/knowledge/pages/{skill.id}/edit" not in text_of(ada.get(f"/knowledge/pages/{skill.id}"))
    assert ada.get(f"/knowledge/pages/{skill.id}/edit").status_code == 403


def test_a_form_from_elsewhere_is_turned_away(harbour: object) -> None:
    page = made()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = browser_of("eve", "knowledge").cookies
    answer = strict.post(f"/knowledge/pages/{page.id}/trash")
    assert answer.status_code == 403
    assert "load it again" in text_of(answer)
    assert Page.objects.get(pk=page.id).status == PageStatus.PUBLISHED


# --- what no screen is asked for ---------------------------------------------------------------------------------


def test_more_than_a_form_may_hold_is_refused_on_a_screen_that_says_so(ada: Client) -> None:
    answer = ada.post("/knowledge/new", {"title": "T", "container": "ENG", "body": "x" * 3_000_000})
    assert answer.status_code == 400
    shown = text_of(answer)
    assert "400 too_long" in shown
    assert "Nothing was saved. Go back, and send less." in shown
    assert not Page.objects.exists()


def test_a_page_filed_under_what_is_no_number_is_refused_and_not_filed_at_the_top(ada: Client) -> None:
    for parent in ("9" * 30, "-1", "guides"):
        answer = ada.post("/knowledge/new", {"title": "T", "container": "ENG", "body": "kept", "parent": parent})
        assert answer.status_code == 422
        assert typed_in(answer) == "kept"
        assert "is given by its number" in text_of(answer)
    assert not Page.objects.exists()


def test_a_host_name_nobody_named_is_told_which_setting_names_it(ada: Client, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["wiki.example"]
    answer = ada.get("/knowledge", headers={"Host": "other.example"})
    assert answer.status_code == 400
    assert "CREWLET_ALLOWED_HOSTS" in text_of(answer)


def test_a_refusal_leads_whoever_holds_the_tracker_alone_back_to_the_work(harbour: object) -> None:
    shown = text_of(browser_of("tess", "tracker").get("/no-such-screen"))
    assert '<a class="button primary" href="/tracker">Work</a>' in shown
