"""Where reads and writes run that the MCP servers call: threads of their own, beside those of requests."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import connections

Answer = TypeVar("Answer")

THREADS = 8
"""Calls a process works on at once. Each may need a connection; the pool has as many, those of requests,
and a few."""

_threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="mcp")


async def in_thread(call: Callable[..., Answer], *args: Any, **named: Any) -> Answer:
    """What `call` answers, off the event loop; its database connection goes back to the pool."""

    def run() -> Answer:
        try:
            return call(*args, **named)
        finally:
            connections.close_all()

    return await sync_to_async(run, thread_sensitive=False, executor=_threads)()
