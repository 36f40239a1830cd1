"""Counting attempts that may be wrong: reserved before the answer is judged, given back when it was right.

Reserving first means that a hundred guesses sent at once are no more than the limit allows.
"""

from __future__ import annotations

import math
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from company.models.throttles import AttemptCount
from company.rules.proofs import AttemptLimit
from company.rules.refusals import Code, Refused

KEPT_AFTER_THE_END = timedelta(hours=1)
"""So that nobody deletes a count that somebody else is about to use again."""


def reserve_attempts(limits: tuple[AttemptLimit, ...]) -> None:
    """Count one attempt against each limit; raises `rate_limited` (with `retry_after`) where one is used up.

    Commits on its own, so that the refusal which follows a wrong answer does not undo the count.
    """
    now = timezone.now()
    AttemptCount.objects.filter(ends_at__lte=now - KEPT_AFTER_THE_END).delete()
    with transaction.atomic():
        for limit in sorted(limits, key=lambda limit: limit.subject):  # one order, so that no two wait for each other
            AttemptCount.objects.get_or_create(subject=limit.subject, defaults={"ends_at": now + limit.window})
            count = AttemptCount.objects.select_for_update().get(subject=limit.subject)
            if count.ends_at <= now:
                count.attempts, count.ends_at = 0, now + limit.window
            if count.attempts >= limit.attempts:
                wait = max(1, math.ceil((count.ends_at - now).total_seconds()))
                raise Refused(
                    Code.RATE_LIMITED,
                    f"Too many wrong attempts. Wait {math.ceil(wait / 60)} minutes, then try again.",
                    retry_after=wait,
                )
            count.attempts += 1
            count.save()


def give_back_attempts(limits: tuple[AttemptLimit, ...]) -> None:
    """The answer was right: the narrowest limit (the first) starts anew, the others lose this one attempt."""
    with transaction.atomic():
        for at, limit in enumerate(limits):
            found = AttemptCount.objects.select_for_update().filter(subject=limit.subject).first()
            if found is None:
                continue
            if at == 0:
                found.delete()
            else:
                found.attempts = max(0, found.attempts - 1)
                found.save()
