"""Runs the same moment in many threads, each with a connection and transactions of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")


def at_once(calls: Sequence[Callable[[], Result]]) -> list[Result | Exception]:
    """What each call answered or raised, in order. They start together, as close as a barrier brings them."""
    barrier = threading.Barrier(len(calls))
    outcomes: list[Result | Exception | None] = [None] * len(calls)

    def run(number: int, call: Callable[[], Result]) -> None:
        barrier.wait()
        try:
            outcomes[number] = call()
        except Exception as error:  # noqa: BLE001 (whatever it was is what the test looks at)
            outcomes[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number, call)) for number, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [outcome for outcome in outcomes if outcome is not None]
