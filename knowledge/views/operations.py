"""The screen of what works in the background: search by meaning, search by words, and where the trash is told of."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from company.rules.actors import Actor
from company.views.screens import go, is_fragment, say, screen
from knowledge.reads.embedding import Status, embedding_view
from knowledge.search.native import native_searcher
from knowledge.writes.embedding import retry_held


@require_safe
@screen
def operations(request: HttpRequest, actor: Actor) -> HttpResponse:
    """What the duties are at, for administrators. A fill is asked about again every few seconds."""
    meaning = embedding_view(actor=actor)
    context = {
        "section": "operations",
        "meaning": meaning,
        "changes": meaning.status in (Status.WAITING, Status.FILLING, Status.FAILING, Status.REFUSED),
        "words": native_searcher().state(),
    }
    template = "knowledge/operations.html#state" if is_fragment(request) else "knowledge/operations.html"
    return render(request, template, context)


@require_POST
@screen
def retry(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Offer one held source again, or all of them."""
    kind, object_id = request.POST.get("kind", ""), request.POST.get("id", "")
    one = bool(kind) and object_id.isascii() and object_id.isdigit() and len(object_id) < 19
    number = retry_held(actor=actor, kind=kind if one else None, object_id=int(object_id) if one else None)
    say(
        request, "It is offered again within a minute." if number == 1 else f"{number} are offered again, two a minute."
    )
    return go("/operations")
