"""Work items as the tools answer them: one line with key, address and version, then markdown."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.search.rules.outcome import SENTENCES
from tracker.reads.projects import ProjectView
from tracker.reads.shapes import ItemFacts, ItemRow, ItemView
from tracker.search.asking import FoundItems

HITS_SHOWN = 6
"""As many as a search of pages shows (contract, section 5)."""


def header(item: ItemFacts) -> str:
    """The line on top of every answer about one item."""
    return f"item {item.key} · {item.url} · version {item.version} · {item.title}"


def whole(item: ItemView) -> str:
    """The header, what is known of it, and after an empty line its description to the byte."""
    whose = f"assigned to {item.assignee or 'nobody'}"
    facts = [f"{item.type.value} · {item.status.value} · priority {item.priority.value} · {whose}"]
    if item.due is not None:
        facts.append(f"due {item.due.isoformat()}")
    if item.labels:
        facts.append(f"labels {', '.join(item.labels)}")
    if item.parent is not None:
        facts.append(f"under {item.parent.key} {item.parent.title}")
    if item.children:
        facts.append(f"{item.finished} of {item.children} beneath it finished")
    for related in item.relations:
        other = f"{related.item.key} {related.item.title} ({related.item.status.value})" if related.item else ""
        facts.append(f"{related.words} {other or f'page {related.page_id} {related.page_title}'}")
    return "\n".join([header(item), *facts]) + f"\n\n{item.description}"


def rows(items: Iterable[ItemRow], *, total: int, after: str | None) -> str:
    """A listing, a line an item."""
    lines = [
        f"- {item.key} · {item.status.value} · {item.priority.value} · {item.assignee or 'nobody'} · {item.title}"
        f"{' · blocked' if item.is_blocked else ''}"
        for item in items
    ]
    if not lines:
        return "No item fits."
    shown = f"{len(lines)} of {total}" if after else str(total)
    tail = [f"\nGo on with after: {after}"] if after else []
    return "\n".join([f"{shown} {'item' if total == 1 else 'items'}", "", *lines, *tail])


def found(result: FoundItems) -> str:
    """The hits of a search, and in words what the search was worth."""
    outcome = result.outcome
    notes = [SENTENCES[reason] for reason in outcome.degraded]
    if not outcome.ran:
        lines = ["Work items could not be searched just now. That says nothing about what has been filed."]
    elif not result.hits:
        lines = ["No item matches."]
    else:
        lines = [f"{len(result.hits)} {'item' if len(result.hits) == 1 else 'items'}, best first"]
        for hit in result.hits:
            lines.append(f"\n{hit.rank}. {hit.key} · {hit.status.value} · {hit.title}\n   {hit.snippet}")
    return "\n".join([*lines, *([""] if notes else []), *notes])


def projects(listed: Iterable[ProjectView]) -> str:
    """The projects, a line each."""
    lines = [
        f"- {project.key} · {project.name} · {project.open} of {project.items} open"
        f"{'' if project.declared else ' · declared no more, takes no new item'}"
        for project in listed
    ]
    return "\n".join(lines) or "The company declares no project."
