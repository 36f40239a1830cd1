"""Clients of the REST door, as scripts and browsers use it."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.factories import person, token_for

ADMIN_PASSWORD = "a long password"


def bearer(secret: str) -> Client:
    """A client that sends a token."""
    return Client(headers={"Authorization": f"Bearer {secret}"})


def administrator(login: str = "root") -> Client:
    """A client with an administrator's token of every scope."""
    return bearer(token_for(holder=person(login, permissions=["admin"]), name=login))


def codes(response: Any) -> list[str]:
    """The codes of a refusal."""
    body = response.json()
    assert set(body) >= {"type", "errors"}
    assert all(set(error) == {"code", "detail", "attr"} for error in body["errors"])
    return [error["code"] for error in body["errors"]]
