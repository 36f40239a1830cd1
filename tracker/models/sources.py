"""Where imported items came from, so that the same row brought in again is the same item."""

from __future__ import annotations

from django.db import models

from tracker.models.items import Item


class ItemSource(models.Model):
    """The row an item was made of: `identity` in the file called `source`, brought into `project`.

    `said` holds a digest of what each cell said the last time, so that only what is new in them is brought over.
    """

    item = models.OneToOneField(Item, on_delete=models.CASCADE, primary_key=True, related_name="source")
    project = models.CharField(max_length=16)
    source = models.CharField(max_length=255)
    identity = models.CharField(max_length=255)
    said = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "source", "identity"], name="a_row_of_a_file_is_one_item_of_a_project"
            )
        ]
