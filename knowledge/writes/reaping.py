"""Emptying the trash: passes of at most 1 000 things, oldest in the trash first, one pass at a time.

Pages are one kind of them; an app above this one registers its own, and they take their turns by age.

A pass only proposes; every purge is decided again in its own transaction, so what is restored while a pass runs
stays. A purge that fails is kept with its operation, tried again after ten minutes, and holds up nothing else. Nobody
is notified: whoever watched the page heard of its trashing, which they could act on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import structlog
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from company.writes import locks
from company.writes.ledger import News, publish
from knowledge.models import FailedPurge, Page, PageStatus, TrashPass
from knowledge.models.talk import PAGE
from knowledge.rules.reaping import MOST_A_PASS, RETRY_AFTER, cutoff_at, operation_of
from knowledge.writes.pages.purging import Reaped, reap_page

log = structlog.get_logger(__name__)


class Reapable(Protocol):
    """One kind of things that lie in the trash."""

    kind: str

    def trashed(self) -> QuerySet[Any]:
        """Those in the trash, with `trashed_at`."""

    def reap(self, subject_id: int, *, cutoff: datetime) -> Reaped:
        """Purge one as the engine does, if it lies in the trash and did so at `cutoff`."""


class _Pages:
    """Pages in the trash."""

    kind = PAGE

    def trashed(self) -> QuerySet[Page]:
        """Every page in it."""
        return Page.objects.filter(status=PageStatus.TRASHED)

    def reap(self, subject_id: int, *, cutoff: datetime) -> Reaped:
        """As `reap_page` does."""
        return reap_page(page_id=subject_id, cutoff=cutoff)


_kinds: dict[str, Reapable] = {PAGE: _Pages()}


def register(reapable: Reapable) -> None:
    """Have another kind of things purged when their term in the trash is over."""
    _kinds[reapable.kind] = reapable


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
    due: list[_Due] = []
    for kind, reapable in _kinds.items():
        trashed = reapable.trashed()
        FailedPurge.objects.filter(kind=kind).exclude(subject_id__in=trashed.values("pk")).delete()
        later = FailedPurge.objects.filter(kind=kind, retry_at__gt=now).values("subject_id")
        # of pages that fell together the newest first: what lies beneath is gone before what it would be filed under
        oldest = trashed.filter(trashed_at__lte=cutoff).exclude(pk__in=later).order_by("trashed_at", "-id")
        due += [
            _Due(trashed_at=trashed_at, kind=kind, subject_id=subject_id)
            for subject_id, trashed_at in oldest.values_list("pk", "trashed_at")[:at_most]
        ]
    due = sorted(due, key=lambda one: one.trashed_at)[:at_most]
    became = [_try(one, cutoff=cutoff, now=now) for one in due]
    done = Pass(
        purged=became.count(Reaped.PURGED),
        skipped=became.count(Reaped.KEPT),
        failed=became.count(None),
        stopped=len(due) == at_most,
    )
    _record(done, started=started, cutoff=cutoff)
    return done


@dataclass(frozen=True, kw_only=True)
class _Due:
    """Something whose term in the trash is over."""

    trashed_at: datetime
    kind: str
    subject_id: int


def _try(one: _Due, *, cutoff: datetime, now: datetime) -> Reaped | None:
    """What became of something that is due; None where the purge failed, which is kept to be tried again."""
    try:
        return _kinds[one.kind].reap(one.subject_id, cutoff=cutoff)
    except Exception as error:
        kind = "" if one.kind == PAGE else one.kind
        operation = operation_of(page_id=one.subject_id, trashed_at=one.trashed_at, kind=kind)
        log.exception("trash_reap_purge_failed", kind=one.kind, subject_id=one.subject_id, operation=operation)
        _keep_failed(one, operation=operation, error=f"{type(error).__name__}: {error}", now=now)
        return None


def _keep_failed(one: _Due, *, operation: str, error: str, now: datetime) -> None:
    """Keep a failure; raises where the database itself is away, which ends the pass."""
    with transaction.atomic():
        values = {"operation": operation, "error": error[:2_000], "failed_at": now, "retry_at": now + RETRY_AFTER}
        which: dict[str, Any] = {"kind": one.kind, "subject_id": one.subject_id}
        _, made = FailedPurge.objects.update_or_create(**which, defaults=values)
        if not made:
            FailedPurge.objects.filter(**which).update(attempts=F("attempts") + 1)


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
