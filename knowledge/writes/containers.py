"""Writing the containers: one row for each space the company declares, at every apply and every start."""

from __future__ import annotations

from collections import Counter

import structlog
from django.db import transaction

from company.rules.chart import Company
from company.writes import locks
from knowledge.models import Container
from knowledge.rules.containers import Stamp, Verdict, judge, stamp_of

log = structlog.get_logger(__name__)


def sync_containers(company: Company) -> None:
    """Bring the rows up to `company`, whichever process does so when; doing it twice writes nothing more.

    A company no revision stands behind stamps nothing. The row of a space that is no longer declared stays, because
    its pages do.
    """
    if company.revision == 0:
        return
    counted: Counter[Verdict] = Counter()
    with transaction.atomic():
        locks.hold("knowledge.containers")
        rows = Container.objects.in_bulk([space.key for space in company.spaces])
        for space in company.spaces:
            row = rows.get(space.key)
            wanted = stamp_of(space, activated_at=company.activated_at)
            verdict = judge(_stamp(row) if row is not None else None, wanted)
            counted[verdict] += 1
            if verdict is not Verdict.KEPT:
                Container(
                    key=space.key,
                    name=wanted.name,
                    purpose=wanted.purpose,
                    kind=wanted.kind,
                    chart_epoch=wanted.chart_epoch,
                ).save(force_insert=verdict is Verdict.MADE, force_update=verdict is Verdict.STAMPED)
    if counted[Verdict.MADE] or counted[Verdict.STAMPED]:
        log.info(
            "containers_synced", revision=company.revision, **{str(key): number for key, number in counted.items()}
        )


def _stamp(row: Container) -> Stamp:
    return Stamp(name=row.name, purpose=row.purpose, kind=row.kind, chart_epoch=row.chart_epoch)
