"""Reads of a seat's own notifications. Nobody reads another seat's, an administrator included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from company.rules.actors import Actor, ActorKind, Author, Permission
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import Notification, Page, PageStatus, PruningPass
from knowledge.models.talk import PAGE
from knowledge.reads.subjects import Subject, kinds_read_by, subjects_of
from knowledge.rules.authority import Act, Ground, require_act
from knowledge.rules.news import What

CURSOR_WIDTH = 2


@dataclass(frozen=True, kw_only=True)
class NotificationView:
    """What others did to a page, or a thing of another app, within an hour: `count` changes by `actors`; `read_at` is
    None until it is read. `page_id` is None and `key` is set for what is no page; `address` is its screen."""

    id: int
    kind: str
    page_id: int | None
    key: str | None
    title: str
    container: str
    address: str
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
class Pruning:
    """The last pass of the duty that removes old notifications."""

    ended_at: datetime
    removed: int


@dataclass(frozen=True, kw_only=True)
class Inbox:
    """One window of a seat's notifications, and how many in all it has not read."""

    listing: Listing[NotificationView]
    unread: int


def list_notifications(*, actor: Actor, window: Window, unread: bool = False) -> Inbox:
    """The notifications of the actor's seat, latest first; with `unread`, those alone. Three queries, and one for each
    kind of things that are no pages among them.

    A credential without a seat is told nothing, so its inbox is empty.
    """
    kinds = kinds_told_to(actor)
    if actor.seat is None:
        return Inbox(listing=Listing(results=(), total=0), unread=0)
    own = Notification.objects.filter(seat=actor.seat, kind__in=kinds)
    not_read = own.filter(read_at=None).count()
    listed = own.filter(read_at=None) if unread else own
    total = not_read if unread else listed.count()
    rows = list(
        listed.filter(_after(window)).select_related("page").only(
            "kind", "subject_id", "count", "actors", "what", "last_at", "read_at",
            "page__title", "page__container", "page__status",
        ).order_by("-last_at", "-pk")[: window.limit + 1]
    )  # fmt: skip
    cursor = None
    if len(rows) > window.limit:
        rows.pop()
        cursor = encode_cursor((rows[-1].last_at.isoformat(), rows[-1].pk))
    results = tuple(_view(row, named) for row, named in zip(rows, _named(rows), strict=True))
    return Inbox(listing=Listing(results=results, total=total, after=cursor), unread=not_read)


def last_pruning() -> Pruning | None:
    """When old notifications were last removed, and how many; None before the first time. One query."""
    last = PruningPass.objects.first()
    return Pruning(ended_at=last.ended_at, removed=last.removed) if last is not None else None


def count_unread(actor: Actor) -> int:
    """How many notifications the actor's seat has not read; one query, none without a seat."""
    kinds = kinds_told_to(actor)
    if actor.seat is None:
        return 0
    return Notification.objects.filter(seat=actor.seat, kind__in=kinds, read_at=None).count()


def kinds_told_to(actor: Actor) -> list[str]:
    """The kinds of things the actor hears of: those of the apps they hold. Whoever holds none is refused as a reader of
    pages is."""
    others = [*kinds_read_by(actor)]
    if others and not actor.holds(Permission.KNOWLEDGE):
        return others
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    return [PAGE, *others]


def _named(rows: Sequence[Notification]) -> list[Subject]:
    """What each row is about. One query for each kind of things that are no pages."""
    wanted: dict[str, set[int]] = {}
    for row in rows:
        if row.subject_id is not None:
            wanted.setdefault(row.kind, set()).add(row.subject_id)
    found = {kind: subjects_of(kind).named(ids) for kind, ids in wanted.items()}
    return [
        _page(row.page) if row.page is not None else found[row.kind].get(row.subject_id or 0, _GONE) for row in rows
    ]


_GONE = Subject(title="Something that is gone", place="", key="", address="", trashed=True)


def _page(page: Page) -> Subject:
    return Subject(
        title=page.title,
        place=page.container,
        key="",
        address=f"/knowledge/pages/{page.pk}",
        trashed=page.status == PageStatus.TRASHED,
    )


def _view(row: Notification, named: Subject) -> NotificationView:
    return NotificationView(
        id=row.pk,
        kind=row.kind,
        page_id=row.page_id,
        key=named.key or None,
        title=named.title,
        container=named.place,
        address=named.address,
        trashed=named.trashed,
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
