"""Files attached to pages. The bytes lie in the attachment storage under their digest; several rows may share them."""

from __future__ import annotations

from django.db import models

from knowledge.models.pages import Page


class Waits(models.TextChoices):
    """What a review would do to a file: bring it into the folder, or take it out. Until then one that would come is not
    there, and one that would go still is."""

    NOT = ""
    TO_COME = "to_come"
    TO_GO = "to_go"


class Attachment(models.Model):
    """A file on a page. `path` is its place where the page is kept as a folder (a skill's `scripts/run.sh`), `mode`
    its permission bits there, of which only the executable one has a meaning. `waits` is set while a change of the
    folder is held back for review, with the page's `held_version`.
    """

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="attachments")
    name = models.CharField(max_length=255)
    path = models.CharField(max_length=512, blank=True)
    mode = models.IntegerField(default=0o644)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    media_type = models.CharField(max_length=64)
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    created_at = models.DateTimeField()
    waits = models.CharField(max_length=16, choices=Waits, blank=True, default=Waits.NOT)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["page", "path"],
                condition=~models.Q(path="") & ~models.Q(waits="to_come"),
                name="a_path_is_one_file_of_a_page",
            ),
            models.UniqueConstraint(
                fields=["page", "path"],
                condition=~models.Q(path="") & models.Q(waits="to_come"),
                name="a_path_is_one_file_to_come",
            ),
        ]
        indexes = [
            models.Index(fields=["page", "id"], name="attachments_of_a_page"),
            models.Index(fields=["sha256"], name="attachments_by_content"),
        ]

    def __str__(self) -> str:
        return self.name
