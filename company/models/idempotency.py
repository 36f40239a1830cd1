"""The first answers to requests that may be repeated, kept so that a repetition changes nothing."""

from __future__ import annotations

from django.db import models


class FirstAnswer(models.Model):
    """What a credential was answered when it first sent this key on this route.

    `fingerprint` tells whether a repetition asks for the same; `about` names what the answer shows (`page:12`), so
    that what is removed for good is not shown again from here.
    """

    credential = models.CharField(max_length=255)
    route = models.CharField(max_length=255)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.SmallIntegerField()
    body = models.TextField()
    headers = models.JSONField(default=dict)
    about = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["credential", "route", "key"], name="a_key_is_answered_once"),
        ]
        indexes = [models.Index(fields=["about"], name="answers_by_what_they_show")]
