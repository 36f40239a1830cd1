"""The company as this process sees it now: one immutable `Company`, swapped whole.

`current()` is what a request reads: no lock and no query. `current_for_write()` first makes sure, with one
query, that no newer revision was activated elsewhere; every write and every duty begins with it, so that a rule
is never judged by a document the company has replaced. The follower (`company.follower`) keeps it fresh besides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from company.rules.chart import NO_COMPANY, Company

_lock = threading.RLock()
_current: Company = NO_COMPANY
_listeners: list[Callable[[Company, Company], None]] = []


def current() -> Company:
    """The company of the revision this process last heard of."""
    return _current


def current_for_write() -> Company:
    """The company of the newest activated revision; reads the database once, twice when there is news."""
    from company.reads.revisions import latest_id, load_company

    newest = latest_id()
    if newest != _current.revision:
        with _lock:
            newest = latest_id()
            if newest != _current.revision:
                install(load_company(newest))
    return _current


def install(company: Company) -> None:
    """Make `company` the current one in this process and tell the listeners `(before, after)`."""
    global _current
    with _lock:
        before, _current = _current, company
        if before.revision != company.revision:
            for listener in tuple(_listeners):
                listener(before, company)


def on_change(listener: Callable[[Company, Company], None]) -> None:
    """Call `listener(before, after)` in this process whenever another revision becomes current."""
    _listeners.append(listener)
