"""Skills that say nearly the same of themselves, as the duty compared them last."""

from __future__ import annotations

from django.db import models


class SkillSaying(models.Model):
    """What the skill of a page says of itself, as it was compared: kept so that an unchanged one is not embedded again,
    and so that a search finds it by meaning.

    `digest` is of the text and of the measure it was compared by; `vector` has 32-bit components, and is None where
    words were compared.
    """

    page_id = models.BigIntegerField(primary_key=True)
    version = models.IntegerField()
    digest = models.CharField(max_length=64)
    vector = models.BinaryField(null=True)


class SkillPair(models.Model):
    """Two pages whose skills are alike, the lower id first; `likeness` is of a thousand, by the measure named."""

    first = models.BigIntegerField()
    second = models.BigIntegerField()
    likeness = models.IntegerField()
    measure = models.CharField(max_length=100)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["first", "second"], name="two_skills_are_compared_once")]
        indexes = [models.Index(fields=["second"], name="pairs_by_the_second")]
