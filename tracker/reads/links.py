"""Items that link to a page, for the listing of what does."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from company.rules.actors import Actor, Permission
from knowledge.reads.links import Backlink, Place
from tracker.models import Item
from tracker.reads.lists import about_page
from tracker.reads.rows import living
from tracker.reads.subjects import KIND


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
