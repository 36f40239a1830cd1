"""The registry this process serves, swapped whole."""

from __future__ import annotations

from collections.abc import Callable

from company import live
from skills.registry.held import EMPTY, Registry, source_of

_current: Registry = EMPTY
_listeners: list[Callable[[Registry, Registry], None]] = []


def current() -> Registry:
    """The registry this process serves now: empty from the moment the company names another source or none."""
    registry = _current
    return registry if registry.source == source_of(live.current()) else EMPTY


def installed() -> Registry:
    """The registry as the sync left it, whatever the company names by now. For the sync, and for what reports on it."""
    return _current


def install(registry: Registry) -> Registry:
    """Serve another registry; answers the one before. For the sync thread, and for tests."""
    global _current
    registry.prepare()
    before, _current = _current, registry
    for listener in tuple(_listeners):
        listener(before, registry)
    return before


def on_install(listener: Callable[[Registry, Registry], None]) -> None:
    """Call `listener(before, after)` in this process whenever another registry is served. It must not raise and not
    take long: the sync thread waits for it."""
    _listeners.append(listener)
