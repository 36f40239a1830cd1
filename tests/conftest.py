"""What every test shares: a company to act in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django import Settings

from company import live, nudges
from company.rules.chart import NO_COMPANY
from tests import frontiers, network
from tests.deployments import Deployment, data_directory, running

own_frontier = frontiers.own_frontier

CHROMIUM = "/usr/bin/chromium"

# Where no file has been collected yet, the middleware that serves them warns when it is loaded, be it by an import.
django_settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)

# How long an example takes says how busy the machine is; tests about time measure the processor's themselves.
hypothesis_settings.register_profile("any_machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("any_machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share the one running deployment, or the one browser, run in one worker."""
    for item in items:
        if {"deployment", "browser_page"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("deployment"))


@pytest.fixture(scope="session", autouse=True)
def no_way_out() -> Iterator[None]:
    """No test talks to another machine."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        network.close(monkeypatch)
        yield


@pytest.fixture(autouse=True)
def no_company_left_over() -> Iterator[None]:
    """Each test starts before the first document."""
    live._current = NO_COMPANY
    yield
    live._current = NO_COMPANY


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """Argon2 takes the better part of a second by design; no test is about that."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session", autouse=True)
def a_valkey_for_each_worker(worker_id: str) -> None:
    """Workers that run at once count rates and keep keys apart: each in a database of its own on the one server."""
    number = worker_id.removeprefix("gw")
    if number.isdecimal():
        place, _, query = django_settings.REDIS_URL.partition("?")
        django_settings.REDIS_URL = (
            f"{place}?db={number}" if place.startswith("unix:") else re.sub(r"/\d*$", f"/{number}", place) + query
        )
        nudges.valkey.cache_clear()


@pytest.fixture(scope="session")
def deployment() -> Iterator[Deployment]:
    """A real `up` with the example company, two web processes and servers of its own; shared, so bring your own pages.

    `deployment.crewlet("iam", "token", …)` runs a command against it.
    """
    with data_directory() as path, running(path) as made:
        yield made


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium."""
    # Playwright keeps an event loop running in this thread, which Django takes for a view's.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """A page of a fresh browser: no cookie, nothing kept. Fails the test for an error in the page's console."""
    context = browser.new_context()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


@pytest.fixture(autouse=True)
def no_request_limits(settings: Settings) -> None:
    """Tests ask often; those about the limits turn them on."""
    settings.RATE_LIMITS = False
