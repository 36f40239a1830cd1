"""Removing an item for good: by an administrator, or by the engine once its time in the trash is over."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from company import live
from company.rules.actors import Actor, Scope, engine_actor
from company.rules.permissions import require_admin, require_proof
from company.rules.refusals import Code, Refused
from company.writes.idempotency import forget
from knowledge.models import FailedPurge
from knowledge.rules.reaping import REAPER, operation_of, reason_of
from knowledge.rules.texts import clean_reason
from knowledge.writes.pages.purging import Reaped
from knowledge.writes.talked import forget_talk
from tracker.models import Item, PurgedItem
from tracker.reads.subjects import KIND
from tracker.writes.items.holding import hold_item, hold_shape
from tracker.writes.items.recording import record_item


def purge_item(*, actor: Actor, key: str, reason: str) -> str:
    """Remove a trashed item for good: its history and relations go, what lies beneath it moves up, a marker stays.

    Answers the key, which no other item ever gets. An administrator's alone, with a recent proof, and never an
    agent's. Refuses: `scope_missing`, `forbidden`, `proof_required`, `required` without a reason, `not_found`,
    `invalid` (409) for a living item.
    """
    require_admin(actor, Scope.ADMIN)
    require_proof(actor, timezone.now())
    why = clean_reason(reason)
    with transaction.atomic():
        live.current_for_write()
        hold_shape()
        item = hold_item(key)
        if item.trashed_at is None:
            raise Refused(Code.INVALID, "Only an item in the trash is purged. Trash it first.", status=409)
        remove(item, actor=actor, reason=why)
        return item.key


def reap_item(*, item_id: int, cutoff: datetime) -> Reaped:
    """Purge an item as the engine does, if it still lies in the trash and did so at `cutoff`; decided while it is held.

    One that was restored, trashed again since, or purged by somebody else is kept or gone already, which is KEPT.
    """
    with transaction.atomic():
        live.current_for_write()
        hold_shape()
        item = Item.objects.select_for_update().filter(pk=item_id).first()
        FailedPurge.objects.filter(kind=KIND, subject_id=item_id).delete()
        if item is None or item.trashed_at is None or item.trashed_at > cutoff:
            return Reaped.KEPT
        operation = operation_of(page_id=item_id, trashed_at=item.trashed_at, kind=KIND)
        remove(item, actor=engine_actor(REAPER), reason=reason_of(cutoff), detail={"operation": operation})
        return Reaped.PURGED


class ReapableItems:
    """Items in the trash, for the duty that empties it."""

    kind = KIND

    def trashed(self) -> QuerySet[Item]:
        """Every item in it."""
        return Item.objects.filter(trashed_at__isnull=False)

    def reap(self, subject_id: int, *, cutoff: datetime) -> Reaped:
        """As `reap_item` does."""
        return reap_item(item_id=subject_id, cutoff=cutoff)


def remove(item: Item, *, actor: Actor, reason: str, detail: Mapping[str, object] | None = None) -> None:
    """Take a held item out of the table; the shape of the tracker is held too."""
    children = item.children.update(parent_id=item.parent_id)
    PurgedItem.objects.create(
        item_id=item.pk,
        key=item.key,
        project=item.project,
        title=item.title,
        purged_at=timezone.now(),
        purged_by_name=actor.author.name,
        purged_by_kind=actor.author.kind.value,
        operator_id=actor.credential,
        reason=reason,
    )
    record_item(
        actor=actor,
        verb="purge_item",
        item=item,
        version_before=item.version,
        news="item.purged",
        detail={"reason": reason, "refiled": children, **(detail or {})},
    )
    forget(f"item:{item.pk}")
    forget_talk(KIND, item.pk)
    item.delete()
