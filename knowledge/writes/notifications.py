"""Telling seats what others did to a page or a thing of another app, and marking it read.

Telling is part of the transaction of the write it tells of, and is called where every write of a page is recorded. One
statement writes for everybody, however many they are, in the order of their handles, so that two tellers never wait
for each other.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from company import live
from company.models.credentials import Person
from company.rules.actors import Actor, ActorKind, Author, Permission
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.rules.windows import MAX_LIMIT
from knowledge.models import Notification, Page, PageStatus
from knowledge.models.talk import PAGE
from knowledge.reads.notifications import kinds_told_to
from knowledge.rules.news import What, audience

_BUNDLE = """
INSERT INTO knowledge_notification AS kept (seat, kind, {about}, hour, count, actors, what, last_at)
SELECT told.seat, %(kind)s, told.about, %(hour)s, 1, %(actors)s::jsonb, string_to_array(told.what, ',')::varchar[],
       %(now)s
FROM unnest(%(seats)s::text[], %(about)s::bigint[], %(what)s::text[]) AS told (seat, about, what)
ORDER BY told.seat
ON CONFLICT (seat, {unique}, hour) DO UPDATE SET
    count = kept.count + 1,
    actors = CASE WHEN kept.actors @> excluded.actors THEN kept.actors ELSE kept.actors || excluded.actors END,
    what = kept.what || ARRAY(SELECT word FROM unnest(excluded.what) AS word WHERE word <> ALL (kept.what)),
    last_at = GREATEST(kept.last_at, excluded.last_at),
    read_at = NULL
"""
_BUNDLE_PAGES = _BUNDLE.format(about="page_id", unique="page_id")
_BUNDLE_OTHERS = _BUNDLE.format(about="subject_id", unique="kind, subject_id")


@dataclass(frozen=True, kw_only=True)
class Marked:
    """How many notifications were marked read now, and how many the seat has not read yet."""

    read: int
    unread: int


def tell(
    *,
    actor: Actor,
    page: Page,
    what: What,
    mentioned: Collection[str] = (),
    beneath: Sequence[int] = (),
    was_container: str = "",
) -> None:
    """Tell whoever hears of `what` the actor did to `page` (`knowledge.rules.news` decides who).

    Those who watch only pages `beneath` it, which came along, are told of the first of those. Nobody is told twice.
    """
    company = live.current()
    heard = {
        seat: (page.pk, words)
        for seat, words in audience(
            what,
            company=company,
            by=actor.seat,
            containers=[page.container, *([was_container] if was_container else [])],
            watchers=page.watchers,
            mentioned=mentioned,
            readers=_readers(page, company=company),
        ).items()
    }
    if beneath:
        order = {page_id: number for number, page_id in enumerate(beneath)}
        along = Page.objects.filter(pk__in=beneath).only(
            "container", "status", "trashed_from", "watchers", "author_name"
        )
        for one in sorted(along, key=lambda found: order[found.pk]):
            told = audience(
                what,
                company=company,
                by=actor.seat,
                containers=[one.container],
                watchers=one.watchers,
                readers=_readers(one, company=company),
            )
            for seat, words in told.items():
                heard.setdefault(seat, (one.pk, words))
    _write(heard, actor=actor)


def tell_mentioned(*, actor: Actor, page: Page, what: What, mentioned: Collection[str]) -> None:
    """Tell the seats a write mentions, where the write itself is no news: a new page, or a comment put better."""
    company = live.current()
    heard = audience(
        what,
        company=company,
        by=actor.seat,
        containers=[page.container],
        watchers=(),
        mentioned=mentioned,
        readers=_readers(page, company=company),
    )
    _write({seat: (page.pk, (What.MENTIONED,)) for seat in heard if seat in mentioned}, actor=actor)


def tell_about(kind: str, subject_id: int, *, actor: Actor, heard: Mapping[str, tuple[What, ...]]) -> None:
    """Tell each seat of `heard` as what it hears of a thing of another app, whose app has decided who hears of it."""
    _write({seat: (subject_id, words) for seat, words in heard.items()}, actor=actor, kind=kind)


def tell_administrators(*, actor: Actor, page: Page, what: What) -> None:
    """Tell every administrator who holds a seat, but the one who did it. An agent administers nothing."""
    company = live.current()
    people = {seat.handle for seat in company.seats if seat.kind is ActorKind.HUMAN}
    told = (_administrators(company) & people) - {actor.seat or ""}
    _write(dict.fromkeys(told, (page.pk, (what,))), actor=actor)


def tell_writer(*, actor: Actor, page: Page, what: What, writer: Author) -> None:
    """Tell the seat a text was written under, where it is a person's and not the one who did it."""
    seat = live.current().seat_by_handle.get(writer.name)
    if seat is not None and seat.kind is writer.kind is ActorKind.HUMAN and seat.handle != actor.seat:
        _write({seat.handle: (page.pk, (what,))}, actor=actor)


def mark_read(*, actor: Actor, ids: Sequence[int] | None = None, everything: bool = False) -> Marked:
    """Mark notifications of the actor's seat read: those with these `ids`, or `everything` that is unread.

    What was read before keeps its time; an id the seat has no notification of (any more) is no fault, since a purge
    takes them along. A credential without a seat has nothing to read. Refuses: `required` where nothing is asked,
    `invalid` for both at once, `too_long` above 500 ids, `forbidden`, `scope_missing`.
    """
    if ids is None and not everything:
        raise Refused(Code.REQUIRED, "Give the 'ids' that were read, or 'all': true.", attr="ids")
    if ids is not None and everything:
        raise Refused(Code.INVALID, "Give 'ids' or 'all', not both.", attr="all")
    if ids is not None and len(ids) > MAX_LIMIT:
        raise Refused(
            Code.TOO_LONG,
            f"'ids' names {len(ids)}; at most {MAX_LIMIT} are marked at once. Send the rest after them.",
            attr="ids",
            extras={"limit": MAX_LIMIT},
        )
    with transaction.atomic():
        live.current_for_write()
        kinds = kinds_told_to(actor)
        if actor.seat is None:
            return Marked(read=0, unread=0)
        unread = Notification.objects.filter(seat=actor.seat, kind__in=kinds, read_at=None)
        chosen = unread if ids is None else unread.filter(pk__in=ids)
        read = chosen.update(read_at=timezone.now())
        return Marked(read=read, unread=unread.count())


def _write(heard: Mapping[str, tuple[int, tuple[What, ...]]], *, actor: Actor, kind: str = PAGE) -> None:
    """Write one row more, or one change more into the row of this hour, for each seat."""
    if not heard:
        return
    now = timezone.now()
    seats = sorted(heard)
    with connection.cursor() as cursor:
        cursor.execute(
            _BUNDLE_PAGES if kind == PAGE else _BUNDLE_OTHERS,
            {
                "kind": kind,
                "seats": seats,
                "about": [heard[seat][0] for seat in seats],
                "what": [",".join(heard[seat][1]) for seat in seats],
                "actors": json.dumps([actor.author.as_dict()]),
                "hour": _hour(now),
                "now": now,
            },
        )


def _hour(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0)


def _readers(page: Page, *, company: Company) -> frozenset[str] | None:
    """The seats that see a draft (its author's, its lead's, administrators'); None for a page all readers see."""
    if PageStatus.DRAFT not in (page.status, page.trashed_from):
        return None
    space = company.space_by_key.get(page.container)
    seats = {page.author_name, *([space.led_by] if space is not None and space.led_by else [])}
    return frozenset(seats) | _administrators(company)


def _administrators(company: Company) -> frozenset[str]:
    """The seats that administer the company, by the document or because of who holds them."""
    seats = {seat.handle for seat in company.seats if Permission.ADMIN in seat.permissions}
    administrators = Person.objects.filter(is_active=True, permissions__contains=[Permission.ADMIN.value])
    return frozenset(seats) | {seat for seat in administrators.values_list("seat", flat=True) if seat is not None}
