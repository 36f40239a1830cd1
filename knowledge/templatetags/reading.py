"""Words for the ways in which a page reaches a seat."""

from __future__ import annotations

from django import template

from knowledge.writes.reading import Via

register = template.Library()

WORDS = {
    Via.GET_PAGE: "opened it",
    Via.SEARCH: "found it by a search",
    Via.PREFETCH: "was given it at the start of a turn",
    Via.SKILL_LOADED: "loaded its skill",
    Via.SKILL_INJECTED: "was offered its skill",
}


@register.filter
def how_read(via: str) -> str:
    """What a seat did, as the rest of a sentence that begins with its name."""
    return WORDS[Via(via)]
