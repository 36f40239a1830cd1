"""What is said about pages and things of other apps, and what seats are told of them.

A row is about a page, or about the thing `subject_id` of another `kind`, which an app above this one knows.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from knowledge.models.pages import Page

PAGE = "page"


def _is_about_one(name: str) -> models.CheckConstraint:
    of_a_page = models.Q(kind=PAGE, page__isnull=False, subject_id__isnull=True)
    return models.CheckConstraint(
        condition=of_a_page | (~models.Q(kind=PAGE) & models.Q(page__isnull=True, subject_id__isnull=False)), name=name
    )


class Comment(models.Model):
    """A remark. `reply_to` is the first comment of its thread, and stays when that one is removed."""

    page = models.ForeignKey(Page, null=True, on_delete=models.CASCADE, related_name="comments", db_index=False)
    kind = models.CharField(max_length=16, default=PAGE, db_default=PAGE)
    subject_id = models.BigIntegerField(null=True)
    reply_to = models.BigIntegerField(null=True)
    body = models.TextField()
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    operator_id = models.CharField(max_length=255)
    created_at = models.DateTimeField()
    edited_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [_is_about_one("a_comment_is_about_one_thing")]
        indexes = [
            models.Index(fields=["page", "id"], name="comments_of_a_page"),
            models.Index(
                fields=["kind", "subject_id", "id"], condition=~models.Q(kind=PAGE), name="comments_of_other_things"
            ),
        ]


class Notification(models.Model):
    """What a seat is told: the changes others made to one thing within one hour (UTC), as one row.

    `actors` are the authors of the changes, each once, and `what` what they did. `read_at` is emptied when more comes.
    """

    seat = models.CharField(max_length=150)
    page = models.ForeignKey(Page, null=True, on_delete=models.CASCADE)
    kind = models.CharField(max_length=16, default=PAGE, db_default=PAGE)
    subject_id = models.BigIntegerField(null=True)
    hour = models.DateTimeField()
    count = models.IntegerField(default=1)
    actors = models.JSONField(default=list)
    what = ArrayField(models.CharField(max_length=16), default=list)
    last_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat", "page", "hour"], name="a_seat_is_told_once_a_page_and_hour"),
            models.UniqueConstraint(
                fields=["seat", "kind", "subject_id", "hour"], name="a_seat_is_told_once_a_thing_and_hour"
            ),
            _is_about_one("a_notification_is_about_one_thing"),
        ]
        indexes = [
            models.Index(fields=["seat", "-last_at", "-id"], name="notifications_of_a_seat"),
            models.Index(fields=["seat"], condition=models.Q(read_at=None), name="notifications_unread"),
            models.Index(fields=["read_at"], condition=models.Q(read_at__isnull=False), name="notifications_read"),
        ]


class PruningPass(models.Model):
    """One pass of the duty that removes old notifications: how many it removed of those read before `cutoff`."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    cutoff = models.DateTimeField()
    removed = models.IntegerField(default=0)

    class Meta:
        ordering = ["-id"]
