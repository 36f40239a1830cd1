"""How many requests a minute: the arithmetic of a sliding window. Pure; `company.writes.rates` counts.

The window slides by weighing the last minute's count with the part of it that is still within sixty seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

WINDOW_SECONDS = 60
OF_A_CREDENTIAL = 600
OF_AN_ADDRESS = 60
"""Contract, section 12: 600 requests a minute a credential, 60 a minute unauthenticated by address."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """Where a subject stands: what it may, what is left, and how many seconds until there is more."""

    limit: int
    remaining: int
    reset: int
    exceeded: bool


def rate_of(*, limit: int, before: int, now: int, into: float) -> Rate:
    """The rate of a subject that made `before` requests in the last minute and `now` in this one, this one included,
    `into` seconds of which have passed."""
    used = before * (1 - into / WINDOW_SECONDS) + now
    exceeded = used > limit
    reset = _seconds_until_room(limit=limit, before=before, now=now, into=into) if exceeded else WINDOW_SECONDS - into
    return Rate(
        limit=limit, remaining=max(0, math.floor(limit - used)), reset=max(1, math.ceil(reset)), exceeded=exceeded
    )


def _seconds_until_room(*, limit: int, before: int, now: int, into: float) -> float:
    """When one more request would fit, if none is made meanwhile."""
    if now < limit and before:
        return (1 - (limit - now - 1) / before) * WINDOW_SECONDS - into
    return WINDOW_SECONDS - into + max(0.0, (1 - (limit - 1) / now) * WINDOW_SECONDS)
