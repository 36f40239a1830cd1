"""A board: the columns of the statuses, each with its first items. Two queries, whatever the columns hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Case, Count, F, Q, Value, When, Window
from django.db.models.functions import RowNumber

from company.rules.actors import Actor
from tracker.reads.lists import narrowed
from tracker.reads.rows import company_read_by, read_rows, row_of
from tracker.reads.shapes import ItemRow
from tracker.rules.filters import Filters
from tracker.rules.vocabulary import OPEN, Status

A_COLUMN = 50
"""How many items of a column are shown; the rest of it is a list."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A status with its first items: what presses most of what is open, what ended last of what is finished."""

    status: Status
    items: tuple[ItemRow, ...]
    total: int

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.total - len(self.items)


def board_of(*, actor: Actor, filters: Filters, statuses: Sequence[Status], at_most: int = A_COLUMN) -> list[Column]:
    """The columns of `statuses`, of the items that pass the filters."""
    company = company_read_by(actor)
    items = narrowed(filters, actor=actor, company=company)
    totals = dict(items.filter(status__in=statuses).order_by().values_list("status").annotate(number=Count("pk")))
    is_open = When(status__in=OPEN, then=F("priority_rank"))
    ended = Case(When(status__in=OPEN, then=None), default=F("status_at"))
    placed = items.filter(status__in=statuses).annotate(
        place=Window(
            RowNumber(),
            partition_by=F("status"),
            order_by=[Case(is_open, default=Value(0)).asc(), ended.desc(nulls_last=True), F("id").asc()],
        )
    )
    first = placed.filter(Q(place__lte=at_most)).order_by("place")
    columns: dict[Status, list[ItemRow]] = {status: [] for status in statuses}
    for row in read_rows(first, "place"):
        columns[Status(row["status"])].append(row_of(row, company=company))
    return [
        Column(status=status, items=tuple(found), total=totals.get(status.value, 0))
        for status, found in columns.items()
    ]
