"""Forgetting what nobody needs any more: kept answers, rows of the change log, sign-in links, sessions that ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Max, Q

from company.models.changes import Change, ChangeLogStart
from company.models.credentials import SignInLink
from company.models.idempotency import FirstAnswer
from company.reads.changes import settled_below
from company.writes import locks

log = structlog.get_logger(__name__)

ANSWERS_KEPT = timedelta(days=7)
"""How long a request can be repeated under its key: longer than any client retries, over a weekend and an outage."""

CHANGES_KEPT = timedelta(days=14)
"""How far back the change log reaches. A reader that kept a place and was away for longer is told that it has to read
everything again; one that runs is seconds behind."""

LINKS_KEPT = timedelta(days=7)
"""How long a spent or expired sign-in link is kept, so that whoever follows it late can be looked up."""


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """How many rows of each kind were dropped."""

    answers: int
    changes: int
    links: int
    sessions: int


def forget_what_is_old(*, now: datetime) -> Forgotten:
    """Drop what is past its term. Safe to run at any time and twice at once."""
    forgotten = Forgotten(
        answers=FirstAnswer.objects.filter(created_at__lt=now - ANSWERS_KEPT).delete()[0],
        changes=_forget_changes(before=now - CHANGES_KEPT),
        links=SignInLink.objects.filter(Q(expires_at__lt=now - LINKS_KEPT) | Q(used_at__lt=now - LINKS_KEPT)).delete()[
            0
        ],
        sessions=Session.objects.filter(expire_date__lt=now).delete()[0],
    )
    log.info("old_rows_forgotten", **vars(forgotten))
    return forgotten


def _forget_changes(*, before: datetime) -> int:
    """Drop settled rows of the log from before a moment, and say below which transaction the log is no longer whole."""
    with transaction.atomic():
        locks.hold("company.change-log-start")
        old = Change.objects.filter(at__lt=before, xid__lt=settled_below())
        highest = old.aggregate(highest=Max("xid"))["highest"]
        if highest is None:
            return 0
        ChangeLogStart.objects.update_or_create(pk=1, defaults={"xid": highest + 1})
        return old.filter(xid__lte=highest).delete()[0]


def begin_change_log_anew() -> None:
    """After a restore: transaction ids begin elsewhere in this database, so no row of the log is in its order any more.

    Whoever kept a place in the log is told that it has to read everything again.
    """
    with transaction.atomic():
        locks.hold("company.change-log-start")
        Change.objects.all().delete()
        ChangeLogStart.objects.update_or_create(pk=1, defaults={"xid": settled_below()})
