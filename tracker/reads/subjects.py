"""Items as comments and notifications name them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from company.rules.actors import Actor, ActorKind, Author, Permission
from knowledge.reads.subjects import Subject
from tracker.models import Item
from tracker.reads.refusals import not_found
from tracker.reads.rows import company_read_by
from tracker.rules.authority import may_see, standing_of

KIND = "item"


class ItemSubjects:
    """Every item."""

    kind = KIND

    def may_read(self, actor: Actor) -> bool:
        """Whether the actor holds the tracker."""
        return actor.holds(Permission.TRACKER)

    def require_readable(self, actor: Actor, subject_id: int) -> None:
        """Refuse whoever does not see an item. One query."""
        company = company_read_by(actor)
        row = Item.objects.filter(pk=subject_id).only("project", "author_name", "author_kind", "trashed_at").first()
        if row is None:
            raise not_found()
        author = Author(name=row.author_name, kind=ActorKind(row.author_kind))
        standing = standing_of(actor=actor, company=company, project=row.project, author=author)
        if not may_see(actor=actor, standing=standing, trashed=row.trashed_at is not None):
            raise not_found()

    def named(self, subject_ids: Collection[int]) -> Mapping[int, Subject]:
        """The items by their ids."""
        rows = Item.objects.filter(pk__in=subject_ids).values_list("pk", "title", "project", "key", "trashed_at")
        return {
            item_id: Subject(
                title=title,
                place=project,
                key=key,
                address=f"/tracker/items/{key}",
                trashed=trashed_at is not None,
            )
            for item_id, title, project, key, trashed_at in rows
        }
