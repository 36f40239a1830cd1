"""Where imported pages came from, so that the same file brought in again is the same page."""

from __future__ import annotations

from django.db import models

from knowledge.models.pages import Page


class PageSource(models.Model):
    """The file a page was made of: `path` in the tree called `source`, brought into `container`.

    `digest` tells what the file gave the last time, links included; `version` is the page's version after that, so
    that an edit made here since is noticed; `wanted` is the title the file asked for, which may have been taken.
    """

    page = models.OneToOneField(Page, on_delete=models.CASCADE, primary_key=True, related_name="source")
    container = models.CharField(max_length=16)
    source = models.CharField(max_length=255)
    path = models.TextField()
    wanted = models.TextField()
    digest = models.CharField(max_length=64)
    version = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["container", "source", "path"], name="a_file_is_one_page_of_a_space"),
        ]
