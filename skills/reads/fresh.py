"""The registry as the database has it at this moment, for readers that must see what they have just written.

Requests of a turn read the process's own registry, which is a moment behind. The library and publishing cannot be:
what differs from the process's registry is read again here, and nothing is installed.
"""

from __future__ import annotations

from company.rules.chart import Backend
from knowledge.reads.sources import pages_of, proposals_of, source_page, states_of
from skills import registry
from skills.registry import EMPTY, HeldPage, Registry, SourceId, apply_page, from_pages
from skills.registry.dialects import FOLDER_LABEL

MANY_PAGES = 50
"""So many pages at once are read in one query."""


def registry_now(source: SourceId | None) -> Registry:
    """What a walk of the source would give now. One query, and one for each page that has changed meanwhile.

    A source that is kept elsewhere is not read again: the process's registry is all there is of it.
    """
    if source is None:
        return EMPTY
    held = registry.installed()
    if source.backend is not Backend.NATIVE:
        return held if held.source == source else Registry(source=source)
    if held.source != source:
        return from_pages(source, pages_of(source.container))
    states = {state.id: state for state in states_of(source.container)}
    stale = {
        page_id
        for page_id, state in states.items()
        if state.published
        and not _is_held(held.pages.get(page_id), state.version, state.title, FOLDER_LABEL in state.labels)
    }
    stale |= {page_id for page_id in held.pages if page_id not in states or not states[page_id].published}
    if len(stale) > MANY_PAGES:
        return from_pages(source, pages_of(source.container), known=held)
    for page_id in sorted(stale):
        held = apply_page(held, page_id=page_id, page=source_page(page_id))
    return held


def proposed_registry(source: SourceId) -> Registry:
    """What a walk of the source would give were everything approved that waits for review: what publishing goes by, so
    that a skill that waits is found again and not made a second time. As `registry_now`, and two queries a page that
    waits."""
    held = registry_now(source)
    if source.backend is Backend.NATIVE:
        for page in proposals_of(source.container):
            held = apply_page(held, page_id=page.id, page=page)
    return held


def _is_held(page: HeldPage | None, version: int, title: str, in_folder: bool) -> bool:
    return page is not None and (page.version, page.title, page.in_folder) == (version, title, in_folder)
