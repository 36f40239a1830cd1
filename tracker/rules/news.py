"""Who hears of what is done to items.

Whoever watches an item hears of it, and so does the seat it is given to; whoever is mentioned hears of the mention. The
seat that leads a project hears of what comes into it and what leaves it, and not of every change: it would hear of
nothing else. Nobody hears of their own doing, of labels, or of watching.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from company.rules.chart import Company
from knowledge.rules.news import What

QUIET = frozenset({"labels", "parent_id"})
"""Changes that are no news by themselves."""

TOLD_TO_LEADS = frozenset({What.FILED, What.MOVED, What.TRASHED, What.RESTORED})


def news_of(changes: Collection[str]) -> tuple[What, ...]:
    """As what a save is told, by the names of what it changed; nothing for one that is no news."""
    said: list[What] = []
    if "status" in changes:
        said.append(What.STATUS)
    if "title" in changes:
        said.append(What.RENAMED)
    if "assignee" in changes:
        said.append(What.ASSIGNED)
    if set(changes) - QUIET - {"status", "title", "assignee"}:
        said.append(What.SAVED)
    return tuple(said)


def audience(
    what: Collection[What],
    *,
    company: Company,
    by: str | None,
    project: str,
    watchers: Collection[str],
    assignee: str,
    mentioned: Collection[str] = (),
) -> Mapping[str, tuple[What, ...]]:
    """Each seat that hears of it, and as what. Who is mentioned and follows the item no further hears of that alone."""
    told = tuple(what)
    if not told and not mentioned:
        return {}
    followers = {*watchers, *([assignee] if assignee else [])} if told else set()
    declared = company.project_by_key.get(project)
    if declared is not None and declared.led_by and TOLD_TO_LEADS & set(told):
        followers.add(declared.led_by)
    heard: dict[str, tuple[What, ...]] = {}
    for handle in sorted(followers | set(mentioned)):
        if handle == by or handle not in company.seat_by_handle:
            continue
        words = told if handle in followers else ()
        heard[handle] = (*words, What.MENTIONED) if handle in mentioned else words
    return heard
