"""The change log: one row a write, appended in the write's own transaction, followed in commit order.

`xid` is the writing transaction. A row is settled once every transaction with a lower id has ended, which is what
`pg_snapshot_xmin(pg_current_snapshot())` tells; serial ids alone have gaps that fill in late.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class CurrentTransaction(models.Func):
    """The id of the writing transaction as a bigint (an xid8 never wraps around)."""

    template = "(pg_current_xact_id()::text::bigint)"
    output_field: ClassVar[models.BigIntegerField[int, int]] = models.BigIntegerField()


class ChangeKind(models.TextChoices):
    """What a change is about."""

    DOCUMENT = "document"
    PAGE = "page"
    ITEM = "item"


class Change(models.Model):
    """Something readers of the log may have to read again: `object_id` of `kind`, now in `container`.

    `was_container` is where it was before a move, the same container for one that moved within it: what lies beneath
    it has moved along.
    """

    xid = models.BigIntegerField(db_default=CurrentTransaction())
    kind = models.CharField(max_length=16, choices=ChangeKind)
    object_id = models.BigIntegerField()
    container = models.CharField(max_length=16, blank=True)
    was_container = models.CharField(max_length=16, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["xid", "id"], name="changes_in_commit_order")]


class ChangeLogStart(models.Model):
    """One row, once rows of the log have been forgotten: every row of a transaction below `xid` may be gone."""

    xid = models.BigIntegerField()
