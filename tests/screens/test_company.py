"""The screens of the company: coming in, the document, people, tokens."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from company.models import Person, Revision, Token
from company.reads.actors import digest_of
from company.writes.people import create_sign_in_link
from tests.factories import admin, person

pytestmark = pytest.mark.django_db

DOCUMENT = "name: Harbour\nknowledge:\n  root_space: HOME\nroles:\n  - {name: Ada Marsh, kind: human, space: ADA}\n"


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


# --- coming in ---------------------------------------------------------------------------------------------------


def test_somebody_signs_in_and_is_brought_to_where_they_wanted(client: Client, harbour: object) -> None:
    person("ada", permissions=["knowledge"])
    form = {"login": "Ada", "password": "a long password", "next": "/knowledge/ENG"}
    assert client.post("/sign-in", form)["Location"] == "/knowledge/ENG"
    assert client.get("/knowledge/ENG").status_code == 200
    assert client.get("/")["Location"] == "/knowledge"


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_never_leads_to_another_site(client: Client, harbour: object, wanted: str) -> None:
    person("ada")
    form = {"login": "ada", "password": "a long password", "next": wanted}
    assert client.post("/sign-in", form)["Location"] == "/knowledge"


def test_a_wrong_password_is_told_and_the_login_kept(client: Client, harbour: object) -> None:
    person("ada")
    answer = client.post("/sign-in", {"login": "ada", "password": "guess"})
    assert answer.status_code == 401
    assert 'value="ada"' in text_of(answer)
    assert "do not fit together" in text_of(answer)
    assert "guess" not in text_of(answer)


def test_a_one_time_link_spends_nothing_until_its_button_is_pressed(client: Client, harbour: object) -> None:
    made = Person(login="ada", permissions=["admin"])
    made.set_unusable_password()
    made.save()
    address = f"/sign-in/once/{create_sign_in_link(actor=admin(), person_id=made.pk)}"
    assert client.get(address).status_code == 200
    assert client.get(address).status_code == 200
    assert client.post(address)["Location"].startswith("/password")
    assert "You sign in as <strong>ada</strong>." in text_of(client.get("/password"))
    assert client.post("/password", {"password": "three boats at noon"})["Location"] == "/knowledge"
    assert client.get("/knowledge").status_code == 200, "choosing a password keeps the session it was chosen in"
    used = Client().post(address)
    assert used.status_code == 401
    assert "does not work" in text_of(used)


def test_a_weak_password_is_refused_with_every_reason(ada: Client) -> None:
    answer = ada.post("/password", {"password": "password", "current": "a long password"})
    assert answer.status_code == 400
    assert "10 characters" in text_of(answer)
    assert "common" in text_of(answer)


def test_signing_out_ends_the_session(ada: Client) -> None:
    assert ada.post("/sign-out")["Location"] == "/sign-in"
    assert ada.get("/knowledge").status_code == 302


def test_light_and_dark_are_remembered(ada: Client) -> None:
    ada.post("/theme", {"theme": "dark", "next": "/knowledge"})
    assert '<html lang="en" data-theme="dark">' in text_of(ada.get("/knowledge"))
    ada.post("/theme", {"theme": '"><script>'})
    assert 'data-theme="dark"' in text_of(ada.get("/knowledge"))


# --- the document ------------------------------------------------------------------------------------------------


@pytest.mark.covers("CO-01", "UI-05")
def test_a_document_with_problems_is_refused_line_by_line_and_kept(root: Client) -> None:
    base = Revision.objects.latest("id").pk
    source = "name: Harbour\nunits:\n  - {name: Engineering, space: eng}\n  - {name: Product, lead: Nobody}\n"
    answer = root.post("/company", {"source": source, "if_match": base, "summary": "Two units"})
    assert answer.status_code == 422
    shown = text_of(answer)
    assert "units.0.space" in shown
    assert "(line 3)" in shown
    assert "(line 4)" in shown
    assert source in shown
    assert "Two units" in shown
    assert Revision.objects.latest("id").pk == base


@pytest.mark.covers("CO-02")
def test_what_is_not_read_is_folded_and_told_once_for_all_items_of_a_list(root: Client) -> None:
    seats = "".join(f"  - {{name: Bot {number}, goal: sail}}\n" for number in range(3))
    base = Revision.objects.latest("id").pk
    assert root.post("/company", {"source": f"{DOCUMENT}{seats}", "if_match": base}).status_code == 302
    shown = text_of(root.get("/company"))
    assert "<summary>3 keys kept, but not read by this product</summary>" in shown
    assert "<code>roles.*.goal (3 times)</code>" in shown


def test_a_document_is_applied_and_the_ignored_sections_listed(root: Client) -> None:
    base = Revision.objects.latest("id").pk
    assert root.post("/company", {"source": f"{DOCUMENT}colours: blue\n", "if_match": base}).status_code == 302
    shown = text_of(root.get("/company"))
    assert "<code>colours</code>" in shown
    made = Revision.objects.latest("id").pk
    assert "colours: blue" in text_of(root.get(f"/company/revisions/{made}"))
    assert "No summary" in text_of(root.get("/company/revisions"))


def test_a_document_written_on_an_old_revision_is_kept_and_the_new_one_named(root: Client) -> None:
    base = Revision.objects.latest("id").pk
    root.post("/company", {"source": DOCUMENT, "if_match": base})
    newest = Revision.objects.latest("id").pk
    answer = root.post("/company", {"source": f"{DOCUMENT}mission: Ferries\n", "if_match": base})
    assert answer.status_code == 412
    assert "mission: Ferries" in text_of(answer)
    assert f"/company/revisions/{newest}" in text_of(answer)
    assert Revision.objects.latest("id").pk == newest


def test_a_revision_is_put_in_force_again(root: Client) -> None:
    root.post("/company", {"source": DOCUMENT, "if_match": Revision.objects.latest("id").pk})
    first = Revision.objects.latest("id").pk
    root.post("/company", {"source": f"{DOCUMENT}mission: Ferries\n", "if_match": first})
    root.post(f"/company/revisions/{first}/revert")
    assert Revision.objects.latest("id").source == DOCUMENT


def test_whoever_does_not_administer_sees_the_chart_and_changes_nothing(ada: Client) -> None:
    assert "Engineer Bot" in text_of(ada.get("/company"))
    assert "<textarea" not in text_of(ada.get("/company"))
    before = Revision.objects.count()
    assert ada.post("/company", {"source": DOCUMENT, "if_match": ""}).status_code == 403
    for address in ("/company/people", "/company/revisions"):
        assert ada.get(address).status_code == 403
    assert Revision.objects.count() == before


# --- tokens and people -------------------------------------------------------------------------------------------


@pytest.mark.covers("CO-06")
def test_a_token_s_secret_is_shown_once_and_works_until_it_is_revoked(root: Client) -> None:
    form = {"name": "The runner", "holder": "seat:engineer-bot", "scopes": ["read", "write"], "days": "30"}
    answer = root.post("/company/tokens", form)
    secret = re.search(r"<code>(crewlet_[^<]+)</code>", text_of(answer))
    assert secret is not None
    token = Token.objects.get(digest=digest_of(secret[1]))
    assert (token.seat, token.scopes) == ("engineer-bot", ["read", "write"])
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert secret[1] not in text_of(root.get("/company/tokens"))
    root.post(f"/company/tokens/{token.pk}/revoke")
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_a_token_that_is_refused_keeps_the_form(root: Client) -> None:
    answer = root.post(
        "/company/tokens", {"name": "", "holder": "seat:engineer-bot", "scopes": ["read"], "days": "365"}
    )
    assert answer.status_code == 400
    assert 'value="seat:engineer-bot" selected' in text_of(answer)
    assert Token.objects.count() == 0


def test_a_person_makes_a_token_of_their_own_and_no_wider(ada: Client) -> None:
    ada.post("/company/tokens", {"name": "mine", "scopes": ["read"], "days": "30"})
    made = Token.objects.get()
    assert (made.person and made.person.login, made.scopes) == ("ada", ["read"])
    assert (
        ada.post("/company/tokens", {"name": "theirs", "holder": "seat:engineer-bot", "scopes": ["read"]}).status_code
        == 403
    )
    assert Token.objects.count() == 1


def test_somebody_is_added_and_let_in_by_a_link(root: Client) -> None:
    answer = root.post("/company/people", {"login": "ben", "name": "Ben", "permissions": ["knowledge"]})
    ben = Person.objects.get(login="ben")
    assert answer["Location"] == f"/company/people/{ben.pk}"
    link = re.search(
        r"<code>http://testserver(/sign-in/once/[^<]+)</code>", text_of(root.post(f"/company/people/{ben.pk}/link"))
    )
    assert link is not None
    assert Client().post(link[1]).status_code == 302


def test_the_last_administrator_cannot_be_taken_away(root: Client) -> None:
    last = Person.objects.get(login="root")
    answer = root.post(f"/company/people/{last.pk}", {"name": "Root", "active": "1", "permissions": ["knowledge"]})
    assert answer.status_code == 400
    assert "Nobody would be left" in text_of(answer)
    assert Person.objects.get(pk=last.pk).permissions == ["admin"]
