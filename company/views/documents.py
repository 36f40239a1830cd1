"""Screens of the company document: what is in force, the editor, and every revision of it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from company.reads.documents import (
    WINDOW_WIDTH,
    RevisionView,
    active_document,
    diff_revisions,
    get_revision,
    list_revisions,
)
from company.rules.actors import Actor
from company.rules.document.folding import fold_paths
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from company.views.screens import go, is_fragment, say, screen
from company.writes.document import apply_document, revert_document


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def document(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The company. An administrator edits its document here; others see what it declares."""
    if request.method == "POST":
        return _apply(request, actor)
    if not actor.is_admin:
        return render(request, "company/chart.html", {"section": "company"})
    active = _active(actor)
    source = active.source if active else ""
    return _editor(request, active, source=source, base=str(active.row.id) if active else "")


@require_safe
@screen
def revisions(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Every document that was in force, newest first."""
    window = parse_window(None, request.GET.get("after"), width=WINDOW_WIDTH)
    listing = list_revisions(actor=actor, window=window)
    newest = listing.results[0].id if listing.results and not request.GET.get("after") else None
    context = {"section": "company", "listing": listing, "newest": newest}
    template = "company/revisions.html#rows" if is_fragment(request) else "company/revisions.html"
    return render(request, template, context)


@require_safe
@screen
def revision(request: HttpRequest, actor: Actor, revision_id: int) -> HttpResponse:
    """One revision: what it changed against the one before it, or (`show=text`) the whole of it."""
    shown = get_revision(actor=actor, revision_id=revision_id)
    as_text = request.GET.get("show") == "text"
    context = {
        "section": "company",
        "revision": shown,
        "as_text": as_text,
        "diff": None if as_text else diff_revisions(actor=actor, revision_id=revision_id),
    }
    return render(request, "company/revision.html", context)


@require_POST
@screen
def revert(request: HttpRequest, actor: Actor, revision_id: int) -> HttpResponse:
    """Put an earlier document in force again, as a new revision."""
    made = revert_document(actor=actor, revision_id=revision_id)
    say(request, f"The document of revision {revision_id} is in force again, as revision {made.pk}.")
    return go("/company")


def _apply(request: HttpRequest, actor: Actor) -> HttpResponse:
    source = request.POST.get("source", "").replace("\r\n", "\n")
    summary, base = request.POST.get("summary", ""), request.POST.get("if_match", "")
    if_match = int(base) if base.isascii() and base.isdigit() and len(base) < 19 else None
    try:
        made = apply_document(actor=actor, source=source, summary=summary, if_match=if_match)
    except Refused as refused:
        if not actor.is_admin:
            raise
        advanced = refused.code is Code.REVISION_ADVANCED
        return _editor(
            request, _active(actor), source=source, base=base, summary=summary, refused=refused, advanced=advanced
        )
    say(request, f"Revision {made.pk} is in force.")
    return go("/company")


def _editor(
    request: HttpRequest,
    active: RevisionView | None,
    *,
    source: str,
    base: str,
    summary: str = "",
    refused: Refused | None = None,
    advanced: bool = False,
) -> HttpResponse:
    context = {
        "section": "company",
        "active": active,
        "ignored": fold_paths(active.ignored) if active else (),
        "source": source,
        "base": base,
        "summary": summary,
        "refused": refused,
        "advanced": advanced,
    }
    return render(request, "company/document.html", context, status=refused.status if refused else 200)


def _active(actor: Actor) -> RevisionView | None:
    """The document in force, or None before the first."""
    try:
        return active_document(actor=actor)
    except Refused as refused:
        if refused.code is Code.NOT_FOUND:
            return None
        raise
