"""Screens of a page's history: every revision, what changed between any two, and bringing one back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, parse_window
from company.views.screens import go, is_fragment, say, screen
from knowledge.models import RevisionState
from knowledge.reads.activity import CURSOR_WIDTH as ACTIVITY_CURSOR_WIDTH
from knowledge.reads.activity import list_activity
from knowledge.reads.differences import diff_revisions
from knowledge.reads.pages import (
    REVISIONS_CURSOR_WIDTH,
    get_page,
    get_revision,
    list_revisions,
    neighbours_of,
    page_to_edit,
)
from knowledge.reads.shapes import RevisionRow
from knowledge.rules.diff import Difference, diff_lines
from knowledge.views.abilities import abilities_on
from knowledge.views.differences import first_row_of, remember_shape, shape_of, show_difference
from knowledge.views.prose import prose
from knowledge.writes.pages import restore_revision


@require_safe
@screen
def revisions(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The revisions of a page, newest first."""
    page = get_page(actor=actor, page_id=page_id)
    window = parse_window(None, request.GET.get("after"), width=REVISIONS_CURSOR_WIDTH)
    listing = list_revisions(actor=actor, page_id=page_id, window=window)
    context = {
        "section": "knowledge",
        "space": page.container,
        "page": page,
        "listing": listing,
        "from_version": _version(request, "from") or _before(listing, page.version),
        "to_version": _version(request, "to") or page.version,
    }
    template = "knowledge/history.html#rows" if is_fragment(request) else "knowledge/history.html"
    return render(request, template, context)


def _before(listing: Listing[RevisionRow], version: int) -> int:
    """The version listed before another one that was what the page said."""
    published = (row.version for row in listing.results if row.state is RevisionState.PUBLISHED)
    return next((one for one in published if one < version), version)


@require_safe
@screen
def compare(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """What changed between any two versions of a page, in the order somebody picked them."""
    page = get_page(actor=actor, page_id=page_id)
    old, new = _version(request, "from"), _version(request, "to")
    if old is None or new is None:
        raise Refused(Code.REQUIRED, "Pick two versions in the history to compare them.", attr="from")
    found = diff_revisions(actor=actor, page_id=page_id, old=old, new=new)
    context = {
        "section": "knowledge",
        "space": page.container,
        "page": page,
        "old": found.old,
        "new": found.new,
        "here": f"/knowledge/pages/{page_id}/compare?from={old}&to={new}",
    }
    return _with_difference(request, "knowledge/compare.html", context, found.difference)


@require_safe
@screen
def activity(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """What happened to a page, newest first."""
    page = get_page(actor=actor, page_id=page_id)
    window = parse_window(None, request.GET.get("after"), width=ACTIVITY_CURSOR_WIDTH)
    listing = list_activity(actor=actor, page_id=page_id, window=window)
    context = {"section": "knowledge", "space": page.container, "page": page, "listing": listing}
    template = "knowledge/activity.html#rows" if is_fragment(request) else "knowledge/activity.html"
    return render(request, template, context)


@require_safe
@screen
def revision(request: HttpRequest, actor: Actor, page_id: int, version: int) -> HttpResponse:
    """One revision: what it changed against the version before it, or (`show=text`) the page as it was."""
    page = get_page(actor=actor, page_id=page_id)
    shown = get_revision(actor=actor, page_id=page_id, version=version)
    around = neighbours_of(actor=actor, page_id=page_id, version=version)
    before = get_revision(actor=actor, page_id=page_id, version=around.before) if around.before else None
    context = {
        "section": "knowledge",
        "space": page.container,
        "page": page,
        "revision": shown,
        "before": before,
        "around": around,
        "may": abilities_on(page, actor=actor),
        "here": f"/knowledge/pages/{page_id}/history/{version}?show=changes",
    }
    if request.GET.get("show") == "text":
        rendered = prose(request, actor, shown.body)
        return render(request, "knowledge/revision.html", {**context, "as_text": True, "rendered": rendered})
    difference = diff_lines(before.body if before else "", shown.body)
    return _with_difference(request, "knowledge/revision.html", context, difference)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def restore(request: HttpRequest, actor: Actor, page_id: int, version: int) -> HttpResponse:
    """Bringing a version back: GET shows what that would change and asks; POST does it, on the version that was shown.

    Where somebody saved in between, it asks again, with what would change now.
    """
    if request.method != "POST":
        return _ask_to_restore(request, actor, page_id, version)
    base = request.POST.get("base_version", "")
    if not (base.isascii() and base.isdigit() and len(base) < 10):
        raise Refused(Code.REQUIRED, "Say which version of the page you looked at.", attr="base_version")
    try:
        made = restore_revision(actor=actor, page_id=page_id, version=version, base_version=int(base))
    except Refused as refused:
        if refused.code is not Code.STALE_VERSION:
            raise
        return _ask_to_restore(request, actor, page_id, version, refused=refused)
    waits = made.state is RevisionState.PENDING
    say(request, f"Version {version} is back, as version {made.version}{', which waits for review' if waits else ''}.")
    return go(f"/knowledge/pages/{page_id}")


def _ask_to_restore(
    request: HttpRequest, actor: Actor, page_id: int, version: int, *, refused: Refused | None = None
) -> HttpResponse:
    page = page_to_edit(actor=actor, page_id=page_id)
    past = get_revision(actor=actor, page_id=page_id, version=version)
    context = {
        "section": "knowledge",
        "space": page.container,
        "page": page,
        "revision": past,
        "refused": refused,
        "here": f"/knowledge/pages/{page_id}/history/{version}/restore?",
    }
    difference = diff_lines(page.body, past.body)
    status = refused.status if refused else 200
    return _with_difference(request, "knowledge/revision_restore.html", context, difference, status=status)


def _with_difference(
    request: HttpRequest, template: str, context: dict[str, object], difference: Difference, *, status: int = 200
) -> HttpResponse:
    """A screen with a difference in it, or the next window of its rows for a fragment's request."""
    shown = show_difference(difference, shape=shape_of(request), first=first_row_of(request))
    if is_fragment(request):
        return render(request, "knowledge/diff.html#rows", {"difference": shown, "more": context["here"]})
    response = render(request, template, {**context, "difference": shown}, status=status)
    return remember_shape(request, response)


def _version(request: HttpRequest, name: str) -> int | None:
    given = request.GET.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None
