"""Reads of the registry for the REST door: the tool skills served, and what is wrong with pages."""

from __future__ import annotations

from bisect import bisect_right

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_app
from company.rules.windows import Listing, SortValue, Window, encode_cursor
from skills import registry
from skills.reads.served import served_under
from skills.registry import ServedSkill
from skills.registry.findings import Finding, findings

CURSOR_WIDTH = 1
PROBLEMS_CURSOR_WIDTH = 2


def list_skills(*, actor: Actor, window: Window) -> Listing[ServedSkill]:
    """The tool skills served, by key. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    by_key = registry.current().by_key
    keys = list(by_key)
    start = bisect_right(keys, str(window.after[0])) if window.after else 0
    shown = keys[start : start + window.limit]
    more = start + window.limit < len(keys)
    return Listing(
        results=tuple(by_key[key] for key in shown),
        total=len(keys),
        after=encode_cursor((shown[-1],)) if more else None,
    )


def get_skill(*, actor: Actor, key: str) -> ServedSkill:
    """One tool skill; `not_found` for a key nobody serves. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    return served_under(key)


def list_problems(*, actor: Actor, window: Window) -> Listing[Finding]:
    """Everything that is wrong with pages of the skills container, by page. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    found = findings(registry.current(), live.current())
    places: list[tuple[SortValue, ...]] = [
        (finding.page_id, f"{finding.kind.value}/{finding.dialect.value}") for finding in found
    ]
    start = 0
    if window.after:
        start = places.index(window.after) + 1 if window.after in places else _after_page(places, window.after[0])
    shown = found[start : start + window.limit]
    more = start + window.limit < len(found)
    return Listing(
        results=shown, total=len(found), after=encode_cursor(places[start + window.limit - 1]) if more else None
    )


def _after_page(places: list[tuple[SortValue, ...]], page_id: SortValue) -> int:
    """Where to go on when the finding a cursor names has been put right meanwhile."""
    last = page_id if isinstance(page_id, int) else 0
    return sum(1 for place, _ in places if isinstance(place, int) and place <= last)
