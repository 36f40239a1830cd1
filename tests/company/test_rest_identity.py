"""`tokens`, `proof`, `people` and `me` at the REST door."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from company.models import AuditEntry, Person, Token
from tests.company.doors import administrator, bearer, codes
from tests.factories import install_company, person, token_for

pytestmark = pytest.mark.django_db

TOKENS, PEOPLE = "/api/v1/tokens", "/api/v1/people"
JSON = "application/json"


@pytest.mark.covers("CO-08")
def test_a_token_is_made_shown_once_listed_used_and_revoked() -> None:
    install_company()
    root = administrator()
    expires = (timezone.now() + timedelta(days=1)).isoformat()

    made = root.post(
        TOKENS, {"name": "main job", "seat": "engineer-bot", "scopes": ["read"], "expires_at": expires}, JSON
    )

    assert made.status_code == 201
    body = made.json()
    assert set(body) == {"id", "name", "seat", "login", "scopes", "expires_at", "last_used_at", "secret"}
    agent = bearer(body["secret"])
    me = agent.get("/api/v1/me").json()
    assert (me["author"], me["seat"], me["scopes"]) == (
        {"name": "engineer-bot", "kind": "agent"}, "engineer-bot", ["read"],
    )  # fmt: skip
    listed = root.get(TOKENS).json()
    row = next(row for row in listed["results"] if row["id"] == body["id"])
    assert "secret" not in row
    assert row["last_used_at"] is not None
    assert body["secret"] not in root.get(TOKENS).content.decode()

    gone = root.delete(f"{TOKENS}/{body['id']}")
    assert (gone.status_code, gone.content) == (204, b"")
    late = agent.get("/api/v1/me")
    assert (late.status_code, codes(late), late["WWW-Authenticate"]) == (401, ["not_authenticated"], "Bearer")
    assert codes(root.delete(f"{TOKENS}/{body['id']}")) == ["not_found"]


@pytest.mark.covers("CO-08")
def test_an_expired_token_is_told_so() -> None:
    secret = token_for(name="old")
    Token.objects.update(expires_at=timezone.now())

    answer = bearer(secret).get("/api/v1/me")

    assert (answer.status_code, codes(answer)) == (401, ["token_expired"])


def test_a_repeated_request_with_a_key_makes_one_token_and_answers_its_secret_again() -> None:
    root = administrator()
    body = {"name": "importer", "service": True, "scopes": ["read"]}

    first = root.post(TOKENS, body, JSON, headers={"Idempotency-Key": "k"})
    again = root.post(TOKENS, body, JSON, headers={"Idempotency-Key": "k"})
    other = root.post(TOKENS, {**body, "name": "other"}, JSON, headers={"Idempotency-Key": "k"})

    assert first.json() == again.json()
    assert bearer(first.json()["secret"]).get("/api/v1/me").status_code == 200
    assert codes(other) == ["idempotency_mismatch"]
    assert Token.objects.filter(name="importer").count() == 1
    from company.models.idempotency import FirstAnswer

    assert first.json()["secret"] not in str(list(FirstAnswer.objects.values()))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ["required", "required"]),
        ({"name": "a", "scopes": []}, ["invalid"]),
        ({"name": "a", "scopes": ["root"]}, ["invalid"]),
        ({"name": "a" * 151, "scopes": ["read"]}, ["too_long"]),
        ({"name": "a\x00", "scopes": ["read"]}, ["invalid"]),
        ({"name": "a", "scopes": ["read"], "colour": "red"}, ["unknown_field"]),
        ({"name": "a", "scopes": ["read"], "expires_at": "soon"}, ["invalid"]),
        ({"name": "a", "scopes": ["read"], "seat": "nobody"}, ["invalid"]),
        ([], ["invalid"]),
    ],
)
def test_a_malformed_token_is_refused_with_a_code_of_the_table(body: object, expected: list[str]) -> None:
    root = administrator()
    before = Token.objects.count()

    refused = root.post(TOKENS, body, JSON)

    assert (refused.status_code, sorted(codes(refused))) == (400, sorted(expected))
    assert Token.objects.count() == before


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"a": NaN}', b"[" * 100_000])
def test_a_body_that_is_no_json_is_invalid(body: bytes) -> None:
    refused = administrator().generic("POST", TOKENS, body, JSON)

    assert (refused.status_code, codes(refused)) == (400, ["invalid"])


@pytest.mark.covers("CO-11")
def test_a_proof_marks_the_token_that_gave_it() -> None:
    secret = token_for(holder=person("ada"))

    wrong = bearer(secret).post("/api/v1/proof", {"password": "wrong"}, JSON)
    assert (wrong.status_code, codes(wrong)) == (403, ["forbidden"])
    right = bearer(secret).post("/api/v1/proof", {"password": "a long password"}, JSON)
    assert right.status_code == 200
    assert bearer(secret).get("/api/v1/me").json()["proven_until"] == right.json()["proven_until"]


@pytest.mark.covers("CO-11")
def test_the_sixth_wrong_proof_says_when_to_come_back() -> None:
    client = bearer(token_for(holder=person("ada")))
    for _ in range(5):
        client.post("/api/v1/proof", {"password": "wrong"}, JSON)

    answer = client.post("/api/v1/proof", {"password": "a long password"}, JSON)

    assert (answer.status_code, codes(answer)) == (429, ["rate_limited"])
    assert 0 < int(answer["Retry-After"]) <= 900


@pytest.mark.covers("CO-11")
def test_a_proof_by_the_browser_is_kept_in_its_session() -> None:
    ada = person("ada")
    browser = Client()
    browser.force_login(ada)
    assert browser.get("/api/v1/me").json()["proven_until"] is None

    browser.post("/api/v1/proof", {"password": "a long password"}, JSON)

    assert browser.get("/api/v1/me").json()["proven_until"] is not None


@pytest.mark.covers("OP-05")
def test_a_write_by_the_browsers_cookie_needs_the_forms_token() -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(person("ada"))

    refused = browser.post(TOKENS, {"name": "a", "scopes": ["read"]}, JSON)

    assert (refused.status_code, codes(refused)) == (403, ["forbidden"])
    assert not Token.objects.exists()


def test_people_are_made_changed_and_let_in() -> None:
    install_company()
    root = administrator()

    made = root.post(PEOPLE, {"login": "Ada", "seat": "ada-marsh", "password": "tide and timber"}, JSON)
    assert made.status_code == 201
    ada = made.json()
    assert (ada["login"], ada["seat"], ada["active"], ada["has_password"]) == ("ada", "ada-marsh", True, True)
    assert "tide" not in made.content.decode()
    changed = root.patch(f"{PEOPLE}/{ada['id']}", {"seat": None, "permissions": ["tracker"]}, JSON)
    assert (changed.json()["seat"], changed.json()["permissions"]) == (None, ["tracker"])
    assert root.get(f"{PEOPLE}/{ada['id']}").json() == changed.json()
    assert {row["login"] for row in root.get(PEOPLE).json()["results"]} == {"ada", "root"}

    link = root.post(f"{PEOPLE}/{ada['id']}/sign-in-link")
    assert link.status_code == 201
    assert link.json()["url"].startswith("http://testserver/sign-in/once/")
    assert codes(root.patch(f"{PEOPLE}/{ada['id']}", {"login": "other"}, JSON)) == ["unknown_field"]
    assert codes(root.get(f"{PEOPLE}/999999")) == ["not_found"]
    assert codes(root.post(PEOPLE, {"login": "ADA"}, JSON)) == ["invalid"]


def test_whoever_changes_their_password_in_the_browser_stays_signed_in_there_alone() -> None:
    ada = person("ada")
    here, elsewhere = Client(), Client()
    here.force_login(ada)
    elsewhere.force_login(ada)

    answer = here.post(
        f"{PEOPLE}/{ada.pk}/password", {"password": "tide and timber", "current": "a long password"}, JSON
    )

    assert answer.status_code == 200
    assert here.get("/api/v1/me").status_code == 200
    assert elsewhere.get("/api/v1/me").status_code == 401


@pytest.mark.covers("CO-09")
def test_only_administrators_manage_people() -> None:
    ada = person("ada", permissions=["knowledge"])
    client = bearer(token_for(holder=ada))

    for answer in (
        client.get(PEOPLE),
        client.get(f"{PEOPLE}/{ada.pk}"),
        client.post(PEOPLE, {"login": "ben"}, JSON),
        client.patch(f"{PEOPLE}/{ada.pk}", {"permissions": ["admin"]}, JSON),
        client.post(f"{PEOPLE}/{ada.pk}/sign-in-link"),
    ):
        assert (answer.status_code, codes(answer)) == (403, ["forbidden"])
    assert Person.objects.count() == 1
    assert not AuditEntry.objects.exists()
