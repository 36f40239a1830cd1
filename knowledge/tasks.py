"""Duties of the knowledge app, as Celery runs them."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from knowledge.rules.reaping import RETRY_AFTER
from knowledge.writes.contents import sweep_files
from knowledge.writes.links import find_links_again
from knowledge.writes.reaping import forget_passes, reap_trash

PASSES_KEPT = timedelta(days=90)


@shared_task(name="knowledge.sweep_files_now", ignore_result=True)
def sweep_files_now() -> None:
    """Drop the bytes of attachments that no page names any more."""
    sweep_files(now=timezone.now())


@shared_task(name="knowledge.reap_trash_now", ignore_result=True)
def reap_trash_now() -> None:
    """Purge the pages that have been in the trash for 30 days; what fails is tried again in ten minutes."""
    passes = reap_trash()
    forget_passes(before=timezone.now() - PASSES_KEPT)
    if any(done.failed for done in passes):
        # a little later than the term, so that what failed last is due too
        reap_trash_now.apply_async(countdown=RETRY_AFTER.total_seconds() + 5)


@shared_task(name="knowledge.find_links_again_now", ignore_result=True)
def find_links_again_now() -> None:
    """Read the pages again whose links were found by an older rule."""
    find_links_again()
