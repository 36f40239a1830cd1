"""Whether a container's row is written: the company's spaces as rows, named by the revision activated last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from company.rules.chart import Space


@dataclass(frozen=True, kw_only=True)
class Stamp:
    """What a row says of its space, and when the revision that said so was activated."""

    name: str
    purpose: str
    kind: str
    chart_epoch: datetime


class Verdict(StrEnum):
    """What becomes of a row: it is made, written again, or left as it is."""

    MADE = "made"
    STAMPED = "stamped"
    KEPT = "kept"


def stamp_of(space: Space, *, activated_at: datetime) -> Stamp:
    """What the row of a space says under a revision activated at `activated_at`."""
    return Stamp(name=space.name, purpose=space.purpose, kind=space.kind.value, chart_epoch=activated_at)


def judge(row: Stamp | None, wanted: Stamp) -> Verdict:
    """A later activation writes, even over a row that says the same, so that no activation between the two gets in.

    An earlier one leaves the row alone, and the same one writes only what differs.
    """
    if row is None:
        return Verdict.MADE
    if row.chart_epoch > wanted.chart_epoch or row == wanted:
        return Verdict.KEPT
    return Verdict.STAMPED
