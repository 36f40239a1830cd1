"""Nudges: one word on a Valkey channel that wakes whoever follows the change log.

A nudge carries nothing and may be lost: the log in Postgres is the truth, and a follower that hears no nudge
polls. So a write never fails because Valkey is away.
"""

from __future__ import annotations

import functools

import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

CHANNEL = "crewlet:changes"
WALKS = "crewlet:walks"
"""Where a walk of the skill pages is asked for; whoever misses it walks by its own clock."""

log = structlog.get_logger(__name__)


@functools.cache
def valkey() -> redis.Redis:
    """The process's own client. Its timeouts are short, because nothing that uses it may hold up a write."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5, retry=Retry(NoBackoff(), 1)
    )


def nudge() -> None:
    """Wake the followers in every process; a Valkey that cannot be reached is logged and left at that."""
    _say(CHANNEL)


def ask_for_walk() -> None:
    """Ask every process that keeps a skill registry to walk; a Valkey that cannot be reached is left at that."""
    _say(WALKS)


def _say(channel: str) -> None:
    try:
        valkey().publish(channel, b"moved")
    except redis.RedisError as error:
        log.warning("nudge_unavailable", channel=channel, error=str(error))
