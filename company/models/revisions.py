"""Revisions of the company document: immutable, the newest is the active one."""

from __future__ import annotations

from django.db import models


class Revision(models.Model):
    """One activated document. `source` is the text as it was given (JSON turned into YAML), `document` its data; both
    with `${NAME}` references unresolved. `ignored` lists the paths that are kept and not read."""

    source = models.TextField()
    document = models.JSONField()
    ignored = models.JSONField(default=list)
    summary = models.CharField(max_length=256, blank=True)
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    credential = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"revision {self.pk}"
