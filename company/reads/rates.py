"""Counts requests in Valkey, so that every web process counts together. Without Valkey nothing is limited."""

from __future__ import annotations

import hashlib
import time

import redis
import structlog

from company.nudges import valkey
from company.rules.rates import WINDOW_SECONDS, Rate, rate_of

DEAF_SECONDS = 5.0
"""After Valkey failed to answer, how long it is not asked: a request must not wait for a server that is away."""

log = structlog.get_logger(__name__)

_asked_again_at = {"valkey": 0.0}


def count_request(subject: str, *, limit: int) -> Rate | None:
    """Count one request of a subject and tell where it stands; None while Valkey is away, which lets it pass."""
    if time.monotonic() < _asked_again_at["valkey"]:
        return None
    minute, into = divmod(time.time(), WINDOW_SECONDS)
    name = hashlib.sha256(subject.encode()).hexdigest()
    current = f"crewlet:rate:{name}:{int(minute)}"
    try:
        with valkey().pipeline(transaction=False) as asked:
            asked.incr(current)
            asked.expire(current, 2 * WINDOW_SECONDS)
            asked.get(f"crewlet:rate:{name}:{int(minute) - 1}")
            now, _, before = asked.execute()
    except redis.RedisError as error:
        _asked_again_at["valkey"] = time.monotonic() + DEAF_SECONDS
        log.warning("rate_limits_unavailable", error=str(error))
        return None
    return rate_of(limit=limit, before=int(before or 0), now=int(now), into=into)
