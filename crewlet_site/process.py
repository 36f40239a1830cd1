"""What a process that serves requests runs besides: the follower of the change log, and what listens to it."""

from __future__ import annotations

import structlog
from django.db import Error

from company import live
from company.follower import Follower

log = structlog.get_logger(__name__)

_follower: Follower | None = None


def start(name: str) -> Follower:
    """Bring the process up to date and keep it so. `name` is what it is called in logs and on screens.

    Does not fail while the database is away: the process then answers `not_ready`, and catches up by itself.
    """
    global _follower  # noqa: PLW0603 (there is one a process)
    if _follower is not None:
        raise RuntimeError("the process has been started")
    _follower = Follower()
    _follower.start()
    try:
        live.current_for_write()
    except Error as error:
        log.warning("company_not_loaded", error=str(error))
    log.info("process_started", process=name)
    return _follower


def stop() -> None:
    """Stop what `start` started."""
    global _follower  # noqa: PLW0603 (there is one a process)
    if _follower is not None:
        _follower.stop()
    _follower = None
