"""Reads the change log in commit order, losing nothing and waiting for nothing.

Serial ids have gaps that fill in late: a row of a transaction that commits after its neighbours appears behind a
reader that only kept the highest id. So the position is a transaction id, the *frontier*: every transaction below
it has ended, whatever it wrote was handed out, and nothing can appear below it any more. Rows above the frontier
are handed out as soon as they are visible and remembered one by one, until the frontier has passed them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from company.models.changes import Change, ChangeLogStart

ROWS_A_QUERY = 500


@dataclass(frozen=True, kw_only=True)
class News:
    """What a read found: the changes nobody was handed before, oldest first.

    `replaced` says that the log cannot tell what changed: this is another database than before (its transaction ids
    went back, as after a restore), or the place that was kept lies before what the log still holds. Whoever keeps
    something made from it has to read everything again.
    """

    changes: tuple[Change, ...]
    replaced: bool = False


class ChangeReader:
    """One reader's place in the log. Not for use by two threads at once."""

    def __init__(self, *, position: int | None = None) -> None:
        """Begin at a `position` that was kept, else at the first `read`, with what is settled by then behind it."""
        self._position = position
        self._is_kept = position is not None
        self._handed_out: frozenset[int] = frozenset()

    @property
    def position(self) -> int | None:
        """The transaction id below which everything was handed out; None before the first read.

        Whoever keeps it and starts again from it is handed everything newer, perhaps some of it twice.
        """
        return self._position

    @property
    def is_settled(self) -> bool:
        """Whether the position stands behind everything that was handed out."""
        return not self._handed_out

    def read(self) -> News:
        """The changes that became visible since the last read. Two queries, and one more for every 500 rows; one more
        for the first read from a place that was kept.

        A transaction that stays open for long holds the frontier back, and the rows above it are read again each
        time (and handed out once): nothing is lost, at the price of those reads.
        """
        # The frontier is read first. Whatever ended below it is visible to every later query, so moving up to it
        # after reading the rows can skip nothing.
        frontier = settled_below()
        replaced = self._position is not None and (frontier < self._position or self._begins_before_the_log())
        if self._position is None or replaced:
            self._position, self._handed_out = frontier, frozenset()
        news: list[Change] = []
        seen_above: set[int] = set()
        for change in _rows_from(self._position):
            if change.pk not in self._handed_out:
                news.append(change)
            if change.xid >= frontier:
                seen_above.add(change.pk)
        self._position, self._handed_out = frontier, frozenset(seen_above)
        return News(changes=tuple(news), replaced=replaced)

    def _begins_before_the_log(self) -> bool:
        """Whether rows at or above a place that was kept have been forgotten since; asked once."""
        asked, self._is_kept = self._is_kept, False
        return asked and ChangeLogStart.objects.filter(xid__gt=self._position).exists()


def settled_below() -> int:
    """The transaction id below which every transaction has ended, committed or not."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        row: tuple[int] = cursor.fetchone()
    return row[0]


def _rows_from(position: int) -> Iterator[Change]:
    """Every visible row written at or above `position`, in commit order, a window at a time."""
    window = Q(xid__gte=position)
    while True:
        rows = list(Change.objects.filter(window).order_by("xid", "id")[:ROWS_A_QUERY])
        yield from rows
        if len(rows) < ROWS_A_QUERY:
            return
        last = rows[-1]
        window = Q(xid__gte=last.xid) & (Q(xid__gt=last.xid) | Q(id__gt=last.pk))
