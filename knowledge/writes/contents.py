"""The bytes behind attachments, and behind uploads to import: when they may be put down and when they are dropped.

Bytes are put down under a lock on their digest, before the row that names them commits, and the lock is held until
then. So nothing that a row names is ever missing, and bytes that no row names (a write that failed, a process that
died, a purged page) are dropped by whoever holds that lock: at once where it can be, by `sweep_files` otherwise.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

import structlog
from django.db import transaction

from company.writes import locks
from knowledge import files
from knowledge.models import UNFINISHED, Attachment, ImportRun, Page

log = structlog.get_logger(__name__)

UNFINISHED_KEPT = timedelta(days=1)


def hold_digest(digest: str) -> None:
    """Hold the bytes of a digest until the transaction ends."""
    locks.hold(f"knowledge.file:{digest}")


def drop_after_commit(digests: Collection[str]) -> None:
    """Have the bytes of these digests dropped, where nothing names them any more, once the transaction has committed.

    A failure there is logged and undoes nothing: the sweep tries again.
    """
    if digests:
        transaction.on_commit(lambda: drop_unused(digests), robust=True)


def files_go_with(page: Page) -> None:
    """Have the bytes of a page's files dropped once the transaction that removes the page has committed."""
    drop_after_commit({row.sha256 for row in page.attachments.only("sha256")})


def drop_unused(digests: Collection[str]) -> int:
    """Drop the bytes of those digests that no attachment and no import to come names; how many those were."""
    dropped = 0
    for digest in digests:
        with transaction.atomic():
            hold_digest(digest)
            if not _named([digest]):
                files.remove(digest)
                dropped += 1
    return dropped


def sweep_files(*, now: datetime) -> int:
    """Drop all bytes that nothing names, and copies interrupted more than a day ago; how many there were."""
    dropped = 0
    for folder, names in files.kept():
        unfinished = [name for name in names if name.endswith(files.UNFINISHED)]
        digests = set(names) - set(unfinished)
        dropped += drop_unused(sorted(digests - _named(digests)))
        for name in unfinished:
            if files.modified_at(folder, name) < now - UNFINISHED_KEPT:
                files.remove_unfinished(folder, name)
                dropped += 1
    if dropped:
        log.info("attachments_swept", files=dropped)
    return dropped


def _named(digests: Collection[str]) -> set[str]:
    """Those that an attachment names, or an import that has yet to end."""
    attached = Attachment.objects.filter(sha256__in=digests).values_list("sha256", flat=True)
    uploaded = ImportRun.objects.filter(sha256__in=digests, state__in=UNFINISHED).values_list("sha256", flat=True)
    return {*attached, *uploaded}
