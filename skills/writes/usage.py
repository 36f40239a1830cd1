"""Counts how often skills are offered, loaded and blocked: one statement for whatever one act counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db import connection
from django.utils import timezone

from company.rules.chart import Company
from company.rules.days import company_day


class Counted(StrEnum):
    """What is counted; the column of the same name."""

    OFFERED = "offered"
    LOADED = "loaded"
    BLOCKED = "blocked"


@dataclass(frozen=True, kw_only=True)
class UsedSkill:
    """The page a skill is read from, and the key it has now."""

    page_id: int
    key: str


# Rows are locked in one order, so that two sessions of a seat that count the same skills do not wait for each other.
_ADD = """
INSERT INTO skills_skillusage (page_id, key, seat, day, offered, loaded, blocked, last_at)
SELECT used.page_id, used.key, %(seat)s, %(day)s, %(offered)s, %(loaded)s, %(blocked)s, %(now)s
FROM unnest(%(page_ids)s::bigint[], %(keys)s::text[]) AS used (page_id, key)
ORDER BY used.page_id, used.key
ON CONFLICT (page_id, key, seat, day) DO UPDATE SET
    offered = skills_skillusage.offered + excluded.offered,
    loaded = skills_skillusage.loaded + excluded.loaded,
    blocked = skills_skillusage.blocked + excluded.blocked,
    last_at = greatest(skills_skillusage.last_at, excluded.last_at)
"""


def count_usage(*, company: Company, seat: str, counted: Counted, skills: Iterable[UsedSkill]) -> None:
    """Add one to each skill's count for a seat today; part of the caller's transaction."""
    used = {(skill.page_id, skill.key) for skill in skills}
    if not used:
        return
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            _ADD,
            {
                "seat": seat,
                "day": company_day(company, now),
                "now": now,
                "page_ids": [page_id for page_id, _ in used],
                "keys": [key for _, key in used],
                **{column.value: int(column is counted) for column in Counted},
            },
        )
