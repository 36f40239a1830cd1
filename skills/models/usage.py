"""Usage: how often a skill's page was offered, loaded and blocked, by seat and company day."""

from __future__ import annotations

from django.db import models


class SkillUsage(models.Model):
    """One row a page, key, seat and day. Usage follows the page; the key is the one it had that day."""

    page_id = models.BigIntegerField()
    key = models.CharField(max_length=128)
    seat = models.CharField(max_length=150)
    day = models.DateField()
    offered = models.IntegerField(default=0)
    loaded = models.IntegerField(default=0)
    blocked = models.IntegerField(default=0)
    last_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["page_id", "key", "seat", "day"], name="usage_is_counted_once_a_day")
        ]
        indexes = [models.Index(fields=["day"], name="usage_by_day")]
