"""Telling seats what others did to a page, and marking it read.

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
from company.rules.actors import Actor, Permission
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.rules.windows import MAX_LIMIT
from knowledge.models import Notification, Page, PageStatus
from knowledge.rules.authority import Act, Ground, require_act
from knowledge.rules.news import What, audience

_BUNDLE = """
INSERT INTO knowledge_notification AS kept (seat, page_id, hour, count, actors, what, last_at)
SELECT told.seat, told.page_id, %(hour)s, 1, %(actors)s::jsonb, string_to_array(told.what, ',')::varchar[], %(now)s
FROM unnest(%(seats)s::text[], %(pages)s::bigint[], %(what)s::text[]) AS told (seat, page_id, what)
ORDER BY told.seat
ON CONFLICT (seat, page_id, hour) DO UPDATE SET
    count = kept.count + 1,
    actors = CASE WHEN kept.actors @> excluded.actors THEN kept.actors ELSE kept.actors || excluded.actors END,
    what = kept.what || ARRAY(SELECT word FROM unnest(excluded.what) AS word WHERE word <> ALL (kept.what)),
    last_at = GREATEST(kept.last_at, excluded.last_at),
    read_at = NULL
"""


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
        require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
        if actor.seat is None:
            return Marked(read=0, unread=0)
        unread = Notification.objects.filter(seat=actor.seat, read_at=None)
        chosen = unread if ids is None else unread.filter(pk__in=ids)
        read = chosen.update(read_at=timezone.now())
        return Marked(read=read, unread=unread.count())


def _write(heard: Mapping[str, tuple[int, tuple[What, ...]]], *, actor: Actor) -> None:
    """Write one row more, or one change more into the row of this hour, for each seat."""
    if not heard:
        return
    now = timezone.now()
    seats = sorted(heard)
    with connection.cursor() as cursor:
        cursor.execute(
            _BUNDLE,
            {
                "seats": seats,
                "pages": [heard[seat][0] for seat in seats],
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
    seats |= {seat.handle for seat in company.seats if Permission.ADMIN in seat.permissions}
    administrators = Person.objects.filter(is_active=True, permissions__contains=[Permission.ADMIN.value])
    return frozenset(seats) | {seat for seat in administrators.values_list("seat", flat=True) if seat is not None}
