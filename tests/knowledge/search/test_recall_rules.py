"""What has to be found of the exact ranking, and how many lists an index may read for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search.rules.recall import (
    Recall,
    fewest_probes,
    floor_of,
    is_lopsided,
    is_outgrown,
    lists_for,
    most_probes,
    recall_of,
)


@pytest.mark.covers("EM-10")
def test_the_floor_goes_down_with_the_corpus() -> None:
    assert [floor_of(number) for number in (10, 20_000, 120_000, 500_000, 9_000_000)] == pytest.approx(
        [0.98, 0.98, 0.93, 0.88, 0.88]
    )
    assert 0.93 < floor_of(60_000) < 0.98


@pytest.mark.covers("EM-10")
def test_recall_is_the_mean_over_questions_and_every_miss_of_a_top_ten_counts() -> None:
    whole = tuple(range(100))
    assert recall_of([(whole, whole), (whole, whole[:50])]) == Recall(mean=0.75, worst=0.5, head_misses=0)
    assert recall_of([(whole, whole[1:])]).head_misses == 1
    assert not recall_of([(whole, whole[1:])]).meets(0.9)
    assert recall_of([((), ())]) == Recall(mean=1.0, worst=1.0, head_misses=0)


@pytest.mark.covers("EM-10")
@given(st.integers(1, 1_024), st.integers(1, 1_024))
def test_the_fewest_lists_that_are_enough_are_found_and_more_than_allowed_are_none(enough: int, most: int) -> None:
    asked: list[int] = []

    def is_enough(probes: int) -> bool:
        asked.append(probes)
        return probes >= enough

    assert fewest_probes(is_enough, most=most) == (enough if enough <= most else None)
    assert max(asked) <= most
    assert len(asked) <= 2 * most.bit_length() + 1


@pytest.mark.covers("EM-10")
def test_an_index_is_outgrown_when_its_corpus_has_doubled_or_halved() -> None:
    assert [is_outgrown(trained_on=1_000, now=now) for now in (500, 501, 1_999, 2_000)] == [True, False, False, True]


@pytest.mark.covers("EM-10")
def test_a_list_that_was_full_from_the_beginning_is_no_reason_to_train_again() -> None:
    assert is_lopsided(fullest=0.09, fullest_at_training=0.03, lists=100)
    assert not is_lopsided(fullest=0.09, fullest_at_training=0.08, lists=100)
    assert not is_lopsided(fullest=0.03, fullest_at_training=0.01, lists=100)


@pytest.mark.covers("EM-10")
def test_no_index_reads_more_than_half_of_its_lists() -> None:
    assert [(lists_for(number), most_probes(lists_for(number))) for number in (1_024, 40_000, 10**6)] == [
        (8, 4), (200, 100), (2_048, 1_024),
    ]  # fmt: skip
