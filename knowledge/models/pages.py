"""Pages, their revisions, the addresses they used to have, and the markers of those that were purged."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models.expressions import F, Func, Value

from knowledge.rules.titles import SIGNS, WORDS_OF_THEIR_OWN


class PageStatus(models.TextChoices):
    """Where a page stands. A draft is its author's, its lead's and an admin's until it is published."""

    DRAFT = "draft"
    PUBLISHED = "published"
    TRASHED = "trashed"


class RevisionState(models.TextChoices):
    """What became of a revision. Only a published one is what the page said at its version; `knowledge.rules.reviewing`
    says when one is held back."""

    PUBLISHED = "published"
    PENDING = "pending"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


def _replaced(text: F | Func, pattern: str, by: str) -> Func:
    return Func(text, Value(pattern), Value(by), Value("g"), function="regexp_replace", output_field=models.TextField())


TITLE_WORDS = SearchVector(_replaced(_replaced(F("address"), SIGNS, " "), WORDS_OF_THEIR_OWN, r" \1 "), config="simple")
"""The words of a page's title, as the index `pages_by_title_words` has them."""


class Page(models.Model):
    """A markdown page. `address` is the folded title, unique among the living pages of its container.

    `version` grows by one a revision; `body_version` is the version at which the body last changed, so that a
    save whose base differs by renames alone is accepted. `trashed_with` is the page whose trashing took this one
    along (itself, for the one that was trashed by hand), `trashed_from` the status it comes back to. What a listing
    shows of the body stands beside it, so that no listing reads a body: `excerpt`, which the writes keep, and
    `is_folder`, which the database does. `links_rule` is the rule its links were found by.

    `held_version` is the revision that waits for review, asked for by `held_by` at `held_at`: a later text of a
    published page, which goes on saying what it says, or the text of a draft that would be published. `last_version`
    is the highest number a revision of the page was given, so that none is given twice.
    """

    container = models.CharField(max_length=16)
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    position = models.IntegerField(default=0)
    title = models.CharField(max_length=256)
    address = models.CharField(max_length=512)
    body = models.TextField(blank=True)
    excerpt = models.TextField(blank=True)
    is_folder = models.GeneratedField(
        expression=models.ExpressionWrapper(models.Q(body=""), output_field=models.BooleanField()),
        output_field=models.BooleanField(),
        db_persist=True,
    )
    status = models.CharField(max_length=16, choices=PageStatus, default=PageStatus.PUBLISHED)
    labels = ArrayField(models.CharField(max_length=64), default=list)
    watchers = ArrayField(models.CharField(max_length=150), default=list)
    version = models.IntegerField(default=1)
    body_version = models.IntegerField(default=1)
    last_version = models.IntegerField(default=1)
    held_version = models.IntegerField(null=True)
    held_by_name = models.CharField(max_length=255, blank=True)
    held_by_kind = models.CharField(max_length=16, blank=True)
    held_at = models.DateTimeField(null=True)
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    created_at = models.DateTimeField()
    saved_by_name = models.CharField(max_length=255)
    saved_by_kind = models.CharField(max_length=16)
    saved_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    trashed_at = models.DateTimeField(null=True)
    trashed_by = models.CharField(max_length=255, blank=True)
    trashed_with = models.BigIntegerField(null=True)
    trashed_from = models.CharField(max_length=16, choices=PageStatus, blank=True)
    search_bucket = models.SmallIntegerField(default=0)
    links_rule = models.SmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["container", "address"],
                condition=~models.Q(status="trashed"),
                name="an_address_is_one_living_pages",
            ),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="a_page_is_not_its_own_parent"),
            models.CheckConstraint(
                condition=models.Q(status="trashed", trashed_at__isnull=False)
                | (~models.Q(status="trashed") & models.Q(trashed_at__isnull=True)),
                name="a_trashed_page_says_when",
            ),
        ]
        indexes = [
            models.Index(fields=["container", "parent", "position", "address", "id"], name="pages_of_a_level"),
            models.Index(fields=["container", "position", "address", "id"], name="pages_in_their_order"),
            models.Index(fields=["container", "status", "id"], name="pages_of_a_container"),
            models.Index(fields=["trashed_at", "id"], condition=models.Q(status="trashed"), name="pages_in_the_trash"),
            models.Index(
                fields=["trashed_with"], condition=models.Q(status="trashed"), name="pages_that_fell_together"
            ),
            models.Index(
                fields=["held_at", "id"], condition=models.Q(held_version__isnull=False), name="pages_that_wait"
            ),
            GinIndex(fields=["labels"], name="pages_by_label"),
            GinIndex(TITLE_WORDS, name="pages_by_title_words"),
            models.Index(OpClass("address", name="text_pattern_ops"), name="pages_by_how_titles_begin"),
        ]

    def __str__(self) -> str:
        return f"{self.container}/{self.title}"


class Revision(models.Model):
    """The page as it was at one version: revision N is the body at version N.

    One that was held back for review may never have been what the page said: `state` tells, and `decided_by`,
    `decided_at` and `decision` (a word with it) who let it through or sent it back.
    """

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="revisions")
    version = models.IntegerField()
    title = models.CharField(max_length=256)
    body = models.TextField(blank=True)
    message = models.CharField(max_length=256, blank=True)
    author_name = models.CharField(max_length=255)
    author_kind = models.CharField(max_length=16)
    operator_id = models.CharField(max_length=255)
    created_at = models.DateTimeField()
    state = models.CharField(max_length=16, choices=RevisionState, default=RevisionState.PUBLISHED)
    decided_by_name = models.CharField(max_length=255, blank=True)
    decided_by_kind = models.CharField(max_length=16, blank=True)
    decided_at = models.DateTimeField(null=True)
    decision = models.CharField(max_length=256, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["page", "version"], name="a_version_is_one_revision")]


class FormerAddress(models.Model):
    """An address a page was renamed or moved away from; it leads to the page until somebody claims it."""

    container = models.CharField(max_length=16)
    address = models.CharField(max_length=512)
    page = models.ForeignKey(Page, on_delete=models.CASCADE)
    left_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["container", "address"], name="a_former_address_leads_once")]


class PurgedPage(models.Model):
    """The marker a purge leaves: who, when and why. A write that comes late finds it and stops."""

    page_id = models.BigIntegerField(primary_key=True)
    container = models.CharField(max_length=16)
    title = models.CharField(max_length=256)
    purged_at = models.DateTimeField()
    purged_by_name = models.CharField(max_length=255)
    purged_by_kind = models.CharField(max_length=16)
    operator_id = models.CharField(max_length=255)
    reason = models.TextField()
