"""Writes of the registries' own state, which the screen of operations shows. No actor: processes report themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from skills.models.sync import SyncState

FORGOTTEN_AFTER = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class SyncReport:
    """How far one process's registry is. `state` is one of starting, synced, failing, unreadable, off."""

    process: str
    state: str
    skills: int
    pages: int
    attempt: int
    detail: str
    walked_at: datetime | None
    seen_at: datetime


def note_sync_state(report: SyncReport) -> None:
    """Keep a process's report in place of its last one, and forget processes that have long been silent."""
    with transaction.atomic():
        SyncState.objects.update_or_create(
            process=report.process,
            defaults={
                "state": report.state,
                "skills": report.skills,
                "pages": report.pages,
                "attempt": report.attempt,
                "detail": report.detail,
                "walked_at": report.walked_at,
                "seen_at": report.seen_at,
            },
        )
        SyncState.objects.filter(seen_at__lt=report.seen_at - FORGOTTEN_AFTER).delete()


def forget_process(process: str) -> None:
    """Drop the report of a process that ends."""
    SyncState.objects.filter(process=process).delete()
