"""What waits until the whole site is up waits for that and no longer."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from crewlet_site import readiness


def test_work_that_can_wait_is_done_once_the_supervisor_says_that_all_are_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hears, says = os.pipe()
    monkeypatch.setenv("CREWLET_ALL_UP_FD", str(hears))

    async def start() -> None:
        done = asyncio.Event()
        readiness.when_all_are_up(done.set)
        await asyncio.sleep(0.05)
        assert not done.is_set()
        os.close(says)
        await asyncio.wait_for(done.wait(), 30)

    with ThreadPoolExecutor(max_workers=1) as other:  # a browser of other tests may have a loop in this thread
        other.submit(asyncio.run, start()).result()


def test_without_a_supervisor_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREWLET_ALL_UP_FD", raising=False)
    done: list[str] = []
    readiness.when_all_are_up(lambda: done.append("loaded"))
    assert done == ["loaded"]
