"""How far each process's own registry is, for the people who operate the deployment."""

from __future__ import annotations

from django.db import models


class SyncState(models.Model):
    """One row a process that holds a registry; rows of processes that have gone are dropped after an hour."""

    process = models.CharField(max_length=128, primary_key=True)
    state = models.CharField(max_length=16)
    skills = models.IntegerField(default=0)
    pages = models.IntegerField(default=0)
    attempt = models.IntegerField(default=0)
    detail = models.TextField(blank=True)
    walked_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField()
