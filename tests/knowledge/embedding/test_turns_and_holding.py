"""How corpora share a tick, and what becomes of a refused source."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedding.rules.holding import Holding
from knowledge.embedding.rules.turns import Turns

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
BOTH = ("pages", "items")


def spent(work: dict[str, int], *, a_request: int, requests: int = 32, sources: int = 1024) -> dict[str, list[int]]:
    """What each corpus sent in a tick, by the sources of its requests, in turn."""
    turns = Turns(BOTH, requests=requests, sources=sources)
    left = dict(work)
    sent: dict[str, list[int]] = {corpus: [] for corpus in BOTH}
    while (turn := turns.next(with_work={corpus for corpus, count in left.items() if count})) is not None:
        count = min(a_request, left[turn.corpus], turn.sources)
        assert count > 0
        turns.spend(turn.corpus, sources=count)
        left[turn.corpus] -= count
        sent[turn.corpus].append(count)
    return sent


@pytest.mark.covers("EM-05")
def test_two_corpora_behind_take_half_of_the_sources_each() -> None:
    sent = spent({"pages": 100_000, "items": 100_000}, a_request=128)
    assert {corpus: sum(counts) for corpus, counts in sent.items()} == {"pages": 512, "items": 512}


@pytest.mark.covers("EM-05")
def test_two_corpora_behind_take_half_of_the_requests_each_however_short_their_texts() -> None:
    sent = spent({"pages": 100_000, "items": 100_000}, a_request=4)
    assert {corpus: len(counts) for corpus, counts in sent.items()} == {"pages": 16, "items": 16}


@pytest.mark.covers("EM-05")
def test_a_corpus_that_is_caught_up_gives_its_share_away() -> None:
    assert sum(spent({"pages": 100_000, "items": 0}, a_request=128)["pages"]) == 1024
    sent = spent({"pages": 100_000, "items": 3}, a_request=128)
    assert (sum(sent["pages"]), sum(sent["items"])) == (1021, 3)


@pytest.mark.covers("EM-05")
@given(
    st.fixed_dictionaries({"pages": st.integers(0, 3_000), "items": st.integers(0, 3_000)}),
    st.integers(1, 128),
    st.integers(2, 40),
    st.integers(2, 1_500),
)
def test_a_tick_never_overspends_and_never_idles_beside_work(
    work: dict[str, int], a_request: int, requests: int, sources: int
) -> None:
    sent = spent(work, a_request=a_request, requests=requests, sources=sources)
    all_requests = sum(len(counts) for counts in sent.values())
    all_sources = sum(sum(counts) for counts in sent.values())
    assert all_requests <= requests
    assert all_sources <= sources
    has_left = any(sum(sent[corpus]) < work[corpus] for corpus in BOTH)
    if has_left:
        assert all_requests == requests or all_sources == sources
    for corpus in BOTH:
        if sum(sent[corpus]) < work[corpus]:
            assert len(sent[corpus]) >= requests // 2 or sum(sent[corpus]) >= sources // 2


@pytest.mark.covers("EM-06")
def test_a_refused_source_is_offered_again_after_an_hour_two_at_a_time_longest_refused_first() -> None:
    holding = Holding("minilm")
    for number in range(5):
        holding = holding.held(f"page:{number}", digest="d", at=NOON + timedelta(minutes=5 - number))
    assert holding.due(NOON + timedelta(minutes=59)) == ()
    assert holding.due(NOON + timedelta(minutes=61)) == ("page:4",)
    assert holding.due(NOON + timedelta(hours=3)) == ("page:4", "page:3")
    again = holding.held("page:4", digest="d", at=NOON + timedelta(hours=3))
    assert again.due(NOON + timedelta(hours=3)) == ("page:3", "page:2")


@pytest.mark.covers("EM-06")
def test_a_rewritten_source_is_not_held_and_a_move_keeps_it_held() -> None:
    holding = Holding("minilm").held("page:1", digest="old text", at=NOON)
    assert holding.holds("page:1", digest="old text")
    assert not holding.holds("page:1", digest="new text")
    assert not holding.released("page:1").holds("page:1", digest="old text")
    assert holding.keys() == {"page:1"}


@pytest.mark.covers("EM-06")
def test_another_configuration_forgets_every_refusal() -> None:
    holding = Holding("minilm 384").held("page:1", digest="d", at=NOON)
    assert len(holding.under("minilm 384")) == 1
    assert len(holding.under("large 3072")) == 0


@pytest.mark.covers("EM-06")
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 300)), max_size=40), st.integers(0, 400))
def test_never_more_than_two_are_offered_and_none_before_its_hour(history: list[tuple[str, int]], minute: int) -> None:
    holding = Holding()
    last: dict[str, int] = {}
    for key, at in sorted(history, key=lambda one: one[1]):
        holding = holding.held(key, digest="d", at=NOON + timedelta(minutes=at))
        last[key] = at
    due = holding.due(NOON + timedelta(minutes=minute))
    assert len(due) <= 2
    assert all(minute - last[key] >= 60 for key in due)
    assert [last[key] for key in due] == sorted(at for at in last.values() if minute - at >= 60)[: len(due)]
    assert len(due) == min(2, sum(minute - at >= 60 for at in last.values()))
