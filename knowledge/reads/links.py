"""What links to a page, and which of the pages a text links to are gone. Narrowed by the actor.

Pages are one kind of source. An app above this one that keeps links of its own registers its kind here, and the
listing goes through the kinds in the order of their registration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import connection
from django.db.models import Q, QuerySet

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import Page, PageLink, PageStatus
from knowledge.reads.levels import sees_row
from knowledge.reads.pages import require_readable
from knowledge.reads.visibility import visible_to
from knowledge.rules.markdown import Gone

CURSOR_WIDTH = 4

_FACTS = ("container", "status", "author_name", "author_kind")
_STANDING = "SELECT id, container, status, author_name, author_kind FROM knowledge_page WHERE id = ANY(%s)"


@dataclass(frozen=True, kw_only=True)
class Backlink:
    """Something that links to a page. `key` is an item's; a page has none."""

    kind: str
    id: int
    title: str
    container: str
    key: str | None = None


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a source stands in the listing of its kind."""

    group: str
    name: str
    id: int


class Sources(Protocol):
    """One kind of things that link to pages."""

    kind: str

    def count(self, *, actor: Actor, page_id: int, origins: Sequence[str]) -> int:
        """How many of them link to the page, of those the actor sees."""

    def rows(
        self, *, actor: Actor, page_id: int, origins: Sequence[str], after: Place | None, limit: int
    ) -> list[tuple[Place, Backlink]]:
        """The first of them after a place, each with its own."""


class PageSources:
    """Pages that link to a page; one in the trash drops out until it is restored."""

    kind = "page"

    def count(self, *, actor: Actor, page_id: int, origins: Sequence[str]) -> int:
        """How many pages link to the page."""
        return self._linking(actor, page_id, origins).count()

    def rows(
        self, *, actor: Actor, page_id: int, origins: Sequence[str], after: Place | None, limit: int
    ) -> list[tuple[Place, Backlink]]:
        """Pages by container and title."""
        linking = self._linking(actor, page_id, origins)
        if after is not None:
            behind = Q(address__gt=after.name) | Q(address=after.name, id__gt=after.id)
            linking = linking.filter(Q(container__gt=after.group) | Q(container=after.group) & behind)
        rows = linking.order_by("container", "address", "id").values("id", "container", "address", "title")
        return [
            (
                Place(group=row["container"], name=row["address"], id=row["id"]),
                Backlink(kind=self.kind, id=row["id"], title=row["title"], container=row["container"]),
            )
            for row in rows[:limit]
        ]

    def _linking(self, actor: Actor, page_id: int, origins: Sequence[str]) -> QuerySet[Page]:
        links = PageLink.objects.filter(target=page_id, origin__in=["", *origins])
        return Page.objects.filter(visible_to(actor, live.current()), pk__in=links.values("source")).exclude(pk=page_id)


_kinds: dict[str, Sources] = {PageSources.kind: PageSources()}


def register(sources: Sources) -> None:
    """List another kind of sources, after those that are listed already."""
    _kinds[sources.kind] = sources


def others_link(*, actor: Actor, page_id: int, origins: Sequence[str]) -> bool:
    """Whether anything that is no page links to a page. A query for each other kind the actor may see."""
    others = (sources for kind, sources in _kinds.items() if kind != PageSources.kind)
    return any(sources.count(actor=actor, page_id=page_id, origins=origins) for sources in others)


def list_backlinks(*, actor: Actor, page_id: int, origins: Sequence[str], window: Window) -> Listing[Backlink]:
    """What links to a page, without the page itself; `not_found` as for the page.

    `origins` are the addresses this app is reached by: an absolute link counts where its address is one of them.
    """
    require_readable(actor, page_id)
    return backlinks_of(actor=actor, page_id=page_id, origins=origins, window=window)


def backlinks_of(*, actor: Actor, page_id: int, origins: Sequence[str], window: Window) -> Listing[Backlink]:
    """`list_backlinks` for a page the actor has been shown already. One query a kind, another where there are any."""
    kind, after = _place(window)
    total = 0
    found: list[tuple[Place, Backlink]] = []
    begun = kind is None
    for name, sources in _kinds.items():
        number = sources.count(actor=actor, page_id=page_id, origins=origins)
        total += number
        begun = begun or name == kind
        room = window.limit + 1 - len(found)
        if begun and room and number:
            here = after if name == kind else None
            found += sources.rows(actor=actor, page_id=page_id, origins=origins, after=here, limit=room)
    cursor = None
    if len(found) > window.limit:
        found.pop()
        place, last = found[-1]
        cursor = encode_cursor((last.kind, place.group, place.name, place.id))
    return Listing(results=tuple(link for _, link in found), total=total, after=cursor)


def gone_among(page_ids: Iterable[int], *, actor: Actor) -> dict[int, Gone]:
    """Which of these pages are in the trash or not there for the actor. One query, none for no page."""
    asked = set(page_ids)
    if not asked:
        return {}
    company = live.current()
    gone = dict.fromkeys(asked, Gone.NOWHERE)
    with connection.cursor() as cursor:  # written out, as a page view asks it each time
        cursor.execute(_STANDING, [list(asked)])
        for page_id, *facts in cursor:
            row = dict(zip(_FACTS, facts, strict=True))
            if row["status"] == PageStatus.TRASHED:
                gone[page_id] = Gone.TRASH
            elif sees_row(row, actor=actor, company=company):
                del gone[page_id]
    return gone


def _place(window: Window) -> tuple[str | None, Place | None]:
    if window.after is None:
        return None, None
    kind, group, name, place_id = window.after
    if not (
        isinstance(kind, str)
        and kind in _kinds
        and isinstance(group, str)
        and isinstance(name, str)
        and isinstance(place_id, int)
    ):
        raise Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
    return kind, Place(group=group, name=name, id=place_id)
