"""`/metrics`: what monitoring reads, and who may."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from django.db import OperationalError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from company import nudges
from company.models.credentials import Person
from company.rules.actors import Scope
from crewlet_site import metrics
from tests.company.doors import bearer
from tests.factories import install_company, token_for

pytestmark = [pytest.mark.django_db, pytest.mark.covers("OP-02")]


@pytest.fixture
def operator(client: Client) -> Client:
    """Somebody signed in who administers."""
    client.force_login(Person.objects.create(login="ada", permissions=["admin"]))
    return client


def samples(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """The samples of an exposition by name."""
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((dict(sample.labels), sample.value))
    return found


def count(shown: dict[str, list[tuple[dict[str, str], float]]], **labels: str) -> float:
    """How many requests with these labels were counted."""
    return sum(
        value for given, value in shown.get("crewlet_http_requests_total", []) if labels.items() <= given.items()
    )


def test_a_request_is_counted_by_its_route_and_never_by_its_address(operator: Client) -> None:
    before = count(samples(operator.get("/metrics").text), route="knowledge/pages/<int:page_id>", status="404")
    for number in (901, 902, 903):
        operator.get(f"/knowledge/pages/{number}")
    operator.get("/no/such/address")
    shown = operator.get("/metrics").text
    assert count(samples(shown), route="knowledge/pages/<int:page_id>", status="404") == before + 3
    assert "pages/901" not in shown
    assert "/no/such/address" not in shown
    assert samples(shown)["crewlet_http_request_seconds_count"]


def test_how_the_deployment_stands_is_told(operator: Client) -> None:
    answer = operator.get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    shown = samples(answer.text)
    assert shown["crewlet_server_up"] == [({"server": "postgres"}, 1.0), ({"server": "valkey"}, 1.0)]
    for name in ("crewlet_index_lag_seconds", "crewlet_document_revision", "crewlet_queue_duties"):
        assert len(shown[name]) == 1


def test_a_server_that_is_away_is_told_and_the_rest_is_still_there(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise redis.ConnectionError("away")

    monkeypatch.setattr(nudges.valkey(), "llen", away)
    shown = samples(operator.get("/metrics").text)
    assert ({"server": "valkey"}, 0.0) in shown["crewlet_server_up"]
    assert "crewlet_queue_duties" not in shown

    def gone() -> list[Any]:
        raise OperationalError("gone")

    monkeypatch.setattr(metrics, "_of_the_database", gone)
    body, _ = metrics.exposition()
    shown = samples(body.decode())
    assert ({"server": "postgres"}, 0.0) in shown["crewlet_server_up"]
    assert shown["crewlet_http_requests_total"]


def test_an_agent_and_nobody_are_refused(client: Client) -> None:
    assert client.get("/metrics").status_code == 401
    install_company()
    assert bearer(token_for(seat="engineer-bot")).get("/metrics").status_code == 403
    assert bearer(token_for(scopes=frozenset({Scope.READ}))).get("/metrics").status_code == 200
