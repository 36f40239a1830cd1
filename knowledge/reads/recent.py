"""What changed lately, over all spaces."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from company import live
from company.rules.actors import Actor, ActorKind, Author
from knowledge.models import Page, Revision, RevisionState
from knowledge.reads.visibility import visible_to
from knowledge.rules.authority import Act, Ground, require_act

_LOOKED_AT = 200


@dataclass(frozen=True, kw_only=True)
class RecentChange:
    """The newest revision of a page: what it is called now, and who saved it with which note."""

    page_id: int
    container: str
    title: str
    version: int
    message: str
    author: Author
    at: datetime


def recent_changes(*, actor: Actor, limit: int) -> tuple[RecentChange, ...]:
    """The pages saved last that the actor sees, each once, newest first; at most `limit`.

    Looks at the last revisions of the whole company and not at every page, so that its cost does not grow. Two queries.
    """
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    newest: dict[int, Revision] = {}
    published = Revision.objects.filter(state=RevisionState.PUBLISHED)
    for revision in published.order_by("-id").defer("body")[:_LOOKED_AT]:
        newest.setdefault(revision.page_id, revision)
    seen = {
        page["id"]: page
        for page in Page.objects.filter(visible_to(actor, live.current()), pk__in=list(newest)).values(
            "id", "container", "title"
        )
    }
    changes = [
        RecentChange(
            page_id=page_id,
            container=seen[page_id]["container"],
            title=seen[page_id]["title"],
            version=revision.version,
            message=revision.message,
            author=Author(name=revision.author_name, kind=ActorKind(revision.author_kind)),
            at=revision.created_at,
        )
        for page_id, revision in newest.items()
        if page_id in seen
    ]
    return tuple(changes[:limit])
