"""Imports that were asked for in a browser or over REST, how far each is, and what became of its files."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class ImportState(models.TextChoices):
    """Where a run stands. A run that is broken off stays `running` until it is taken up again."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


UNFINISHED = (ImportState.WAITING, ImportState.RUNNING)


class ImportRun(models.Model):
    """One upload on its way into a space.

    The zip lies under `sha256` beside the attachments until the run ends. `source` is what its files are known by the
    next time. `what`, `done` and `total` are the progress, written at `seen_at`; `attempts` counts how often a worker
    began. `report` is what became of every file, once it is done; `reason` says why it failed.
    """

    author_name = models.CharField(max_length=150)
    author_kind = models.CharField(max_length=16)
    credential = models.CharField(max_length=255)
    door = models.CharField(max_length=16)
    container = models.CharField(max_length=16)
    parent_id = models.BigIntegerField(null=True)
    file_name = models.CharField(max_length=255)
    source = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    dry_run = models.BooleanField(default=False)
    state = models.CharField(max_length=16, choices=ImportState, default=ImportState.WAITING)
    what = models.CharField(max_length=16, blank=True)
    done = models.IntegerField(default=0)
    total = models.IntegerField(default=0)
    attempts = models.IntegerField(default=0)
    counts = models.JSONField(default=dict)
    report = models.JSONField(null=True)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["sha256"], condition=Q(state__in=["waiting", "running"]), name="uploads_still_needed"),
            models.Index(fields=["container", "-id"], name="imports_of_a_space"),
        ]
