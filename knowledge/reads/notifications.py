"""Reads of a seat's own notifications. Nobody reads another seat's, an administrator included."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from company.rules.actors import Actor, ActorKind, Author
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import Notification, PageStatus
from knowledge.rules.authority import Act, Ground, require_act
from knowledge.rules.news import What

CURSOR_WIDTH = 2


@dataclass(frozen=True, kw_only=True)
class NotificationView:
    """What others did to a page within an hour: `count` changes by `actors`; `read_at` is None until it is read."""

    id: int
    page_id: int
    title: str
    container: str
    trashed: bool
    count: int
    actors: tuple[Author, ...]
    what: tuple[What, ...]
    last_at: datetime
    read_at: datetime | None

    @property
    def words(self) -> tuple[str, ...]:
        """What was done, in words that follow the names of those who did it."""
        return tuple(word for word in self.what if word is not What.MENTIONED) or ("wrote",)

    @property
    def mentions_you(self) -> bool:
        """Whether one of the changes names the seat."""
        return What.MENTIONED in self.what

    @property
    def talks(self) -> bool:
        """Whether something was said about the page."""
        return What.COMMENTED in self.what


@dataclass(frozen=True, kw_only=True)
class Inbox:
    """One window of a seat's notifications, and how many in all it has not read."""

    listing: Listing[NotificationView]
    unread: int


def list_notifications(*, actor: Actor, window: Window, unread: bool = False) -> Inbox:
    """The notifications of the actor's seat, latest first; with `unread`, those alone. Three queries.

    A credential without a seat is told nothing, so its inbox is empty.
    """
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    if actor.seat is None:
        return Inbox(listing=Listing(results=(), total=0), unread=0)
    own = Notification.objects.filter(seat=actor.seat)
    not_read = own.filter(read_at=None).count()
    listed = own.filter(read_at=None) if unread else own
    total = not_read if unread else listed.count()
    rows = list(
        listed.filter(_after(window)).select_related("page").only(
            "count", "actors", "what", "last_at", "read_at", "page__title", "page__container", "page__status"
        ).order_by("-last_at", "-pk")[: window.limit + 1]
    )  # fmt: skip
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].last_at.isoformat(), rows[-1].pk))
    return Inbox(listing=Listing(results=tuple(_view(row) for row in rows), total=total, after=cursor), unread=not_read)


def count_unread(actor: Actor) -> int:
    """How many notifications the actor's seat has not read; one query, none without a seat."""
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    if actor.seat is None:
        return 0
    return Notification.objects.filter(seat=actor.seat, read_at=None).count()


def _view(row: Notification) -> NotificationView:
    return NotificationView(
        id=row.pk,
        page_id=row.page_id,
        title=row.page.title,
        container=row.page.container,
        trashed=row.page.status == PageStatus.TRASHED,
        count=row.count,
        actors=tuple(Author(name=actor["name"], kind=ActorKind(actor["kind"])) for actor in row.actors),
        what=tuple(What(word) for word in row.what),
        last_at=row.last_at,
        read_at=row.read_at,
    )


def _after(window: Window) -> Q:
    if window.after is None:
        return Q()
    moment, last_id = window.after
    try:
        last = datetime.fromisoformat(moment) if type(moment) is str else None
    except ValueError:
        last = None
    if last is None or last.tzinfo is None or type(last_id) is not int:
        raise Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
    return Q(last_at__lt=last) | Q(last_at=last, pk__lt=last_id)
