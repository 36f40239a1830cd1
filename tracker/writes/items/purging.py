"""Removing an item for good: by an administrator, or by the engine once its time in the trash is over."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor, Scope
from company.rules.permissions import require_admin, require_proof
from company.rules.refusals import Code, Refused
from company.writes.idempotency import forget
from knowledge.rules.texts import clean_reason
from tracker.models import Item, PurgedItem
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
    item.delete()
