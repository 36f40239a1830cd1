"""The screen of the search, and what the palette shows while somebody types."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import is_fragment, screen
from knowledge.search.asking import find_titles, search_pages
from knowledge.search.native import native_searcher
from knowledge.search.rules.outcome import PARTLY_COVERED, SENTENCES, Degraded, Mode, parse_mode
from knowledge.search.rules.queries import query_tokens
from knowledge.search.rules.snippets import Piece, marked
from knowledge.search.seam import Found, Hit
from knowledge.views import suggestions

SHOWN = 20
SUGGESTED = 8

MODES = {
    Mode.HYBRID: "Words and meaning",
    Mode.KEYWORD: "Words",
    Mode.SEMANTIC: "Meaning",
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """A hit with what was asked for marked in its title and its snippet."""

    hit: Hit
    title: tuple[Piece, ...]
    snippet: tuple[Piece, ...]


@require_safe
@screen
def search(request: HttpRequest, actor: Actor) -> HttpResponse:
    """What a question finds. Without one: the box to ask in."""
    asked, space = request.GET.get("q", ""), request.GET.get("space", "")
    context: dict[str, object] = {
        "section": "search",
        "q": asked,
        "chosen": space,
        "mode": (mode := parse_mode(request.GET.get("mode"))),
        "choices": MODES.items(),
        "company_spaces": [one for one in live.current().spaces if one.key != live.current().skills_container],
    }
    if asked.strip():
        try:
            found = search_pages(actor=actor, text=asked, mode=mode, container=space or None, limit=SHOWN)
        except Refused as refused:
            if refused.status != _CANNOT_BE_ASKED:
                raise
            context["refused"] = refused
        else:
            context |= _shown(found, asked)
    status = _CANNOT_BE_ASKED if "refused" in context else 200
    template = "knowledge/search.html#found" if is_fragment(request) else "knowledge/search.html"
    return render(request, template, context, status=status)


@require_safe
@screen
def suggest(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Pages by their titles, and what other apps suggest, as options of the palette."""
    asked = request.GET.get("q", "")
    try:
        found = find_titles(actor=actor, text=asked, limit=SUGGESTED)
        others = suggestions.of(actor=actor, text=asked, limit=SUGGESTED)
    except Refused as refused:
        if refused.code is not Code.REQUIRED and refused.status != _CANNOT_BE_ASKED:
            raise
        return HttpResponse("")
    return render(request, "knowledge/suggestions.html", {"pages": found.hits, "others": others})


_CANNOT_BE_ASKED = 400


def _shown(found: Found, asked: str) -> dict[str, object]:
    tokens = query_tokens(asked)
    outcome = found.outcome
    notes = [SENTENCES[reason] for reason in outcome.degraded]
    if outcome.ran and outcome.coverage.buckets_missing:
        notes.append(PARTLY_COVERED)
    is_building = Degraded.BUILDING in outcome.degraded
    return {
        "found": found,
        "lines": [
            Line(hit=hit, title=marked(hit.title, tokens), snippet=marked(hit.snippet, tokens)) for hit in found.hits
        ],
        "notes": notes,
        "served": MODES.get(outcome.served_mode) if outcome.served_mode else None,
        "progress": native_searcher().state() if is_building else None,
        "is_full": len(found.hits) >= SHOWN,
    }
