"""What the duty that empties the trash did, and what it has yet to try again."""

from __future__ import annotations

from django.db import models


class TrashPass(models.Model):
    """One pass: how many things it purged, left alone because they had been restored meanwhile, or failed to purge.

    `cutoff` is the moment before which one had to be trashed; `stopped` says that the pass ended at its bound and
    the next one followed at once.
    """

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    cutoff = models.DateTimeField()
    purged = models.IntegerField(default=0)
    skipped = models.IntegerField(default=0)
    failed = models.IntegerField(default=0)
    stopped = models.BooleanField(default=False)

    class Meta:
        ordering = ["-id"]


class FailedPurge(models.Model):
    """A purge that failed, under the operation it is tried again as. Gone once the thing is, or is restored.

    `kind` is what was to be purged: a page, or something of an app above this one.
    """

    kind = models.CharField(max_length=16, default="page", db_default="page")
    subject_id = models.BigIntegerField()
    operation = models.CharField(max_length=128)
    attempts = models.IntegerField(default=1)
    error = models.TextField()
    failed_at = models.DateTimeField()
    retry_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "subject_id"], name="a_failed_purge_is_kept_once")]
