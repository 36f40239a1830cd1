"""Fusion, outcome, and the division of a search over hosts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search.rules.fusion import Weights, fuse
from knowledge.search.rules.outcome import Coverage, Degraded, Mode, Semantic, buckets_missing, outcome_of
from knowledge.search.rules.ranges import ranges_of

WHOLE = Coverage(nodes=1, complete=True)
RANKING = st.lists(st.integers(0, 60), unique=True, max_size=40)


@pytest.mark.covers("SE-06")
def test_what_both_halves_found_leads_what_one_of_them_did() -> None:
    fused = fuse(keyword=["a", "b", "c"], semantic=["d", "b", "e"])
    assert [one.key for one in fused] == ["b", "a", "d", "c", "e"]
    assert fused[0].score == pytest.approx(2 / 62)
    assert (fused[0].keyword_rank, fused[0].semantic_rank) == (2, 2)


@pytest.mark.covers("SE-06")
def test_a_half_can_be_weighed() -> None:
    assert [one.key for one in fuse(keyword=["a"], semantic=["b"], weights=Weights(keyword=0.5))] == ["b", "a"]


@pytest.mark.covers("SE-04")
def test_a_page_that_holds_the_identifier_whole_leads_the_fusion() -> None:
    fused = fuse(keyword=["parts", "whole"], semantic=["parts"], identifiers={"whole": 1})
    assert [one.key for one in fused] == ["whole", "parts"]


@pytest.mark.covers("SE-06")
@given(RANKING, RANKING)
def test_fusing_keeps_every_document_once_and_its_order_within_a_half(keyword: list[int], semantic: list[int]) -> None:
    fused = [one.key for one in fuse(keyword=keyword, semantic=semantic)]
    assert sorted(fused) == sorted({*keyword, *semantic})
    alone = [key for key in fused if key not in semantic]
    assert alone == [key for key in keyword if key not in semantic]


@pytest.mark.covers("SE-07")
@pytest.mark.parametrize(
    ("asked", "why_not", "served", "degraded"),
    [
        (Mode.HYBRID, None, Mode.HYBRID, ()),
        (Mode.HYBRID, Degraded.NO_EMBEDDINGS, Mode.KEYWORD, (Degraded.NO_EMBEDDINGS,)),
        (Mode.HYBRID, Degraded.EMBEDDING_FAILED, Mode.KEYWORD, (Degraded.EMBEDDING_FAILED,)),
        (Mode.SEMANTIC, Degraded.EMBEDDING_FAILED, None, (Degraded.EMBEDDING_FAILED,)),
        (Mode.KEYWORD, Degraded.NO_EMBEDDINGS, Mode.KEYWORD, ()),
    ],
)
def test_an_answer_says_how_it_was_served(
    asked: Mode, why_not: Degraded | None, served: Mode | None, degraded: tuple[Degraded, ...]
) -> None:
    outcome = outcome_of(asked=asked, semantic=Semantic(why_not=why_not), is_building=False, coverage=WHOLE)
    assert outcome.served_mode is served
    assert outcome.degraded == degraded
    assert outcome.ran is (served is not None)
    if not outcome.ran:
        assert not outcome.coverage.complete
        assert len(outcome.coverage.buckets_missing) == 64


@pytest.mark.covers("SE-07", "SE-08")
def test_several_reasons_are_all_told() -> None:
    outcome = outcome_of(
        asked=Mode.HYBRID, semantic=Semantic(why_not=Degraded.NO_EMBEDDINGS), is_building=True, coverage=WHOLE
    )
    assert outcome.degraded == (Degraded.NO_EMBEDDINGS, Degraded.BUILDING)
    assert outcome.modes == (Mode.KEYWORD,)
    by_meaning = outcome_of(asked=Mode.SEMANTIC, semantic=Semantic(is_partial=True), is_building=True, coverage=WHOLE)
    assert by_meaning.degraded == (Degraded.SEMANTIC_PARTIAL,)


@pytest.mark.covers("SE-12")
@given(st.sets(st.text(min_size=1, max_size=5), min_size=1, max_size=90))
def test_hosts_share_all_buckets_without_overlap(hosts: set[str]) -> None:
    ranges = ranges_of(sorted(hosts, reverse=True))
    covered = [bucket for first, last in ranges.values() for bucket in range(first, last + 1)]
    assert sorted(covered) == list(range(64))
    assert buckets_missing(list(ranges.values())) == ()


@pytest.mark.covers("SE-12")
def test_the_buckets_of_a_silent_host_are_named() -> None:
    assert buckets_missing([(0, 31), (34, 63)]) == (32, 33)
    assert ranges_of([]) == {}
