"""What a process that serves requests runs besides: the follower of the change log, and the skills' sync."""

from __future__ import annotations

import gc

import structlog
from django.db import Error

from company import live
from company.follower import Follower
from company.rules.refusals import Refused
from knowledge.writes.containers import sync_containers
from skills.registry.sync import SkillSync

FIRST_WALK_SECONDS = 5.0
"""How long a start waits for the first walk, so that the first request finds the skills."""

log = structlog.get_logger(__name__)


class Process:
    """The threads of one process, in the order they need each other."""

    def __init__(self) -> None:
        self._follower = Follower()
        self._sync = SkillSync()
        self._sync.listen_to(self._follower)

    def start(self, name: str) -> None:
        """Bring the process up to date and keep it so. `name` is what it is called in logs and on screens.

        The follower takes its place in the log before anything is read, so nothing falls between. Does not fail
        while the database is away or the document cannot be read here: the process then answers `not_ready`, and
        catches up by itself.
        """
        self._follower.start()
        try:
            sync_containers(live.current_for_write())
        except (Error, Refused) as error:  # refused: the document refers to a variable this process does not have
            log.error("company_not_loaded", error=str(error))
        self._sync.start(patience=FIRST_WALK_SECONDS)
        _spare_the_collector()
        log.info("process_started", process=name)

    def stop(self) -> None:
        """Stop what `start` started."""
        self._follower.stop()
        self._sync.stop()


def _spare_the_collector() -> None:
    """Keep the garbage collector off what lives as long as the process: code, settings, templates, the registry.

    Unfrozen, the collector goes through all of it again and again, at the price of every tenth of a request.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
