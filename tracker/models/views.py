"""Saved views: a name for the filters and the order somebody comes back to."""

from __future__ import annotations

from django.db import models


class SavedView(models.Model):
    """What a list was asked, under a name. `layout` is where it opens; only its owner sees it unless it is `shared`."""

    name = models.CharField(max_length=64)
    query = models.TextField(blank=True)
    layout = models.CharField(max_length=16, default="list")
    shared = models.BooleanField(default=False)
    owner_name = models.CharField(max_length=255)
    owner_kind = models.CharField(max_length=16)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["owner_name", "owner_kind", "name"], name="a_view_of_an_owner_by_its_name")
        ]
