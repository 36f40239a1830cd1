"""Saved views as their readers list them: one's own, and those that are shared."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from company.rules.actors import Actor, ActorKind, Author
from tracker.models import SavedView
from tracker.reads.rows import company_read_by
from tracker.rules.views import Layout


@dataclass(frozen=True, kw_only=True)
class ViewRow:
    """A view. `query` is what its address asks after the `?`; `removable` says whether its reader may drop it."""

    id: int
    name: str
    query: str
    layout: Layout
    shared: bool
    owner: Author
    visible: bool
    removable: bool

    @property
    def address(self) -> str:
        """Where it opens."""
        if self.layout is Layout.BOARD:
            return f"/tracker/board?{self.query}" if self.query else "/tracker/board"
        every = "" if "status=" in self.query else "status="  # a list that says nothing of it shows what is open
        return f"/tracker?{'&'.join(part for part in (self.query, every) if part)}"


def list_views(*, actor: Actor) -> tuple[ViewRow, ...]:
    """The actor's own views and the shared ones, by name. One query."""
    company_read_by(actor)
    own = Q(owner_name=actor.author.name, owner_kind=actor.author.kind.value)
    rows = SavedView.objects.filter(own | Q(shared=True)).order_by("name", "id")
    return tuple(view_row(row, actor=actor) for row in rows)


def view_row(row: SavedView, *, actor: Actor) -> ViewRow:
    """A view as its reader gets it."""
    owner = Author(name=row.owner_name, kind=ActorKind(row.owner_kind))
    own = owner == actor.author
    return ViewRow(
        id=row.pk,
        name=row.name,
        query=row.query,
        layout=Layout(row.layout),
        shared=row.shared,
        owner=owner,
        visible=own or row.shared,
        removable=own or (row.shared and actor.is_admin),
    )
