"""What the tests of the tracker share: Harbour in force, and short ways to file items."""

from __future__ import annotations

import pytest

from company.rules.chart import Company
from tests.factories import install_company
from tracker.writes.projects import sync_projects


@pytest.fixture
def harbour(db: None) -> Company:
    """The company the items belong to, its projects written as an apply writes them."""
    company = install_company()
    sync_projects(company)
    return company
