"""Does the imports that were asked for: one at a time in each space, by whichever worker takes it up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import structlog

from company import live
from company.reads.actors import actor_of_credential
from company.rules.actors import Door
from company.rules.refusals import Code, Refused
from company.writes import locks
from knowledge import files
from knowledge.exchange.importing import import_tree
from knowledge.exchange.trees import open_zip
from knowledge.models import ImportRun
from knowledge.rules.importing.report import Report
from knowledge.rules.limits import IMPORT_FILES
from knowledge.writes.import_runs import fail_import, finish_import, note_import_progress, take_up_import

log = structlog.get_logger(__name__)

TOLD_EVERY = 0.5
"""Seconds between two notes of the progress."""


def run_import(*, run_id: int, container: str) -> bool:
    """Work on a run into `container` to its end; False where another import into that space is at it.

    Nothing happens where the run has ended. It acts as whoever asked for it, as they are by now: one who may no longer
    do this fails it. Anything but a refusal is raised and leaves the run to be taken up again.
    """
    with locks.alone(f"knowledge.import:{container}") as free:
        if not free:
            return False
        row = take_up_import(run_id=run_id)
        if row is None:
            return True
        log.info("import_begins", run=run_id, container=container, attempt=row.attempts)
        try:
            report = _bring_in(row)
        except Refused as refused:
            fail_import(run_id=run_id, reason=refused.detail)
            log.info("import_failed", run=run_id, code=refused.code.value)
        else:
            finish_import(run_id=run_id, report=report)
            log.info("import_done", run=run_id, **report.counts())
        return True


def _bring_in(row: ImportRun) -> Report:
    live.current_for_write()
    actor = actor_of_credential(row.credential, door=Door(row.door))
    with tempfile.NamedTemporaryFile(suffix=".zip") as copy:  # a zip is read here and there, a bucket in one go
        for piece in _upload(row):
            copy.write(piece)
        copy.flush()
        tree = open_zip(Path(copy.name), name=row.file_name, packed=row.size, attr="file", most_files=IMPORT_FILES)
        try:
            return import_tree(
                actor=actor,
                tree=tree,
                source=row.source,
                container=row.container,
                parent_id=row.parent_id,
                dry_run=row.dry_run,
                told=_now_and_then(row.pk),
            )
        finally:
            tree.close()


def _upload(row: ImportRun) -> files.Pieces:
    try:
        return files.read(row.sha256)
    except FileNotFoundError as error:  # a restore of the database without its files
        log.error("import_upload_missing", run=row.pk, sha256=row.sha256)
        raise Refused(Code.NOT_FOUND, "The upload is no longer there. Upload the file again.") from error


def _now_and_then(run_id: int) -> Callable[[str, int, int], None]:
    """What keeps the progress of a run, at most twice a second."""
    last = float("-inf")

    def told(what: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= TOLD_EVERY:
            last = now
            note_import_progress(run_id=run_id, what=what, done=done, total=total)

    return told
