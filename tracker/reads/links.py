"""Items that link to a page, for the listing of what does; and the pages that link to an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from company import live
from company.rules.actors import Actor, Permission
from knowledge.models import Page, PageItemLink
from knowledge.reads.links import Backlink, Place
from knowledge.reads.visibility import visible_to
from tracker.models import Item
from tracker.reads.lists import about_page
from tracker.reads.rows import living
from tracker.reads.subjects import KIND

PAGES = 50
"""How many pages that link to an item are shown beside it."""


@dataclass(frozen=True, kw_only=True)
class PageThatLinks:
    """A page whose body links to an item."""

    id: int
    title: str
    container: str


def pages_linking_to(key: str, *, actor: Actor, origins: Sequence[str]) -> tuple[PageThatLinks, ...]:
    """The first pages that link to an item, of those the actor sees, by container and title. One query."""
    links = PageItemLink.objects.filter(key=key, origin__in=["", *origins])
    pages = Page.objects.filter(visible_to(actor, live.current()), pk__in=links.values("source"))
    rows = pages.order_by("container", "address", "id").values("id", "title", "container")[:PAGES]
    return tuple(PageThatLinks(**row) for row in rows)


class ItemSources:
    """Items that name a page in their description or by a relation; one in the trash drops out until it is restored."""

    kind = KIND

    def count(self, *, actor: Actor, page_id: int, origins: Sequence[str]) -> int:
        """How many items link to the page; none for whoever does not hold the tracker."""
        return self._linking(page_id, origins).count() if actor.holds(Permission.TRACKER) else 0

    def rows(
        self, *, actor: Actor, page_id: int, origins: Sequence[str], after: Place | None, limit: int
    ) -> list[tuple[Place, Backlink]]:
        """Items by project and in the order they were filed."""
        linking = self._linking(page_id, origins)
        if after is not None:
            linking = linking.filter(Q(project__gt=after.group) | Q(project=after.group, id__gt=after.id))
        rows = linking.order_by("project", "id").values("id", "key", "project", "title")
        return [
            (
                Place(group=row["project"], name=row["key"], id=row["id"]),
                Backlink(kind=KIND, id=row["id"], key=row["key"], title=row["title"], container=row["project"]),
            )
            for row in rows[:limit]
        ]

    def _linking(self, page_id: int, origins: Sequence[str]) -> QuerySet[Item]:
        return Item.objects.filter(living() & about_page(page_id, origins=tuple(origins)))
