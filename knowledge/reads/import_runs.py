"""Imports that were asked for: how far they are, and what became of the files.

A run is its author's, under whichever credential they come, and an administrator's; for anybody else it is not there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Q

from company.rules.actors import Actor, ActorKind, Author, Permission, Scope
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from knowledge.models import UNFINISHED, ImportRun, ImportState
from knowledge.rules.importing.report import Verdict

ORDER = (
    Verdict.REFUSED,
    Verdict.CREATED,
    Verdict.UPDATED,
    Verdict.ATTACHED,
    Verdict.UNCHANGED,
    Verdict.SKIPPED,
)
"""The verdicts as a report shows them: what somebody has to do something about first."""


@dataclass(frozen=True, kw_only=True)
class ImportView:
    """A run. `report` is None until it is done, and where it was not asked for."""

    id: int
    author: Author
    container: str
    parent_id: int | None
    file_name: str
    source: str
    dry_run: bool
    state: ImportState
    what: str
    done: int
    total: int
    counts: dict[str, int]
    reason: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    report: dict[str, Any] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will become of it."""
        return self.state not in UNFINISHED


@dataclass(frozen=True, kw_only=True)
class LineView:
    """One file of a report."""

    path: str
    page_id: int | None
    title: str
    reason: str
    repairs: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class LinesView:
    """Some of the files with one verdict: from the `start`th on, of `total`; `after` is where the next ones begin."""

    verdict: Verdict
    lines: tuple[LineView, ...] = field(default_factory=tuple)
    total: int
    after: int | None


def get_import(*, actor: Actor, run_id: int, with_report: bool = False) -> ImportView:
    """A run by its number, one query. Refuses `scope_missing`, `forbidden`, and `not_found` for those of others."""
    rows = ImportRun.objects.filter(_open_to(actor), pk=run_id)
    row = (rows if with_report else rows.defer("report")).first()
    if row is None:
        raise Refused(Code.NOT_FOUND, "There is no such import, or it is somebody else's. Runs are kept for 30 days.")
    return view_of(row, with_report=with_report)


def list_imports(*, actor: Actor, container: str, limit: int) -> tuple[ImportView, ...]:
    """The latest runs into a space that are open to the actor, without their reports. One query."""
    rows = ImportRun.objects.filter(_open_to(actor), container=container).defer("report").order_by("-id")[:limit]
    return tuple(view_of(row) for row in rows)


def lines_of(report: dict[str, Any], *, verdict: Verdict, start: int, limit: int) -> LinesView:
    """The files of a report with one verdict, from the `start`th on."""
    files = [one for one in report["files"] if one["verdict"] == verdict.value]
    lines = tuple(
        LineView(
            path=one["path"],
            page_id=one["page_id"],
            title=one["title"],
            reason=one["reason"],
            repairs=tuple(one["repairs"]),
            notes=tuple(one["notes"]),
        )
        for one in files[start : start + limit]
    )
    after = start + limit
    return LinesView(verdict=verdict, lines=lines, total=len(files), after=after if after < len(files) else None)


def imports_to_take_up(*, before: datetime, container: str | None = None) -> list[int]:
    """The runs nobody has said anything of since a moment, in the order they were asked for; for the engine."""
    rows = ImportRun.objects.filter(state__in=UNFINISHED, seen_at__lte=before)
    if container is not None:
        rows = rows.filter(container=container)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def container_of_import(run_id: int) -> str | None:
    """The space a run goes to; None for one that is not there. For the engine."""
    return ImportRun.objects.filter(pk=run_id).values_list("container", flat=True).first()


def view_of(row: ImportRun, *, with_report: bool = False) -> ImportView:
    """A row as it is shown."""
    return ImportView(
        id=row.pk,
        author=Author(name=row.author_name, kind=ActorKind(row.author_kind)),
        container=row.container,
        parent_id=row.parent_id,
        file_name=row.file_name,
        source=row.source,
        dry_run=row.dry_run,
        state=ImportState(row.state),
        what=row.what,
        done=row.done,
        total=row.total,
        counts=row.counts,
        reason=row.reason,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        report=row.report if with_report else None,
    )


def _open_to(actor: Actor) -> Q:
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    if actor.is_admin:
        return Q()
    return Q(author_name=actor.author.name, author_kind=actor.author.kind.value)
