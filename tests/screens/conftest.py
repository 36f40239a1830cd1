"""What the tests of screens share: Harbour in force with its spaces, and people at their browsers."""

from __future__ import annotations

import pytest
from django.test import Client

from company.rules.chart import Company
from knowledge.models import Container
from tests.factories import install_company
from tests.screens.browsers import browser_of


@pytest.fixture
def harbour(db: None) -> Company:
    """The company in force, its spaces where the screens find them."""
    company = install_company(dashboard_base_url="")
    for space in company.spaces:
        Container.objects.create(
            key=space.key, name=space.name, purpose=space.purpose, kind=space.kind.value,
            chart_epoch=company.activated_at,
        )  # fmt: skip
    return company


@pytest.fixture
def ada(harbour: Company) -> Client:
    """A person with the knowledge app, who holds the seat ada-marsh."""
    return browser_of("ada", "knowledge", seat="ada-marsh")


@pytest.fixture
def root(harbour: Company) -> Client:
    """An administrator who holds no seat."""
    return browser_of("root", "admin")


@pytest.fixture
def stranger(harbour: Company) -> Client:
    """Somebody who can sign in and holds no app."""
    return browser_of("stranger")
