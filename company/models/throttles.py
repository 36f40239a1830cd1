"""Wrong answers counted: passwords and proofs. In Postgres, so that the count holds in every process and outlives
Valkey's absence."""

from __future__ import annotations

from django.db import models


class AttemptCount(models.Model):
    """How many attempts one subject has used of its window, which ends at `ends_at`."""

    subject = models.CharField(max_length=512, unique=True)
    attempts = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.subject
