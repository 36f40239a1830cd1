"""When beat asks for walks: about every ten minutes, never twice alike."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company.rules.jitter import draw_of, jittered
from crewlet_site import celery as module
from crewlet_site.schedules import WALKS_EVERY, WALKS_SPREAD, JitteredSchedule

pytestmark = pytest.mark.covers("TS-05")

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class AtNoon(JitteredSchedule):
    def now(self) -> datetime:
        return NOW


@given(st.floats(0, 1))
def test_an_interval_of_ten_minutes_is_eight_to_twelve_minutes_long(draw: float) -> None:
    assert 480 - 1e-6 <= jittered(600, 0.2, draw) <= 720 + 1e-6


def test_the_ends_of_the_spread_are_reached() -> None:
    assert jittered(600, 0.2, 0) == pytest.approx(480)
    assert jittered(600, 0.2, 0.5) == pytest.approx(600)
    assert jittered(600, 0.2, 1) == pytest.approx(720)


@pytest.mark.parametrize(("seconds", "spread", "draw"), [(0, 0.2, 0.5), (600, 1, 0.5), (600, 0.2, 1.1), (600, -0.1, 0)])
def test_an_interval_that_makes_no_sense_is_refused(seconds: float, spread: float, draw: float) -> None:
    with pytest.raises(ValueError, match="an interval is positive"):
        jittered(seconds, spread, draw)


@given(st.floats(0, 4e9))
def test_a_draw_lies_between_nought_and_one_and_is_the_same_each_time(moment: float) -> None:
    assert 0 <= draw_of(moment) <= 1
    assert draw_of(moment) == draw_of(moment)


def test_draws_are_spread_over_the_whole_range() -> None:
    draws = [draw_of(float(second)) for second in range(1000)]
    assert min(draws) < 0.01
    assert max(draws) > 0.99
    assert sum(draws) / len(draws) == pytest.approx(0.5, abs=0.05)


def test_a_walk_is_due_when_its_own_wait_is_over_and_not_before() -> None:
    schedule = AtNoon(WALKS_EVERY, WALKS_SPREAD)
    last = NOW - timedelta(minutes=12)
    assert schedule.is_due(last).is_due
    last = NOW - timedelta(minutes=7, seconds=59)
    verdict = schedule.is_due(last)
    assert not verdict.is_due
    assert verdict.next == pytest.approx((schedule.wait_after(last) - (NOW - last)).total_seconds())


def test_asking_again_for_the_same_last_run_does_not_move_the_due_time() -> None:
    schedule = JitteredSchedule(WALKS_EVERY, WALKS_SPREAD)
    assert schedule.wait_after(NOW) == schedule.wait_after(NOW)
    assert len({schedule.wait_after(NOW + timedelta(seconds=step)) for step in range(20)}) == 20


def test_beat_can_keep_the_schedule_in_its_file() -> None:
    schedule = JitteredSchedule(WALKS_EVERY, WALKS_SPREAD)
    assert pickle.loads(pickle.dumps(schedule)) == schedule
    assert schedule != JitteredSchedule(WALKS_EVERY, 0.1)


def test_every_duty_beat_asks_for_is_one_the_worker_knows() -> None:
    module.app.loader.import_default_modules()
    for entry in module.app.conf.beat_schedule.values():
        assert entry["task"] in module.app.tasks
