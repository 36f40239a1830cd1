"""What is kept of every write: the audit trail, and the events people and agents can follow."""

from __future__ import annotations

from django.db import models


class AuditEntry(models.Model):
    """Who did what to what, through which credential and door. Written in the write's own transaction."""

    at = models.DateTimeField(auto_now_add=True)
    actor_name = models.CharField(max_length=255)
    actor_kind = models.CharField(max_length=16)
    operator_id = models.CharField(max_length=255)
    door = models.CharField(max_length=16)
    verb = models.CharField(max_length=64)
    target_kind = models.CharField(max_length=32)
    target_id = models.CharField(max_length=255)
    version_before = models.IntegerField(null=True)
    version_after = models.IntegerField(null=True)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["target_kind", "target_id", "id"], name="audit_by_target")]


class Event(models.Model):
    """Something that happened, in the shapes of the contract's event list. `seat` is whose event it is, if anyone's."""

    type = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now_add=True)
    seat = models.CharField(max_length=150, null=True)
    payload = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["type", "id"], name="events_by_type"),
            models.Index(fields=["seat", "id"], name="events_by_seat"),
        ]
