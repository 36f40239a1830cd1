"""Event loops for tests, each in a thread of its own: a browser of other tests may have one in the worker's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")


def run(main: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
    """What `main` answers once its loop has ended; raises what it raises."""
    with ThreadPoolExecutor(max_workers=1) as other:
        return other.submit(lambda: asyncio.run(main())).result()
