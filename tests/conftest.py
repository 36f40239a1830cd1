"""What every test shares: a company to act in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from company import live
from company.rules.chart import NO_COMPANY


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


@pytest.fixture(autouse=True, scope="session")
def somewhere_for_static_files() -> None:
    """Where no file has been collected yet, the middleware that serves them warns."""
    from django.conf import settings

    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
