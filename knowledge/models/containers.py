"""Containers: one row for each space the company declares, written by an apply and at every start."""

from __future__ import annotations

from django.db import models


class Container(models.Model):
    """A space as the screens list it. A revision activated before `chart_epoch` never overwrites the row."""

    key = models.CharField(max_length=16, primary_key=True)
    name = models.CharField(max_length=255)
    purpose = models.TextField(blank=True)
    kind = models.CharField(max_length=16)
    chart_epoch = models.DateTimeField()

    class Meta:
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key
