"""Links between pages, and of pages to work items, as the bodies of pages have them."""

from __future__ import annotations

from django.db import models

from knowledge.models.pages import Page


class PageLink(models.Model):
    """A page whose body links to the page `target`, which need not exist (any more).

    `origin` is the address before the route of an absolute link, empty for the others: a link counts for whoever
    reaches this app by that address.
    """

    source = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="links")
    target = models.BigIntegerField()
    origin = models.CharField(max_length=512, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "target", "origin"], name="a_page_links_to_another_once")
        ]
        indexes = [models.Index(fields=["target", "source"], name="links_to_a_page")]

    def __str__(self) -> str:
        return f"{self.source_id} links to {self.target}"


class PageItemLink(models.Model):
    """A page whose body links to the work item `key`, which another app knows; `origin` as above."""

    source = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="item_links")
    key = models.CharField(max_length=24)
    origin = models.CharField(max_length=512, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "key", "origin"], name="a_page_links_to_an_item_once")]
        indexes = [models.Index(fields=["key", "source"], name="links_to_an_item")]
