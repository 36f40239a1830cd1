"""Request limits: the arithmetic of the window, the headers, and what happens without Valkey."""

from __future__ import annotations

import pytest
import redis
from django.test import Client
from pytest_django import Settings

from company.nudges import valkey
from company.reads import rates as counting
from company.rules.rates import rate_of
from tests.company.doors import administrator, bearer, codes

ME = "/api/v1/me"


@pytest.mark.parametrize(
    ("before", "now", "into", "remaining", "exceeded"),
    [
        (0, 1, 0.0, 9, False),
        (0, 10, 0.0, 0, False),
        (0, 11, 59.0, 0, True),
        (10, 1, 0.0, 0, True),
        (10, 5, 30.0, 0, False),
        (10, 5, 59.9, 4, False),
    ],
)
def test_the_window_slides(before: int, now: int, into: float, remaining: int, exceeded: bool) -> None:
    rate = rate_of(limit=10, before=before, now=now, into=into)

    assert (rate.remaining, rate.exceeded) == (remaining, exceeded)
    assert rate.reset >= 1


@pytest.mark.parametrize(("before", "now", "into"), [(10, 1, 0.0), (10, 8, 20.0), (0, 11, 59.0), (3, 40, 12.0)])
def test_whoever_waits_as_told_is_let_in(before: int, now: int, into: float) -> None:
    wait = rate_of(limit=10, before=before, now=now, into=into).reset
    minutes, later = divmod(into + wait, 60)
    if minutes:
        before, now = (now, 0) if minutes == 1 else (0, 0)

    assert not rate_of(limit=10, before=before, now=now + 1, into=later).exceeded


@pytest.fixture
def limited(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RATE_LIMITS = True
    monkeypatch.setattr("company.api.rates.OF_A_CREDENTIAL", 3)
    monkeypatch.setattr("company.api.rates.OF_AN_ADDRESS", 2)
    monkeypatch.setitem(counting._asked_again_at, "valkey", 0.0)
    for key in valkey().scan_iter("crewlet:rate:*"):
        valkey().delete(key)


@pytest.mark.django_db
@pytest.mark.covers("AP-01")
def test_past_the_limit_a_credential_is_told_when_to_come_back(limited: None) -> None:
    client = administrator()
    first = client.get(ME)
    assert (first["X-RateLimit-Limit"], first["X-RateLimit-Remaining"]) == ("3", "2")
    for _ in range(2):
        assert client.get(ME).status_code == 200

    answer = client.get(ME)

    assert (answer.status_code, codes(answer)) == (429, ["rate_limited"])
    assert 1 <= int(answer["Retry-After"]) <= 120
    assert administrator("second").get(ME).status_code == 200


@pytest.mark.django_db
@pytest.mark.covers("AP-01", "OP-05")
def test_guessing_tokens_counts_for_the_address(limited: None) -> None:
    for number in range(2):
        assert bearer(f"guess{number}").get(ME).status_code == 401
    assert bearer("guess3").get(ME).status_code == 429
    assert Client().get(ME).status_code == 429


@pytest.mark.django_db
def test_without_valkey_nobody_is_held_up(limited: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> redis.Redis:
        raise redis.ConnectionError("away")

    monkeypatch.setattr(counting, "valkey", away)
    client = administrator()

    for _ in range(5):
        assert client.get(ME).status_code == 200
