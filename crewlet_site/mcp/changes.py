"""What has changed, told to every open stream of this process: which tools, prompts and resources there are.

Each process hears of changes by itself (the follower, the sync), so a stream is told whichever process it ended up in,
and nothing has to travel between processes. A stream that breaks has missed what happened meanwhile; its client lists
again when it comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)

from company import live
from company.rules.chart import Company
from skills.registry import Registry, on_install

_open: dict[asyncio.AbstractEventLoop, InMemorySubscriptionBus] = {}


def bus_of(loop: asyncio.AbstractEventLoop) -> InMemorySubscriptionBus:
    """The bus of the streams that run in an event loop."""
    return _open.setdefault(loop, InMemorySubscriptionBus())


def forget(loop: asyncio.AbstractEventLoop) -> None:
    """Tell the streams of an event loop nothing any more."""
    _open.pop(loop, None)


def listen(bus: InMemorySubscriptionBus, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
    """Call `listener` for each change, in the bus's own loop; answers how to end that."""
    return bus.subscribe(listener)


def _registry_moved(before: Registry, after: Registry) -> None:
    if before.source != after.source or before.folders != after.folders:
        _tell(PromptsListChanged(), ResourcesListChanged())


def _company_moved(before: Company, after: Company) -> None:
    """Which tools a token is offered follows from the permissions of its seat, and the skills from their container."""
    events: list[ServerEvent] = [ToolsListChanged()]
    if before.skills_container != after.skills_container:
        events += [PromptsListChanged(), ResourcesListChanged()]
    _tell(*events)


def _tell(*events: ServerEvent) -> None:
    """From any thread."""
    for loop, bus in list(_open.items()):
        for event in events:
            if not loop.is_closed():
                asyncio.run_coroutine_threadsafe(bus.publish(event), loop)


on_install(_registry_moved)
live.on_change(_company_moved)
