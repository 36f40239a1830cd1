"""Removing old notifications that were read: passes of at most 1 000, the oldest first, until one ends before that.

What is unread stays however old it is. Each pass is a transaction of its own, and recorded in it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.utils import timezone

from company.writes import locks
from knowledge.models import Notification, PruningPass

log = structlog.get_logger(__name__)

LOCK = "knowledge.notification-pruner"
MOST_A_PASS = 1_000


def prune_notifications(*, kept: timedelta, now: datetime | None = None, at_most: int = MOST_A_PASS) -> list[int]:
    """Remove the notifications that were read longer ago than `kept`; how many each pass removed.

    No pass where another process is at it. `now` is the present unless given.
    """
    cutoff = (now or timezone.now()) - kept
    passes: list[int] = []
    with locks.alone(LOCK) as free:
        while free and (not passes or passes[-1] == at_most):
            passes.append(_one_pass(cutoff=cutoff, at_most=at_most))
    return passes


def forget_prunings(*, before: datetime) -> int:
    """Drop the records of passes that ended before a moment; answers how many."""
    return PruningPass.objects.filter(ended_at__lt=before).delete()[0]


def _one_pass(*, cutoff: datetime, at_most: int) -> int:
    started = timezone.now()
    with transaction.atomic():
        old = Notification.objects.filter(read_at__lt=cutoff)
        oldest = list(old.order_by("read_at").values_list("pk", flat=True)[:at_most])
        removed = old.filter(pk__in=oldest).delete()[0]  # asked again: what came meanwhile may have made one unread
        PruningPass.objects.create(started_at=started, ended_at=timezone.now(), cutoff=cutoff, removed=removed)
    if removed:
        log.info("notifications_pruned", removed=removed, cutoff=cutoff.isoformat())
    return removed
