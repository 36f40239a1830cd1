"""Holding sources back that the provider refused, and letting go of them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import F

from knowledge.models import HeldSource

MAX_REASON = 1_000


def hold_source(
    *, kind: str, object_id: int, version: int, digest: str, size: int, reason: str, is_unusable: bool, now: datetime
) -> None:
    """Hold a source back for an hour from now; one that was held for this text already has been tried once more."""
    seen = {"version": version, "size": size, "reason": reason[:MAX_REASON], "is_unusable": is_unusable}
    with transaction.atomic():
        again = HeldSource.objects.filter(kind=kind, object_id=object_id, digest=digest).update(
            **seen, refused_at=now, asked_again=False, attempts=F("attempts") + 1
        )
        if not again:
            fresh = {"digest": digest, "refused_at": now, "first_refused_at": now, "attempts": 1, "asked_again": False}
            HeldSource.objects.update_or_create(kind=kind, object_id=object_id, defaults={**seen, **fresh})


def keep_held(*, kind: str, object_id: int, version: int) -> None:
    """Say that a held source was seen at another version, with the very text that was refused."""
    HeldSource.objects.filter(kind=kind, object_id=object_id).update(version=version)


def release_sources(*, kind: str, object_ids: Collection[int]) -> int:
    """Hold these back no more: they were accepted, rewritten or are gone. Answers how many were held."""
    if not object_ids:
        return 0
    return HeldSource.objects.filter(kind=kind, object_id__in=object_ids).delete()[0]


def forget_held() -> int:
    """Hold nothing back: another configuration may take what this one refused. Answers how many were held."""
    return HeldSource.objects.all().delete()[0]
