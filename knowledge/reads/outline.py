"""The windows of an outline: one level at a time, from its top, on from a row, back from a row, or around a page.

A listing goes forward only. Whoever follows a deep link to the 1 800th page of a level wants the rows around it, and
then those before; so an outline's window says how to go on in both directions. What it costs does not depend on how
many pages the level or the space holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from company.rules.actors import Actor
from company.rules.windows import MAX_LIMIT, SortValue
from knowledge.reads.levels import (
    LISTED,
    ORDER,
    after_place,
    before_place,
    children_of,
    company_read_by,
    cursor_of,
    level_of,
    rows_of,
    shown_to,
)
from knowledge.reads.shapes import PageRow

LEAD = 50
"""How many rows before the page it was asked for a window shows, so that a reader sees where they are."""


_BACKWARDS = tuple(f"-{name}" for name in ORDER)


@dataclass(frozen=True, kw_only=True)
class LevelWindow:
    """Part of a level: its rows, how many the level has in all, and the cursors of the rows that go on either way.

    `earlier` is the place before which there are more rows, `later` the one after which there are; None at an end.
    """

    rows: tuple[PageRow, ...]
    total: int
    earlier: str | None = None
    later: str | None = None


@dataclass(frozen=True, kw_only=True)
class At:
    """Which window of a level: after a place, before a place, or around a page; the top without any of them."""

    after: tuple[SortValue, ...] | None = None
    before: tuple[SortValue, ...] | None = None
    around: int | None = None


def level_window(
    *,
    actor: Actor,
    container: str | None = None,
    parent: int | None = None,
    at: At | None = None,
    limit: int = MAX_LIMIT,
) -> LevelWindow:
    """A window of the pages under `parent`, or of those at the top of `container`.

    Around a page the window begins at the level's top where that reaches the page, else a little before it; a page that
    is not of this level counts for nothing. Refuses `not_found` for a parent the actor does not see. At most seven
    queries, four of them for a window that begins at the top or at a cursor.
    """
    company = company_read_by(actor)
    at = at or At()
    shown = shown_to(actor=actor, company=company, label=None, title=None, status=None)
    level, trail = level_of(
        shown, actor=actor, company=company, container=container, roots=parent is None, parent=parent
    )
    start = None
    if at.around is not None:
        place = level.filter(pk=at.around).values_list(*ORDER).first()
        if place is not None and level.filter(before_place(place)).count() >= limit:
            start = level.filter(before_place(place)).order_by(*_BACKWARDS).values_list(*ORDER)[LEAD]
    listed = level.values(*LISTED, under=children_of(shown))
    if at.before is not None:
        rows = list(listed.filter(before_place(at.before)).order_by(*_BACKWARDS)[: limit + 1])
        more_before, more_after = len(rows) > limit, False  # what comes after is on the screen already
        rows = rows[:limit][::-1]
    else:
        begin = at.after or start
        rows = list(listed.filter(after_place(begin)).order_by(*ORDER)[: limit + 1])
        more_before, more_after = start is not None, len(rows) > limit
        rows = rows[:limit]
    return LevelWindow(
        rows=rows_of(rows, trail=trail, actor=actor, company=company),
        total=level.count(),
        earlier=cursor_of(rows[0]) if more_before and rows else None,
        later=cursor_of(rows[-1]) if more_after else None,
    )
