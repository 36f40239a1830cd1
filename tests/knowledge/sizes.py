"""Many pages at once, for tests about size: rows as the writes make them, without a ledger each."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from knowledge.models import Page, PageStatus
from knowledge.rules.buckets import bucket_of
from knowledge.rules.excerpts import excerpt_of
from knowledge.rules.titles import fold


def copies(
    number: int,
    *,
    title: str,
    container: str = "ENG",
    parent_id: int | None = None,
    body: str = "Text.",
    trashed_at: datetime | None = None,
) -> list[int]:
    """The ids of `number` pages by the engineer agent, titled by `title.format(index)`; each trashed by hand if so."""
    now = timezone.now()
    rows = Page.objects.bulk_create([
        Page(
            container=container, parent_id=parent_id, title=title.format(index), address=fold(title.format(index)),
            body=body, excerpt=excerpt_of(body), author_name="engineer-bot", author_kind="agent", created_at=now,
            saved_by_name="engineer-bot", saved_by_kind="agent", saved_at=now, updated_at=now,
            search_bucket=bucket_of(index), trashed_at=trashed_at, trashed_by="engineer-bot" if trashed_at else "",
            status=PageStatus.TRASHED if trashed_at else PageStatus.PUBLISHED,
            trashed_from=PageStatus.PUBLISHED if trashed_at else "",
        )
        for index in range(number)
    ], batch_size=2_000)  # fmt: skip
    ids = [row.pk for row in rows]
    if trashed_at is not None:
        for page_id in ids:
            Page.objects.filter(pk=page_id).update(trashed_with=page_id)
    return ids
