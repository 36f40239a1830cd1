"""The indexer: the one writer of this host's lexical index, fed by the change log.

No index is configured yet. Until one is, the process holds no position, because a position says that what lies
behind it is in an index: whichever index comes first begins with a full read. It follows the log all the same, so
that its connection, its waking by nudges and its stopping are those of a process that runs.
"""

from __future__ import annotations

import threading

import structlog

from company.follower import Follower
from company.models.changes import Change, ChangeKind
from crewlet_site import readiness

log = structlog.get_logger(__name__)


class Indexer:
    """Follows the changes of pages and items until it is stopped."""

    def __init__(self) -> None:
        self._follower = Follower()
        for kind in (ChangeKind.PAGE, ChangeKind.ITEM):
            self._follower.on(kind, self._seen)
        self._stopping = threading.Event()
        self.changes_seen = 0

    def run(self) -> None:
        """Follow until `stop`."""
        log.info("indexer_waits", reason="no index is configured; nothing is searched and no position is kept")
        self._follower.start()
        readiness.tell()
        self._stopping.wait()
        self._follower.stop()
        log.info("indexer_stopped", changes_seen=self.changes_seen)

    def stop(self) -> None:
        """End `run`. May be called from a signal handler."""
        self._stopping.set()

    def _seen(self, changes: list[Change]) -> None:
        self.changes_seen += len(changes)
