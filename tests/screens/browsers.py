"""People at their browsers."""

from __future__ import annotations

from django.test import Client

from tests.factories import person


def browser_of(login: str, *permissions: str, seat: str | None = None) -> Client:
    """Somebody signed in, with the CSRF check a browser meets left to the tests that are about it."""
    client = Client()
    client.force_login(person(login, permissions=list(permissions), seat=seat))
    return client
