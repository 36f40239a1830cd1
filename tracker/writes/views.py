"""Saved views: keeping what a list asks for under a name, and dropping it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.writes import locks
from company.writes.ledger import Target, record
from knowledge.rules.texts import clean_line
from tracker.models import SavedView
from tracker.reads.views import ViewRow, view_row
from tracker.rules.authority import Act, require_act
from tracker.rules.filters import Filters
from tracker.rules.limits import VIEW_NAME_BYTES, VIEWS
from tracker.rules.views import Layout
from tracker.writes.items.holding import require_writer


def save_view(
    *, actor: Actor, name: str, filters: Filters, layout: Layout = Layout.LIST, shared: bool = False
) -> ViewRow:
    """The view of this name among the actor's own, made or replaced; `shared` shows it to everybody.

    Refuses: `forbidden`, `invalid` or `too_long` for the name, `too_long` for the 51st view.
    """
    require_writer(actor)
    called = clean_line(name, attr="name", limit=VIEW_NAME_BYTES)
    with transaction.atomic():
        live.current_for_write()
        owner = {"owner_name": actor.author.name, "owner_kind": actor.author.kind.value}
        locks.hold(f"tracker.views:{owner['owner_kind']}:{owner['owner_name']}")
        own = SavedView.objects.filter(**owner)
        row = own.filter(name=called).first()
        if row is None and own.count() >= VIEWS:
            raise Refused(
                Code.TOO_LONG, f"You keep {VIEWS} views already. Remove one first.", attr="name",
                extras={"limit": VIEWS},
            )  # fmt: skip
        row = row or SavedView(name=called, created_at=timezone.now(), **owner)
        row.query, row.layout, row.shared = filters.query(), layout.value, shared
        row.save()
        record(
            actor=actor,
            verb="save_view",
            target=Target(kind="view", id=str(row.pk)),
            detail={"name": called, "query": row.query, "layout": row.layout, "shared": shared},
        )
        return view_row(row, actor=actor)


def remove_view(*, actor: Actor, view_id: int) -> str:
    """Drop a view; answers its name. Its owner's, or an administrator's where it is shared.

    Refuses: `not_found` for one the actor does not see, `forbidden`.
    """
    require_writer(actor)
    with transaction.atomic():
        live.current_for_write()
        require_act(Act.READ, actor=actor)
        row = SavedView.objects.select_for_update().filter(pk=view_id).first()
        if row is None or not view_row(row, actor=actor).visible:
            raise Refused(Code.NOT_FOUND, "There is no such view, or it is not yours to see.")
        if not view_row(row, actor=actor).removable:
            raise Refused(Code.FORBIDDEN, "Only its owner or an administrator removes a view. Ask one of them.")
        record(actor=actor, verb="remove_view", target=Target(kind="view", id=str(row.pk)), detail={"name": row.name})
        row.delete()
        return row.name
