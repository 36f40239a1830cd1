"""Asking the search on behalf of an actor: who may, what may be asked, and that a seat's reading is recorded."""

from __future__ import annotations

from django.db import transaction

from company.rules.actors import Actor
from company.rules.chart import Backend
from company.rules.occasions import NO_OCCASION, Occasion
from knowledge.rules.authority import Act, Ground, require_act
from knowledge.search.native import native_searcher
from knowledge.search.rules.outcome import Mode
from knowledge.search.rules.queries import checked
from knowledge.search.seam import DEFAULT_LIMIT, UNSUPPORTED, Found, Query, searcher
from knowledge.writes.reading import PageRead, Via, record_read


def search_pages(
    *,
    actor: Actor,
    text: str,
    mode: Mode = Mode.HYBRID,
    container: str | None = None,
    limit: int = DEFAULT_LIMIT,
    occasion: Occasion = NO_OCCASION,
) -> Found:
    """The pages that answer `text`, best first, and the outcome. What a seat was shown is recorded as read by it.

    Refuses: `scope_missing`, `forbidden`; `required`, `invalid` or `too_long` for a text that cannot be asked.
    """
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    asked = checked(text)
    found = searcher().search(Query(text=asked, seat=actor.seat, mode=mode, container=container, limit=limit))
    if found.hits and actor.own_seat is not None:
        with transaction.atomic():
            record_read(
                seat=actor.own_seat,
                via=Via.SEARCH,
                query=asked,
                occasion=occasion,
                pages=[
                    PageRead(id=hit.page_id, container=hit.container, title=hit.title, rank=hit.rank)
                    for hit in found.hits
                ],
            )
    return found


def find_titles(*, actor: Actor, text: str, limit: int = DEFAULT_LIMIT) -> Found:
    """Pages by their titles while somebody types: no vector is computed and nothing is recorded. Refuses as above."""
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    asked = checked(text)
    if searcher().backend is not Backend.NATIVE:
        return Found(outcome=UNSUPPORTED)
    return native_searcher().titles(asked, limit=limit)
