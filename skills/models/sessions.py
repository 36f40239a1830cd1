"""Sessions: one phase's message history of one seat, with what it was shown and what it has loaded."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models


class SkillSession(models.Model):
    """`generation` grows with every change, so that a copy in memory knows whether it is current.

    `loaded` are keys of tool skills; `activated` maps the name of each agent skill the session has loaded to its turn.
    """

    id = models.CharField(max_length=40, primary_key=True)
    seat = models.CharField(max_length=150)
    phase = models.CharField(max_length=16)
    turn = models.CharField(max_length=128, blank=True)
    tools = ArrayField(models.CharField(max_length=256), default=list)
    servers = ArrayField(models.CharField(max_length=256), default=list)
    offered = ArrayField(models.CharField(max_length=128), default=list)
    loaded = ArrayField(models.CharField(max_length=128), default=list)
    activated = models.JSONField(default=dict)
    generation = models.IntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["seat", "created_at"], name="sessions_of_a_seat")]
