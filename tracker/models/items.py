"""Work items, what their descriptions used to say, and the markers of those that were purged."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from tracker.rules.vocabulary import PRESSING_FIRST, Priority, Status, Type

STATUSES = [(status.value, status.value) for status in Status]
PRIORITIES = [(priority.value, priority.value) for priority in Priority]
TYPES = [(one.value, one.value) for one in Type]
LIVING = models.Q(trashed_at__isnull=True)


class Item(models.Model):
    """A piece of work. `key` is what it is called for good: the project it was filed in and its number there; `project`
    is where it stands now.

    `version` grows by one with every change of a field, and `changed_at` holds the version at which each field changed
    last, which is what a save's base is judged by; `words_version` is the one at which title or description did, and
    what is made of them is made again. `priority_rank` is the place of the priority in a list.
    """

    key = models.CharField(max_length=24, unique=True)
    project = models.CharField(max_length=16)
    title = models.CharField(max_length=256)
    description = models.TextField(blank=True)
    type = models.CharField(max_length=16, choices=TYPES, default=Type.TASK)
    status = models.CharField(max_length=16, choices=STATUSES, default=Status.TODO)
    priority = models.CharField(max_length=16, choices=PRIORITIES, default=Priority.NONE)
    priority_rank: models.GeneratedField = models.GeneratedField(
        expression=models.Case(
            *(
                models.When(priority=priority.value, then=models.Value(rank))
                for rank, priority in enumerate(PRESSING_FIRST)
            ),
            default=models.Value(len(PRESSING_FIRST)),
            output_field=models.SmallIntegerField(),
        ),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )
    assignee = models.CharField(max_length=150, blank=True)
    labels = ArrayField(models.CharField(max_length=64), default=list)
    watchers = ArrayField(models.CharField(max_length=150), default=list)
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    due = models.DateField(null=True)
    version = models.IntegerField(default=1)
    words_version = models.IntegerField(default=1)
    changed_at = models.JSONField(default=dict)
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    created_at = models.DateTimeField()
    saved_by_name = models.CharField(max_length=255)
    saved_by_kind = models.CharField(max_length=16)
    saved_at = models.DateTimeField()
    status_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    trashed_at = models.DateTimeField(null=True)
    trashed_by = models.CharField(max_length=255, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="an_item_is_not_its_own_parent"),
            models.CheckConstraint(
                condition=models.Q(status__in=[status.value for status in Status]), name="an_item_stands_somewhere"
            ),
        ]
        indexes = [
            models.Index(fields=["status", "priority_rank", "id"], condition=LIVING, name="items_of_the_board"),
            models.Index(
                fields=["project", "status", "priority_rank", "id"], condition=LIVING, name="items_of_a_projects_board"
            ),
            models.Index(fields=["-updated_at", "-id"], condition=LIVING, name="items_changed_last"),
            models.Index(fields=["project", "-updated_at", "-id"], condition=LIVING, name="items_of_a_project"),
            models.Index(fields=["assignee", "status"], condition=LIVING, name="items_of_a_seat"),
            models.Index(fields=["trashed_at", "id"], condition=~LIVING, name="items_in_the_trash"),
            GinIndex(fields=["labels"], name="items_by_label"),
        ]

    def __str__(self) -> str:
        return self.key


class ItemRevision(models.Model):
    """An item's words as they were from one version on: a row for each version that changed title or description."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="revisions")
    version = models.IntegerField()
    title = models.CharField(max_length=256)
    description = models.TextField(blank=True)
    message = models.CharField(max_length=256, blank=True)
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    operator_id = models.CharField(max_length=255)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "version"], name="a_version_of_an_item_is_one_revision")]


class PurgedItem(models.Model):
    """The marker a purge leaves: who, when and why. The key is never given to another item."""

    item_id = models.BigIntegerField(primary_key=True)
    key = models.CharField(max_length=24)
    project = models.CharField(max_length=16)
    title = models.CharField(max_length=256)
    purged_at = models.DateTimeField()
    purged_by_name = models.CharField(max_length=255)
    purged_by_kind = models.CharField(max_length=16)
    operator_id = models.CharField(max_length=255)
    reason = models.TextField()
