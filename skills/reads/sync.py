"""How far the registry of each process is."""

from __future__ import annotations

from company.rules.actors import Actor, Scope
from company.rules.permissions import require_admin
from skills.models.sync import SyncState


def sync_states(*, actor: Actor) -> tuple[SyncState, ...]:
    """One row a process that keeps a registry, for administrators. One query."""
    require_admin(actor, Scope.READ)
    return tuple(SyncState.objects.order_by("process"))
