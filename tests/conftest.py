"""What every test shares: a company to act in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from company import live
from company.rules.chart import NO_COMPANY


@pytest.fixture(autouse=True)
def no_company_left_over() -> Iterator[None]:
    """Each test starts before the first document."""
    live._current = NO_COMPANY
    yield
    live._current = NO_COMPANY
