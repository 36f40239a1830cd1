"""When a provider that failed is asked again, and when coverage is alarming."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedding.rules.backoff import LONGEST_WAIT, LONGEST_WISH, retry_at
from knowledge.embedding.rules.coverage import Coverage

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.covers("EM-07")
def test_the_first_failure_waits_for_the_next_tick_and_the_following_ones_longer() -> None:
    waits = [retry_at(NOW, failures=number, wish=None) for number in range(1, 7)]
    minutes = [None if wait is None else (wait - NOW) // timedelta(minutes=1) for wait in waits]
    assert minutes == [None, 2, 4, 8, 15, 15]


@pytest.mark.covers("EM-07")
def test_a_provider_that_says_when_is_heeded() -> None:
    assert retry_at(NOW, failures=1, wish=7) == NOW + timedelta(seconds=7)
    assert retry_at(NOW, failures=9, wish=1e6) == NOW + LONGEST_WISH


@given(st.integers(2, 10_000))
def test_no_number_of_failures_gives_up_for_longer_than_a_quarter_of_an_hour(failures: int) -> None:
    again = retry_at(NOW, failures=failures, wish=None)
    assert again is not None
    assert NOW < again <= NOW + LONGEST_WAIT


@pytest.mark.covers("EM-09")
def test_coverage_is_summed_over_corpora_so_a_small_full_one_masks_nothing() -> None:
    both = Coverage(10, 10) + Coverage(990, 900)
    assert (both.share, both.is_alarming, both.percent) == (0.91, True, "91")
    assert not Coverage(100, 95).is_alarming


@pytest.mark.covers("EM-09")
def test_only_all_of_it_is_a_hundred_per_cent_and_nothing_written_is_covered() -> None:
    assert Coverage(100_000, 99_999).percent == "99.9"
    assert (Coverage(3, 3).percent, Coverage(0, 0).percent) == ("100", "100")
    assert not Coverage(0, 0).is_alarming
