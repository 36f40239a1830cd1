"""What is said about pages, and what seats are told of them."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from knowledge.models.pages import Page


class Comment(models.Model):
    """A remark on a page. `reply_to` is the first comment of its thread, and stays when that one is removed."""

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="comments", db_index=False)
    reply_to = models.BigIntegerField(null=True)
    body = models.TextField()
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    operator_id = models.CharField(max_length=255)
    created_at = models.DateTimeField()
    edited_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["page", "id"], name="comments_of_a_page")]


class Notification(models.Model):
    """What a seat is told: the changes others made to one page within one hour (UTC), as one row.

    `actors` are the authors of the changes, each once, and `what` what they did. `read_at` is emptied when more comes.
    """

    seat = models.CharField(max_length=150)
    page = models.ForeignKey(Page, on_delete=models.CASCADE)
    hour = models.DateTimeField()
    count = models.IntegerField(default=1)
    actors = models.JSONField(default=list)
    what = ArrayField(models.CharField(max_length=16), default=list)
    last_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat", "page", "hour"], name="a_seat_is_told_once_a_page_and_hour")
        ]
        indexes = [
            models.Index(fields=["seat", "-last_at", "-id"], name="notifications_of_a_seat"),
            models.Index(fields=["seat"], condition=models.Q(read_at=None), name="notifications_unread"),
        ]
