"""The indexer: the one writer of this host's lexical index. The change log feeds it, and nudges wake it."""

from __future__ import annotations

import threading

import structlog
from django.conf import settings

from company.follower import Follower
from company.models.changes import ChangeKind
from crewlet_site import readiness
from knowledge.search.indexing import Indexing

log = structlog.get_logger(__name__)


class Indexer:
    """Keeps the index until it is stopped."""

    def __init__(self) -> None:
        self._indexing = Indexing(settings.INDEX_DIR)
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._follower = Follower()
        for kind in (ChangeKind.PAGE, ChangeKind.ITEM):
            self._follower.on(kind, lambda _changes: self._woken.set())
        self._follower.on_walk(self._woken.set)

    def run(self) -> None:
        """Index until `stop`."""
        self._follower.start()
        readiness.tell()
        self._indexing.run(woken=self._woken, stopping=self._stopping)
        self._follower.stop()
        log.info("indexer_stopped")

    def stop(self) -> None:
        """End `run`. May be called from a signal handler."""
        self._stopping.set()
        self._woken.set()
