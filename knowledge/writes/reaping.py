"""Emptying the trash: passes of at most 1 000 pages, oldest in the trash first, one pass at a time.

A pass only proposes; every purge is decided again in its own transaction, so a page that is restored while a pass runs
stays. A purge that fails is kept with its operation, tried again after ten minutes, and holds up nothing else. Nobody
is notified: whoever watched the page heard of its trashing, which they could act on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from company.writes import locks
from company.writes.ledger import News, publish
from knowledge.models import FailedPurge, Page, PageStatus, TrashPass
from knowledge.rules.reaping import MOST_A_PASS, RETRY_AFTER, cutoff_at, operation_of
from knowledge.writes.pages.purging import Reaped, reap_page

log = structlog.get_logger(__name__)

LOCK = "knowledge.trash-reaper"


@dataclass(frozen=True, kw_only=True)
class Pass:
    """What one pass did; `stopped` says that it ended at its bound, so that another one follows at once."""

    purged: int
    skipped: int
    failed: int
    stopped: bool


def reap_trash(*, now: datetime | None = None, at_most: int = MOST_A_PASS) -> list[Pass]:
    """Purge what has been in the trash for its term, pass after pass until one ends before its bound.

    Answers the passes; none where another process is at it. `now` is when the first pass begins, the present unless
    given; the term of every pass is counted from it.
    """
    now = now or timezone.now()
    passes: list[Pass] = []
    with locks.alone(LOCK) as free:
        while free and (not passes or passes[-1].stopped):
            passes.append(_one_pass(now=now, at_most=at_most))
    return passes


def forget_passes(*, before: datetime) -> int:
    """Drop the records of passes that ended before a moment; answers how many."""
    return TrashPass.objects.filter(ended_at__lt=before).delete()[0]


def _one_pass(*, now: datetime, at_most: int) -> Pass:
    started, cutoff = timezone.now(), cutoff_at(now)
    trashed = Page.objects.filter(status=PageStatus.TRASHED)
    FailedPurge.objects.exclude(page_id__in=trashed.values("pk")).delete()
    later = FailedPurge.objects.filter(retry_at__gt=now).values("page_id")
    # of pages that fell together the newest first: what lies beneath is gone before what it would be filed under
    due = list(
        trashed.filter(trashed_at__lte=cutoff)
        .exclude(pk__in=later)
        .order_by("trashed_at", "-id")
        .values_list("pk", "trashed_at")[:at_most]
    )
    became = [
        _try(page_id, trashed_at=trashed_at, cutoff=cutoff, now=now)
        for page_id, trashed_at in due
        if trashed_at is not None  # a page in the trash says when; the constraint of the table holds it to that
    ]
    done = Pass(
        purged=became.count(Reaped.PURGED),
        skipped=became.count(Reaped.KEPT),
        failed=became.count(None),
        stopped=len(due) == at_most,
    )
    _record(done, started=started, cutoff=cutoff)
    return done


def _try(page_id: int, *, trashed_at: datetime, cutoff: datetime, now: datetime) -> Reaped | None:
    """What became of a page; None where the purge failed, which is kept to be tried again."""
    try:
        return reap_page(page_id=page_id, cutoff=cutoff)
    except Exception as error:
        operation = operation_of(page_id=page_id, trashed_at=trashed_at)
        log.exception("trash_reap_purge_failed", page_id=page_id, operation=operation)
        _keep_failed(page_id, operation=operation, error=f"{type(error).__name__}: {error}", now=now)
        return None


def _keep_failed(page_id: int, *, operation: str, error: str, now: datetime) -> None:
    """Keep a failure; raises where the database itself is away, which ends the pass."""
    with transaction.atomic():
        values = {"operation": operation, "error": error[:2_000], "failed_at": now, "retry_at": now + RETRY_AFTER}
        _, made = FailedPurge.objects.update_or_create(page_id=page_id, defaults=values)
        if not made:
            FailedPurge.objects.filter(page_id=page_id).update(attempts=F("attempts") + 1)


def _record(done: Pass, *, started: datetime, cutoff: datetime) -> None:
    figures = {"purged": done.purged, "skipped": done.skipped, "failed": done.failed}
    with transaction.atomic():
        TrashPass.objects.create(
            started_at=started, ended_at=timezone.now(), cutoff=cutoff, stopped=done.stopped, **figures
        )
        if any(figures.values()):
            publish(News(type="duty.trash_reap", payload={**figures, "stopped": done.stopped}))
    if any(figures.values()):
        log.info("trash_reap_pass", **figures, stopped=done.stopped, cutoff=cutoff.isoformat())
