"""Idempotency keys: done once, answered alike."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from rest_framework.test import APIClient

from company.models import FirstAnswer
from company.rules.refusals import Code, Refused
from company.writes.idempotency import Answer, answer_once
from knowledge.models import Page, Revision
from knowledge.writes.pages import purge_page, rename_page, trash_page
from tests.factories import agent, install_company, token_for
from tests.knowledge.pages import page, proven_admin
from tests.threads import at_once

ASKED = {"title": "Runbook", "body": "Ship it."}


@pytest.fixture(autouse=True)
def _harbour(db: None) -> None:
    install_company()


def client(secret: str) -> APIClient:
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return made


def post(api: APIClient, key: str, asked: dict[str, Any] = ASKED) -> Any:
    return api.post("/api/v1/pages", asked, format="json", HTTP_IDEMPOTENCY_KEY=key)


@pytest.mark.covers("PG-16")
def test_the_same_key_and_body_answer_the_first_result_again() -> None:
    api = client(token_for(seat="engineer-bot"))
    first = post(api, "one")
    rename_page(actor=agent(), page_id=first.json()["id"], title="Guide")
    again = post(api, "one", {"body": "Ship it.", "title": "Runbook"})
    assert (again.status_code, again.json(), again.headers["ETag"]) == (201, first.json(), '"1"')
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert Page.objects.count() == 1


@pytest.mark.covers("PG-16")
def test_another_body_under_the_same_key_is_refused() -> None:
    api = client(token_for(seat="engineer-bot"))
    post(api, "one")
    other = post(api, "one", {**ASKED, "title": "Other"})
    assert (other.status_code, other.json()["errors"][0]["code"]) == (422, "idempotency_mismatch")
    assert Page.objects.count() == 1


@pytest.mark.covers("PG-16")
def test_a_key_belongs_to_its_credential_and_route() -> None:
    engineer, product = client(token_for(seat="engineer-bot")), client(token_for(seat="product-bot", name="p"))
    first, second = post(engineer, "one"), post(product, "one")
    assert first.json()["id"] != second.json()["id"]
    url = f"/api/v1/pages/{first.json()['id']}"
    saved = engineer.patch(url, {"title": "Guide"}, format="json", HTTP_IDEMPOTENCY_KEY="one")
    assert (saved.status_code, saved.json()["title"]) == (200, "Guide")


@pytest.mark.covers("PG-16")
def test_a_save_repeated_after_a_lost_answer_is_no_conflict() -> None:
    api = client(token_for(seat="engineer-bot"))
    made = page()
    url = f"/api/v1/pages/{made.id}"
    asked = {"body": "Two.", "base_version": 1}
    for _ in range(2):
        saved = api.patch(url, asked, format="json", HTTP_IDEMPOTENCY_KEY="save")
        assert (saved.status_code, saved.json()["version"]) == (200, 2)
    assert Revision.objects.count() == 2
    assert api.patch(url, asked, format="json").status_code == 409


@pytest.mark.covers("PG-16")
def test_an_attempt_that_is_refused_does_not_use_its_key_up() -> None:
    api = client(token_for(seat="engineer-bot"))
    assert post(api, "one", {"title": "Runbook"}).status_code == 400
    assert post(api, "one").status_code == 201


@pytest.mark.covers("PG-16")
@pytest.mark.parametrize(("key", "code"), [("x" * 256, "too_long"), ("", "invalid")])
def test_a_key_has_one_to_255_characters(key: str, code: str) -> None:
    api = client(token_for(seat="engineer-bot"))
    refused = post(api, key)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, code)
    assert post(api, "x" * 255).status_code == 201


@pytest.mark.covers("PG-13", "PG-16")
def test_a_purge_takes_the_kept_answers_that_show_the_page_and_a_late_repetition_does_not_bring_it_back() -> None:
    api = client(token_for(seat="engineer-bot"))
    made = post(api, "one").json()
    trash_page(actor=agent(), page_id=made["id"])
    assert post(api, "one").json() == made  # in the trash it is still what the request made
    purge_page(actor=proven_admin(), page_id=made["id"], reason="a secret")
    assert list(FirstAnswer.objects.values_list("body", "headers")) == [("", {})]
    late = post(api, "one")
    assert (late.status_code, late.json()["errors"][0]["code"]) == (404, "not_found")
    assert "Nothing was done again" in late.json()["errors"][0]["detail"]
    assert post(api, "one", {**ASKED, "title": "Other"}).json()["errors"][0]["code"] == "idempotency_mismatch"
    assert not Page.objects.exists()


@pytest.mark.covers("PG-14", "PG-16")
def test_a_late_repetition_does_not_say_again_what_was_taken_back_or_mended_since() -> None:
    api = client(token_for(seat="engineer-bot"))
    url = f"/api/v1/pages/{page().id}/comments"

    def say(key: str) -> Any:
        return api.post(url, {"body": "The password is swordfish"}, format="json", HTTP_IDEMPOTENCY_KEY=key)

    removed, edited = say("removed").json(), say("edited").json()
    assert api.delete(f"/api/v1/comments/{removed['id']}").status_code == 204
    assert api.patch(f"/api/v1/comments/{edited['id']}", {"body": "(taken out)"}, format="json").status_code == 200
    for key in ("removed", "edited"):
        late = say(key)
        assert (late.status_code, late.json()["errors"][0]["code"]) == (404, "not_found")
    assert [it["body"] for it in api.get(url).json()["results"]] == ["(taken out)"]
    assert not FirstAnswer.objects.filter(body__contains="swordfish").exists()


@pytest.mark.covers("PG-16")
@pytest.mark.django_db(transaction=True)
def test_repetitions_sent_at_once_wait_for_the_first_and_are_answered_alike() -> None:
    secret = token_for(seat="engineer-bot")
    outcomes = at_once([partial(post, client(secret), "one") for _ in range(12)])
    answers = []
    for outcome in outcomes:
        assert not isinstance(outcome, Exception), outcome
        answers.append((outcome.status_code, outcome.json()))
    assert answers == [answers[0]] * 12
    assert answers[0][0] == 201
    assert Page.objects.count() == 1


@pytest.mark.covers("PG-16")
@pytest.mark.django_db(transaction=True)
def test_an_answer_is_kept_together_with_what_it_answers_or_not_at_all() -> None:
    def made_then_lost() -> Answer:
        page()
        raise ConnectionError("the process dies before it answers")

    with pytest.raises(ConnectionError):
        answer_once(credential="token:1", route="POST x", key="k", asked={}, answer=made_then_lost)
    assert not Page.objects.exists()
    assert not FirstAnswer.objects.exists()


@pytest.mark.covers("PG-16")
def test_a_kept_answer_outlives_the_process_that_gave_it() -> None:
    def never() -> Answer:
        raise AssertionError("asked again")

    FirstAnswer.objects.create(
        credential="token:1", route="POST x", key="k", status=201, body=json.dumps({"id": 7}),
        fingerprint="44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    )  # fmt: skip
    kept = answer_once(credential="token:1", route="POST x", key="k", asked={}, answer=never)
    assert (kept.status, kept.body, kept.repeated) == (201, {"id": 7}, True)
    with pytest.raises(Refused) as caught:
        answer_once(credential="token:1", route="POST x", key="k", asked={"other": 1}, answer=never)
    assert caught.value.code is Code.IDEMPOTENCY_MISMATCH
