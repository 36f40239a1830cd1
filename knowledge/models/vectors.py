"""Vectors of documents, the narrow table they are looked for in, and what the embedding duty remembers.

A vector of 3 072 dimensions has 6 KB, and reading anything of such a row costs a page of the disk. So what a search
reads of every document (its sign code, and what a search is narrowed by) is a row of a table of its own, some 450 bytes
wide; full vectors are read by primary key, for the candidates alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from pgvector.django import HalfVectorField

if TYPE_CHECKING:
    _Text = models.TextField[str, str]
else:
    _Text = models.TextField


class CodeField(_Text):
    """A string of bits as text of 0 and 1, of any length: models differ in width."""

    def db_type(self, connection: Any) -> str:
        """As Postgres has it."""
        return "varbit"


class EmbeddingSpace(models.Model):
    """What one model makes at one width. Vectors of two spaces have nothing to say to each other.

    `filled_at` is when every document first had its vector; until then a search by meaning is partial. `sources` and
    `current` are how many documents there were at `measured_at`, and how many had a vector of what they say now;
    `is_alarmed` says that those were too few and that this was told.
    """

    model = models.CharField(max_length=255)
    dimensions = models.IntegerField()
    made_at = models.DateTimeField(auto_now_add=True)
    filled_at = models.DateTimeField(null=True)
    measured_at = models.DateTimeField(null=True)
    sources = models.IntegerField(default=0)
    current = models.IntegerField(default=0)
    is_alarmed = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "dimensions"], name="a_model_and_width_is_one_space")]


class SignCode(models.Model):
    """One bit a dimension of a document's vector, and what a search is narrowed by.

    `version` and `container` are the document's at the time; a document that has moved on since is embedded again, or
    stamped anew where its text is the same.
    """

    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, db_index=False)
    kind = models.CharField(max_length=16)
    object_id = models.BigIntegerField()
    container = models.CharField(max_length=16)
    bucket = models.SmallIntegerField()
    version = models.BigIntegerField()
    code = CodeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "kind", "object_id"], name="a_source_has_one_code_a_space")
        ]
        indexes = [models.Index(fields=["space", "container"], name="codes_of_a_container")]


class SourceVector(models.Model):
    """The whole vector, of length one. `digest` is of the text it was made of, byte for byte.

    Whose it is stands here too: the second stage of a search then reads nothing else.
    """

    code = models.OneToOneField(SignCode, primary_key=True, on_delete=models.CASCADE, related_name="full")
    kind = models.CharField(max_length=16)
    object_id = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    embedded_at = models.DateTimeField()
    vector = HalfVectorField()


class HeldSource(models.Model):
    """A document whose text the provider refused, or whose vector cannot be kept. Offered again alone after an hour.

    `digest` is of the refused text, `version` the latest that was seen to have it. `asked_again` says that an
    administrator wants it offered in the next tick.
    """

    kind = models.CharField(max_length=16)
    object_id = models.BigIntegerField()
    version = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    size = models.IntegerField()
    reason = models.TextField()
    is_unusable = models.BooleanField(default=False)
    attempts = models.IntegerField(default=1)
    first_refused_at = models.DateTimeField()
    refused_at = models.DateTimeField()
    asked_again = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "object_id"], name="a_source_is_held_once")]
        indexes = [models.Index(fields=["refused_at"], name="held_the_longest")]


class EmbeddingState(models.Model):
    """What the duty knows from one tick to the next: one row.

    `configuration` is the provider's; refusals, halves and failures are of that one alone. `position` is the place in
    the change log up to which nothing is left to do while `is_caught_up`; `revision` the document that was judged by.
    `halves` are what an isolation has yet to send: for each corpus, lists of sources as `[key, size, digest]`.
    """

    configuration = models.CharField(max_length=64, blank=True)
    space = models.ForeignKey(EmbeddingSpace, null=True, on_delete=models.SET_NULL)
    revision = models.BigIntegerField(default=0)
    position = models.BigIntegerField(null=True)
    is_caught_up = models.BooleanField(default=False)
    swept_at = models.DateTimeField(null=True)
    halves = models.JSONField(default=dict)
    has_accepted = models.BooleanField(default=False)
    is_blamed = models.BooleanField(default=False)
    failures = models.IntegerField(default=0)
    failure = models.TextField(blank=True)
    retry_at = models.DateTimeField(null=True)
    ticked_at = models.DateTimeField(null=True)


class EmbeddingPass(models.Model):
    """What one tick that had anything to do did. `failure` is what ended its requests, if anything did."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    model = models.CharField(max_length=255)
    dimensions = models.IntegerField()
    requests = models.IntegerField(default=0)
    embedded = models.IntegerField(default=0)
    restamped = models.IntegerField(default=0)
    removed = models.IntegerField(default=0)
    held = models.IntegerField(default=0)
    provider_seconds = models.FloatField(default=0)
    failure = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["ended_at"], name="passes_by_their_end")]
