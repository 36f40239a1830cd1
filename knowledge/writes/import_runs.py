"""Asking for an import, and keeping how far it is. What it brings in is written by `writes.importing`.

The upload is put down beside the attachments, where every host reaches it, under the lock on its digest and before the
row that names it commits; it is dropped once the run has ended. A worker that dies leaves its run `running`, and it is
taken up again from the beginning: what was brought in before is known by its source and is not made twice.
"""

from __future__ import annotations

from datetime import datetime
from typing import IO

from celery import current_app
from django.db import connection, transaction
from django.utils import timezone

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.writes.ledger import Target, record
from knowledge import files
from knowledge.exchange.trees import open_zip
from knowledge.models import UNFINISHED, ImportRun, ImportState
from knowledge.reads.import_runs import ImportView, view_of
from knowledge.rules.attachments import clean_file_name
from knowledge.rules.importing.report import Report
from knowledge.rules.importing.uploads import check_upload_size, clean_source
from knowledge.rules.limits import IMPORT_FILES, IMPORTS_AT_ONCE
from knowledge.writes.contents import drop_after_commit, drop_unused, hold_digest
from knowledge.writes.importing import require_importer

MOST_ATTEMPTS = 5
"""How often a run is begun: one that brings its worker down each time ends as failed."""
ASK_AGAIN_SECONDS = 30
RUN_TASK = "knowledge.run_import_now"
"""The task by its name, because tasks call writes and not the other way."""


def begin_import(
    *,
    actor: Actor,
    container: str,
    parent_id: int | None,
    name: str,
    content: IO[bytes],
    source: str = "",
    dry_run: bool = False,
) -> ImportView:
    """A run that waits for a worker; the workers are told of it once this has committed.

    `name` is the file's, and what its pages are known by unless `source` gives another. Refuses as `require_importer`
    does; `too_long` above 256 MiB; `invalid` for what is no zip, or one of more than 50 000 files; `rate_limited` while
    four imports of the same author wait or run.
    """
    require_importer(actor=actor, container=container, parent_id=parent_id)
    shown = clean_file_name(name)
    known_as = clean_source(source or shown)
    measured = files.measure(content, check=check_upload_size)
    open_zip(content, name=shown, packed=measured.size, attr="file", most_files=IMPORT_FILES).close()
    fresh = False
    try:
        with transaction.atomic():
            require_importer(actor=actor, container=container, parent_id=parent_id)
            _require_room(actor)
            hold_digest(measured.sha256)
            fresh = files.put(content, sha256=measured.sha256, size=measured.size)
            now = timezone.now()
            row = ImportRun.objects.create(
                author_name=actor.author.name,
                author_kind=actor.author.kind.value,
                credential=actor.credential,
                door=actor.door.value,
                container=container,
                parent_id=parent_id,
                file_name=shown,
                source=known_as,
                sha256=measured.sha256,
                size=measured.size,
                dry_run=dry_run,
                created_at=now,
                seen_at=now,
            )
            record(
                actor=actor,
                verb="begin_import",
                target=Target(kind="import", id=str(row.pk)),
                detail={
                    "container": container,
                    "parent_id": parent_id,
                    "file_name": shown,
                    "source": known_as,
                    "size": measured.size,
                    "dry_run": dry_run,
                },
            )
            transaction.on_commit(lambda: _tell_workers(row.pk), robust=True)
            return view_of(row)
    except BaseException:
        if fresh and not connection.in_atomic_block:
            drop_unused([measured.sha256])
        raise


def take_up_import(*, run_id: int) -> ImportRun | None:
    """The run, now `running`, for whoever holds the lock on its space; None where nothing is left to do.

    One that was begun five times and never ended is failed here.
    """
    with transaction.atomic():
        row = ImportRun.objects.select_for_update().filter(pk=run_id, state__in=UNFINISHED).first()
        if row is None:
            return None
        if row.attempts >= MOST_ATTEMPTS:
            _end(
                row,
                state=ImportState.FAILED,
                reason=f"It was broken off {MOST_ATTEMPTS} times. What was brought in until then stays. An operator "
                "finds the reason in the worker's log.",
            )
            return None
        now = timezone.now()
        row.state, row.attempts = ImportState.RUNNING, row.attempts + 1
        row.started_at = row.started_at or now
        row.what, row.done, row.total, row.seen_at = "", 0, 0, now
        row.save(update_fields=["state", "attempts", "started_at", "what", "done", "total", "seen_at"])
        return row


def note_import_progress(*, run_id: int, what: str, done: int, total: int) -> None:
    """Keep how far a run is: `done` of `total` files read, or pages written."""
    ImportRun.objects.filter(pk=run_id, state=ImportState.RUNNING).update(
        what=what, done=done, total=total, seen_at=timezone.now()
    )


def finish_import(*, run_id: int, report: Report) -> None:
    """Keep what became of every file, and let the upload go."""
    with transaction.atomic():
        row = ImportRun.objects.select_for_update().get(pk=run_id)
        row.report = report.as_dict()
        row.counts = report.counts()
        _end(row, state=ImportState.DONE)


def fail_import(*, run_id: int, reason: str) -> None:
    """End a run that cannot go on, in words for whoever asked for it, and let the upload go."""
    with transaction.atomic():
        _end(ImportRun.objects.select_for_update().get(pk=run_id), state=ImportState.FAILED, reason=reason)


def forget_imports(*, before: datetime) -> int:
    """Drop the runs that ended before a moment; answers how many."""
    return ImportRun.objects.filter(ended_at__lt=before).delete()[0]


def _end(row: ImportRun, *, state: ImportState, reason: str = "") -> None:
    row.state, row.reason = state, reason
    row.ended_at = row.seen_at = timezone.now()
    row.save(update_fields=["state", "reason", "ended_at", "seen_at", "report", "counts"])
    drop_after_commit({row.sha256})


def _require_room(actor: Actor) -> None:
    theirs = ImportRun.objects.filter(author_name=actor.author.name, author_kind=actor.author.kind.value)
    if theirs.filter(state__in=UNFINISHED).count() >= IMPORTS_AT_ONCE:
        raise Refused(
            Code.RATE_LIMITED,
            f"{IMPORTS_AT_ONCE} of your imports wait or run. Begin this one when one of them has ended.",
            retry_after=ASK_AGAIN_SECONDS,
        )


def _tell_workers(run_id: int) -> None:
    """Ask a worker for the run. Where the queue is away, beat asks within two minutes."""
    current_app.send_task(RUN_TASK, args=[run_id], retry=False)
