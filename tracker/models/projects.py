"""Projects: one row for each the company declares or declared, which counts the items filed in it."""

from __future__ import annotations

from django.db import models


class Project(models.Model):
    """A project as the screens list it. `last_number` is the number of the item filed last, and only ever grows.

    A revision activated before `chart_epoch` never overwrites name and purpose. A project that is no longer declared
    keeps its row: its items stay, and its numbers are not handed out a second time.
    """

    key = models.CharField(max_length=16, primary_key=True)
    name = models.CharField(max_length=255)
    purpose = models.TextField(blank=True)
    kind = models.CharField(max_length=16)
    chart_epoch = models.DateTimeField()
    last_number = models.IntegerField(default=0)

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key
