"""Reading: which seats were shown a page, by company day and by the way it reached them."""

from __future__ import annotations

from django.db import models


class PageReading(models.Model):
    """One row a page, seat, way and day. The page may be gone: a reading never waits for it, and is never refused."""

    page_id = models.BigIntegerField()
    seat = models.CharField(max_length=150)
    via = models.CharField(max_length=16)
    day = models.DateField()
    count = models.IntegerField()
    last_at = models.DateTimeField()
    last_turn_id = models.CharField(max_length=200, null=True)
    last_query = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["page_id", "day", "seat", "via"], name="reading_is_counted_once_a_day")
        ]
        indexes = [models.Index(fields=["day"], name="readings_by_day")]

    def __str__(self) -> str:
        return f"{self.seat} read {self.page_id} on {self.day}"
