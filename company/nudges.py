"""Nudges: one word on a Valkey channel that wakes whoever follows the change log.

A nudge carries nothing and may be lost: the log in Postgres is the truth, and a follower that hears no nudge
polls. So a write never fails because Valkey is away.
"""

from __future__ import annotations

import functools

import redis
import structlog
from django.conf import settings

CHANNEL = "crewlet:changes"

log = structlog.get_logger(__name__)


@functools.cache
def valkey() -> redis.Redis:
    """The process's own client. Its timeouts are short, because nothing that uses it may hold up a write."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)


def nudge() -> None:
    """Wake the followers in every process; a Valkey that cannot be reached is logged and left at that."""
    try:
        valkey().publish(CHANNEL, b"moved")
    except redis.RedisError as error:
        log.warning("nudge_unavailable", error=str(error))
