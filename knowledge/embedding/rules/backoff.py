"""Back-off: when a provider that failed is asked again. Pure.

The first failure waits for the next tick like any other work. Failures in a row wait twice as long each time, up to a
quarter of an hour, so that a service that is down or says "too many" is not asked every minute all night.
"""

from __future__ import annotations

from datetime import datetime, timedelta

FIRST_WAIT = timedelta(minutes=2)
LONGEST_WAIT = timedelta(minutes=15)

#: The longest that a provider's own wish to be left alone is heeded.
LONGEST_WISH = timedelta(hours=1)


def retry_at(now: datetime, *, failures: int, wish: float | None) -> datetime | None:
    """When to ask again after so many failures in a row; None for the next tick.

    `wish` is how many seconds the provider asked to be left alone for, None where it did not.
    """
    if wish is not None:
        return now + min(timedelta(seconds=wish), LONGEST_WISH)
    if failures < 2:
        return None
    doubled = FIRST_WAIT * (1 << min(failures - 2, 10))
    return now + min(doubled, LONGEST_WAIT)
