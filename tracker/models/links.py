"""How items hang together: relations somebody made, and the pages that descriptions link to."""

from __future__ import annotations

from django.db import models

from tracker.models.items import Item
from tracker.rules.vocabulary import Relation

KEPT = (Relation.BLOCKS, Relation.RELATES, Relation.DUPLICATES, Relation.PAGE)


class ItemRelation(models.Model):
    """An item in a relation to another one (`target`), or to a page (`page_id`), which may be gone."""

    source = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="relations_out")
    relation = models.CharField(max_length=16, choices=[(word.value, word.value) for word in KEPT])
    target = models.ForeignKey(Item, null=True, on_delete=models.CASCADE, related_name="relations_in")
    page_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "relation", "target"], name="two_items_relate_once_in_a_way"),
            models.UniqueConstraint(fields=["source", "page_id"], name="an_item_names_a_page_once"),
            models.CheckConstraint(
                condition=models.Q(relation="page", page_id__isnull=False, target__isnull=True)
                | (~models.Q(relation="page") & models.Q(page_id__isnull=True, target__isnull=False)),
                name="a_relation_has_one_other_end",
            ),
        ]
        indexes = [models.Index(fields=["page_id"], name="relations_to_a_page")]


class ItemLink(models.Model):
    """An item whose description links to the page `target`; `origin` as links between pages have it."""

    source = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="links")
    target = models.BigIntegerField()
    origin = models.CharField(max_length=512, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "target", "origin"], name="an_item_links_to_a_page_once")
        ]
        indexes = [models.Index(fields=["target", "source"], name="links_of_items_to_a_page")]
