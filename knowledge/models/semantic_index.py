"""What the duty decided about the index over the sign codes of one space and corpus, and what it measured."""

from __future__ import annotations

from django.db import models

from knowledge.models.vectors import EmbeddingSpace


class SemanticIndex(models.Model):
    """The choice for one corpus in one space: an index that reads `probes` of its `lists`, or a scan of every code.

    `generation` names the index in the database, and its rows. `recall`, `worst` and `head_misses` are of the search as
    it is served, in the worst shape it is asked in; `scan_recall` and `scan_head_misses` of a scan as its first stage.
    `is_scan_enough` is false where even that is below its floor: the codes are failing this corpus, whatever the index.
    `fullest` is the share of the rows that the fullest list held when it was trained.
    """

    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="indexes")
    kind = models.CharField(max_length=16)
    generation = models.IntegerField(default=0)
    is_installed = models.BooleanField(default=False)
    lists = models.IntegerField(default=0)
    probes = models.IntegerField(default=0)
    fullest = models.FloatField(default=0)
    trained_at = models.DateTimeField(null=True)
    trained_on = models.IntegerField(default=0)
    measured_at = models.DateTimeField(null=True)
    measured_on = models.IntegerField(default=0)
    worst_shape = models.CharField(max_length=40, blank=True)
    recall = models.FloatField(default=1)
    worst = models.FloatField(default=1)
    head_misses = models.IntegerField(default=0)
    floor = models.FloatField(default=0)
    scan_recall = models.FloatField(default=1)
    scan_head_misses = models.IntegerField(default=0)
    is_scan_enough = models.BooleanField(default=True)
    is_alarmed = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "kind"], name="a_corpus_has_one_index_a_space")]
