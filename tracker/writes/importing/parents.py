"""Putting the rows of a batch under the items they name: rows of the same batch, rows of before, or keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from tracker.models import Item
from tracker.rules.importing import Line, Row, Verdict
from tracker.writes.items.holding import check_depth, parent_of, upwards


class Parents:
    """What rows of one batch name as their parent, each looked up once. The shape of the tracker is held.

    `known` are the items of rows that came in before, by identity.
    """

    def __init__(self, *, actor: Actor, company: Company, known: Mapping[str, int]) -> None:
        self._actor = actor
        self._company = company
        self._known = known
        self._depths: dict[str, int] = {}
        self._unmade: set[str] = set()
        self._made: dict[str, Item] = {}
        self._found: dict[str, Item] = {}

    def sort_out(self, rows: Sequence[Row]) -> tuple[list[Row], list[Line]]:
        """The new rows that can be filed, and what is said of those whose parent is none."""
        fit: list[Row] = []
        lines: list[Line] = []
        for row in rows:
            try:
                self._depths[row.identity] = self._depth_under(row.parent)
            except Refused as refused:
                reason = refused.problems[0].detail
                lines.append(Line(line=row.line, verdict=Verdict.REFUSED, field="parent", reason=reason))
            else:
                fit.append(row)
                self._unmade.add(row.identity)
        return fit, lines

    def put_under(self, made: Sequence[tuple[Row, Item]]) -> None:
        """Put items that were just created where their rows say."""
        self._made = {row.identity: item for row, item in made}
        self._unmade.clear()
        placed = [(item, row.parent) for row, item in made if row.parent]
        for item, name in placed:
            item.parent = self._found.get(name) or self._made[name]
        Item.objects.bulk_update([item for item, _ in placed], ["parent"])

    def above(self, name: str, *, item: Item) -> int | None:
        """The id of what an item that is there goes under; None for nothing, or for a row that is not filed yet."""
        if not name or name in self._unmade:
            return None
        made = self._made.get(name)
        return self._look_up(name, made.key if made is not None else None, item=item).pk

    def _depth_under(self, name: str | None) -> int:
        """How many stand above a row with this parent."""
        if not name:
            return 0
        if name not in self._depths:
            self._found[name] = self._look_up(name, None, item=None)
            self._depths[name] = len(upwards(self._found[name])) - 1
        above = self._depths[name] + 1
        check_depth(above)
        return above

    def _look_up(self, name: str, key: str | None, *, item: Item | None) -> Item:
        if key is None:
            known = self._known.get(name)
            key = Item.objects.filter(pk=known).values_list("key", flat=True).first() if known is not None else name
        found = parent_of(key or name, item=item, actor=self._actor, company=self._company)
        if found is None:
            raise Refused(Code.PARENT_INVALID, "Name what this item is put under.", attr="parent")
        return found
