"""The screen that searches items by their words and their meaning, and items among the suggestions of the palette."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company import live
from company.rules.actors import Actor, Permission
from company.rules.refusals import Refused
from company.rules.windows import Window
from company.views.screens import is_fragment, screen
from knowledge.search.rules.outcome import SENTENCES, parse_mode
from knowledge.search.rules.queries import query_tokens
from knowledge.search.rules.snippets import Piece, marked
from knowledge.views.searching import MODES
from knowledge.views.suggestions import Suggestion
from tracker.reads.lists import list_items
from tracker.rules.filters import MOST_WORDS, Filters
from tracker.rules.vocabulary import STATUS_WORDS
from tracker.search.asking import ItemHit, search_items

SHOWN = 20
_CANNOT_BE_ASKED = 400


@dataclass(frozen=True, kw_only=True)
class Line:
    """A hit with what was asked for marked in its title and its snippet."""

    hit: ItemHit
    title: tuple[Piece, ...]
    snippet: tuple[Piece, ...]


@require_safe
@screen
def search(request: HttpRequest, actor: Actor) -> HttpResponse:
    """What a question finds among the items. Without one: the box to ask in."""
    asked, project = request.GET.get("q", ""), request.GET.get("project", "")
    context: dict[str, object] = {
        "section": "tracker",
        "project": project,
        "q": asked,
        "mode": (mode := parse_mode(request.GET.get("mode"))),
        "modes": MODES.items(),
        "company_projects": live.current().projects,
    }
    status = 200
    if asked.strip():
        try:
            found = search_items(actor=actor, text=asked, mode=mode, project=project or None, limit=SHOWN)
        except Refused as refused:
            if refused.status != _CANNOT_BE_ASKED:
                raise
            context["refused"], status = refused, refused.status
        else:
            tokens = query_tokens(asked)
            context |= {
                "found": found,
                "lines": [
                    Line(hit=hit, title=marked(hit.title, tokens), snippet=marked(hit.snippet, tokens))
                    for hit in found.hits
                ],
                "notes": [SENTENCES[reason] for reason in found.outcome.degraded],
            }
    else:
        list_items(actor=actor, filters=Filters(), window=Window(limit=1))  # says why not, to whoever may not
    template = "tracker/search.html#found" if is_fragment(request) else "tracker/search.html"
    return render(request, template, context, status=status)


def suggest_items(*, actor: Actor, text: str, limit: int) -> Sequence[Suggestion]:
    """Items by their key or the words of their title; none for whoever does not hold the tracker."""
    if not actor.holds(Permission.TRACKER) or len(text) > MOST_WORDS:
        return ()
    found = list_items(actor=actor, filters=Filters(q=" ".join(text.split())), window=Window(limit=limit))
    return tuple(
        Suggestion(
            label=item.title,
            note=f"{item.key} · {STATUS_WORDS[item.status]}",
            address=f"/tracker/items/{item.key}",
            icon=f"status-{item.status.value}",
        )
        for item in found.results
    )
