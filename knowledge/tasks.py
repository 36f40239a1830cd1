"""Duties of the knowledge app, as Celery runs them."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from knowledge.writes.contents import sweep_files


@shared_task(name="knowledge.sweep_files_now", ignore_result=True)
def sweep_files_now() -> None:
    """Drop the bytes of attachments that no page names any more."""
    sweep_files(now=timezone.now())
