"""Duties of the knowledge app, as Celery runs them."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from knowledge.embedding.duty import embed_sources
from knowledge.exchange.runs import run_import
from knowledge.reads.import_runs import container_of_import, imports_to_take_up
from knowledge.rules.reaping import RETRY_AFTER
from knowledge.writes.contents import sweep_files
from knowledge.writes.embedding import forget_passes as forget_embedding_passes
from knowledge.writes.import_runs import RUN_TASK, forget_imports
from knowledge.writes.links import find_links_again
from knowledge.writes.pruning import forget_prunings, prune_notifications
from knowledge.writes.reading import forget_readings
from knowledge.writes.reaping import forget_passes, reap_trash

PASSES_KEPT = timedelta(days=90)
IMPORTS_KEPT = timedelta(days=30)
IMPORT_IS_SILENT = timedelta(minutes=1)
"""How long nothing was heard of an import before a worker is asked for it again."""
READINGS_KEPT = timedelta(days=400)
"""A year, and what a comparison with the same weeks of it needs; the screens show 90 days of it."""


@shared_task(name="knowledge.sweep_files_now", ignore_result=True)
def sweep_files_now() -> None:
    """Drop the bytes of attachments that no page names any more, and the imports that ended long ago."""
    forget_imports(before=timezone.now() - IMPORTS_KEPT)
    sweep_files(now=timezone.now())


@shared_task(name=RUN_TASK, ignore_result=True)
def run_import_now(run_id: int) -> None:
    """Work on an import to its end, and ask for the next one into its space; asked for twice, it is done once."""
    container = container_of_import(run_id)
    if container is None or not run_import(run_id=run_id, container=container):
        return  # forgotten, or it is asked for when the one at work has ended
    for waiting in imports_to_take_up(before=timezone.now(), container=container):
        run_import_now.delay(waiting)


@shared_task(name="knowledge.take_up_imports_now", ignore_result=True)
def take_up_imports_now() -> None:
    """Ask for the imports that nothing was heard of: their worker died, or nobody was told."""
    for run_id in imports_to_take_up(before=timezone.now() - IMPORT_IS_SILENT):
        run_import_now.delay(run_id)


@shared_task(name="knowledge.reap_trash_now", ignore_result=True)
def reap_trash_now() -> None:
    """Purge the pages that have been in the trash for 30 days; what fails is tried again in ten minutes."""
    passes = reap_trash()
    forget_passes(before=timezone.now() - PASSES_KEPT)
    if any(done.failed for done in passes):
        # a little later than the term, so that what failed last is due too
        reap_trash_now.apply_async(countdown=RETRY_AFTER.total_seconds() + 5)


@shared_task(name="knowledge.prune_notifications_now", ignore_result=True)
def prune_notifications_now() -> None:
    """Remove the notifications that were read long ago."""
    prune_notifications(kept=settings.NOTIFICATIONS_KEPT)
    forget_prunings(before=timezone.now() - PASSES_KEPT)


@shared_task(name="knowledge.forget_old_readings_now", ignore_result=True)
def forget_old_readings_now() -> None:
    """Drop what was counted of reading longer ago than anybody is shown."""
    forget_readings(before=timezone.now().date() - READINGS_KEPT)


@shared_task(name="knowledge.find_links_again_now", ignore_result=True)
def find_links_again_now() -> None:
    """Read the pages again whose links were found by an older rule."""
    find_links_again()


@shared_task(name="knowledge.embed_sources_now", ignore_result=True)
def embed_sources_now() -> None:
    """Give documents their vectors; where a local model has more to do, other duties get their turn and it goes on."""
    ticked = embed_sources()
    if any(not one.figures.is_nothing for one in ticked):
        forget_embedding_passes(before=timezone.now() - PASSES_KEPT)
    if ticked and ticked[-1].goes_on:
        embed_sources_now.apply_async()
