"""Offering held sources again before their hour is up, because somebody asked."""

from __future__ import annotations

from django.db import transaction

from company.rules.actors import Actor, Scope
from company.rules.permissions import require_admin
from company.rules.refusals import Code, Refused
from company.writes import ledger
from knowledge.models import HeldSource


def retry_held(*, actor: Actor, kind: str | None = None, object_id: int | None = None) -> int:
    """Have the next ticks offer one held source, or every one, again; answers how many.

    Refuses: `scope_missing`, `forbidden` for whoever is no administrator, `not_found` for a source that is not held.
    """
    require_admin(actor, Scope.ADMIN)
    held = HeldSource.objects.all()
    target = ledger.Target(kind="embedding", id="all")
    is_one = kind is not None and object_id is not None
    if kind is not None and object_id is not None:
        held = held.filter(kind=kind, object_id=object_id)
        target = ledger.Target(kind=kind, id=str(object_id))
    with transaction.atomic():
        number = held.update(asked_again=True)
        if is_one and not number:
            raise Refused(Code.NOT_FOUND, "This is not held back any more. Load the screen again.")
        ledger.record(actor=actor, verb="retry_held", target=target, detail={"sources": number})
    return number
