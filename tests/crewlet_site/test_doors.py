"""Every address asks who is there, but for those that are public by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

pytestmark = [pytest.mark.django_db, pytest.mark.covers("OP-05", "CO-06")]

PUBLIC = {
    "healthz": "load balancers ask it",
    "readyz": "load balancers ask it",
    "sign-in": "whoever signs in is nobody yet",
    "sign-in/once/<str:secret>": "the link is the credential",
    "api/schema/": "describes the door, not the company",
    "api/docs/": "describes the door, not the company",
}
"""The routes that answer nobody in particular, and why."""

SAMPLES = {"int": "1", "str": "X", "slug": "x", "uuid": "00000000-0000-4000-8000-000000000000", "path": "x/y"}
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Route:
    pattern: str

    @property
    def address(self) -> str:
        """An address of the route, with a sample for each of its parts."""

        def sample(part: re.Match[str]) -> str:
            return SAMPLES.get(part[1] or "str", "1")

        begins_with = re.fullmatch(r"\^([\w/-]*)", self.pattern)  # whatever no other route has taken
        return f"/{begins_with[1]}x" if begins_with else "/" + re.sub(r"<(?:(\w+):)?\w+>", sample, self.pattern)


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[Route]:
    """Every route of the URL conf."""
    for entry in (resolver or get_resolver()).url_patterns:
        pattern = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, pattern)
        elif isinstance(entry, URLPattern):
            yield Route(pattern)


def test_every_public_route_is_there_and_no_reason_is_left_over() -> None:
    known = {route.pattern for route in routes()}
    assert {"healthz", "readyz"} <= known


def test_every_other_route_turns_nobody_away_at_the_door(client: Client) -> None:
    """401 at the REST door, the sign-in page on a screen; whatever the method, and before anything else is judged."""
    open_doors = []
    for route in routes():
        if route.pattern in PUBLIC:
            continue
        for method in METHODS:
            answer = getattr(client, method)(route.address)
            turned_away = answer.status_code == 401 or (
                answer.status_code == 302 and answer["Location"].startswith("/sign-in")
            )
            if not turned_away and answer.status_code != 405:
                open_doors.append(f"{method.upper()} {route.address}: {answer.status_code}")
    assert open_doors == []


def test_a_route_that_answers_no_method_to_nobody_but_405_does_not_slip_through(client: Client) -> None:
    """At least one method of each route must have asked who is there."""
    silent = [
        route.address
        for route in routes()
        if route.pattern not in PUBLIC
        and all(getattr(client, method)(route.address).status_code == 405 for method in METHODS)
    ]
    assert silent == []
