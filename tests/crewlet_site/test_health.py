"""What operators and load balancers ask."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client

from company.models.revisions import Revision
from crewlet_site import preparation
from tests.factories import install_company

pytestmark = [pytest.mark.django_db, pytest.mark.covers("OP-01", "OP-02")]


def test_a_process_that_serves_is_healthy_and_asks_nothing_else(
    client: Client, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    assert callable(django_assert_num_queries)
    with django_assert_num_queries(0):
        answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok"}


def test_a_deployment_without_a_document_is_ready_for_its_first_one(client: Client) -> None:
    assert client.get("/readyz").json() == {"status": "ready"}


def test_it_is_ready_with_the_newest_document_in_force(client: Client) -> None:
    install_company()
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert "no-cache" in answer["Cache-Control"]


def test_a_document_that_is_not_in_force_here_yet_is_named(client: Client) -> None:
    newer = Revision.objects.create(source="", document={}, author_name="t", author_kind="operator", credential="t")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    (error,) = answer.json()["errors"]
    assert error["code"] == "not_ready"
    assert error["attr"] == "company"
    assert str(newer.pk) in error["detail"]


def test_migrations_that_are_not_applied_are_named(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "pending_migrations", lambda: ["company.0009_later"])
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "company.0009_later" in answer.json()["errors"][0]["detail"]


def test_a_database_that_is_away_is_named_and_the_process_stays_healthy(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> list[str]:
        raise OperationalError("no route to host db.internal")

    monkeypatch.setattr(preparation, "pending_migrations", away)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["errors"] == [
        {"code": "not_ready", "detail": "The database cannot be reached.", "attr": "database"}
    ]
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_they_answer_reads_only(client: Client, address: str) -> None:
    assert client.post(address).status_code == 405
