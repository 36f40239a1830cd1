"""Writing the projects: one row for each the company declares, at every apply, and the numbers handed out in them."""

from __future__ import annotations

from django.db import connection, transaction

from company.rules.chart import Company
from company.writes import locks
from knowledge.rules.containers import Stamp, Verdict, judge
from tracker.models import Project

_NEXT = """
INSERT INTO tracker_project AS kept (key, name, purpose, kind, chart_epoch, last_number)
VALUES (%(key)s, %(name)s, %(purpose)s, %(kind)s, %(epoch)s, %(number)s)
ON CONFLICT (key) DO UPDATE SET last_number = kept.last_number + excluded.last_number
RETURNING last_number
"""


def sync_projects(company: Company) -> None:
    """Bring the rows up to `company`; doing it twice writes nothing more.

    A company no revision stands behind stamps nothing, and an earlier activation never overwrites a later one. The row
    of a project that is no longer declared stays, because its items and its numbers do.
    """
    if company.revision == 0:
        return
    with transaction.atomic():
        locks.hold("tracker.projects")
        rows = Project.objects.in_bulk([project.key for project in company.projects])
        for project in company.projects:
            row = rows.get(project.key)
            wanted = Stamp(
                name=project.name,
                purpose=project.purpose,
                kind=project.kind.value,
                chart_epoch=company.activated_at,
            )
            verdict = judge(_stamp(row) if row is not None else None, wanted)
            if verdict is Verdict.KEPT:
                continue
            made = Project(
                key=project.key,
                name=wanted.name,
                purpose=wanted.purpose,
                kind=wanted.kind,
                chart_epoch=wanted.chart_epoch,
            )
            if verdict is Verdict.MADE:
                made.save(force_insert=True)
            else:
                made.save(update_fields=["name", "purpose", "kind", "chart_epoch"])


def next_numbers(project: str, *, company: Company, number: int = 1) -> range:
    """The next `number` numbers of a declared project, nobody else's from now on.

    The row that counts them is held until the transaction ends, so of two creates one waits for the other, and a
    number whose create failed is handed out again: none is given twice and none is lost.
    """
    declared = company.project_by_key[project]
    with connection.cursor() as cursor:
        cursor.execute(
            _NEXT,
            {
                "key": project,
                "name": declared.name,
                "purpose": declared.purpose,
                "kind": declared.kind.value,
                "epoch": company.activated_at,
                "number": number,
            },
        )
        row: tuple[int] = cursor.fetchone()
    return range(row[0] - number + 1, row[0] + 1)


def _stamp(row: Project) -> Stamp:
    return Stamp(name=row.name, purpose=row.purpose, kind=row.kind, chart_epoch=row.chart_epoch)
