"""Screens of a page's history: every revision, what one changed, and bringing one back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from company.views.screens import go, is_fragment, say, screen
from knowledge.reads.pages import REVISIONS_CURSOR_WIDTH, get_page, get_revision, list_revisions
from knowledge.rules.diff import diff_lines
from knowledge.rules.markdown import render as render_markdown
from knowledge.views.abilities import abilities_on
from knowledge.views.reading import base_urls
from knowledge.writes.pages import restore_revision


@require_safe
@screen
def revisions(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The revisions of a page, newest first."""
    page = get_page(actor=actor, page_id=page_id)
    window = parse_window(None, request.GET.get("after"), width=REVISIONS_CURSOR_WIDTH)
    listing = list_revisions(actor=actor, page_id=page_id, window=window)
    context = {"section": "knowledge", "space": page.container, "page": page, "listing": listing}
    template = "knowledge/history.html#rows" if is_fragment(request) else "knowledge/history.html"
    return render(request, template, context)


@require_safe
@screen
def revision(request: HttpRequest, actor: Actor, page_id: int, version: int) -> HttpResponse:
    """One revision: what it changed against the version before it, or (`show=text`) the page as it was."""
    page = get_page(actor=actor, page_id=page_id)
    shown = get_revision(actor=actor, page_id=page_id, version=version)
    before = get_revision(actor=actor, page_id=page_id, version=version - 1) if version > 1 else None
    as_text = request.GET.get("show") == "text"
    context = {
        "section": "knowledge",
        "space": page.container,
        "page": page,
        "revision": shown,
        "before": before,
        "as_text": as_text,
        "difference": None if as_text else diff_lines(before.body if before else "", shown.body),
        "rendered": render_markdown(shown.body, base_urls=base_urls(request)) if as_text else None,
        "may": abilities_on(page, actor=actor),
    }
    return render(request, "knowledge/revision.html", context)


@require_POST
@screen
def restore(request: HttpRequest, actor: Actor, page_id: int, version: int) -> HttpResponse:
    """Give the page the body it had at a version, as a new revision on the version the form was shown with."""
    base = request.POST.get("base_version", "")
    if not (base.isascii() and base.isdigit() and len(base) < 10):
        raise Refused(Code.REQUIRED, "Say which version of the page you looked at.", attr="base_version")
    made = restore_revision(actor=actor, page_id=page_id, version=version, base_version=int(base))
    say(request, f"Version {version} is back, as version {made.version}.")
    return go(f"/knowledge/pages/{page_id}")
