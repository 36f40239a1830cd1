"""What the tests of pages share: Harbour in force, and pages in its spaces."""

from __future__ import annotations

import pytest

from company.rules.chart import Company
from tests.factories import install_company


@pytest.fixture
def harbour(db: None) -> Company:
    """The company the pages belong to."""
    return install_company()
