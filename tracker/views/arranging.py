"""Screens that put an item elsewhere or away: another project, the trash and back, and its history."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from company.rules.actors import Actor
from company.rules.proofs import SESSION_KEY
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from company.views.identity import actor_of_browser
from company.views.screens import go, is_fragment, say, screen
from company.writes.proofs import prove_identity
from knowledge.rules.diff import diff_lines
from knowledge.rules.reaping import KEPT_FOR, emptied_at
from knowledge.views.differences import first_row_of, remember_shape, shape_of, show_difference
from tracker.reads import activity, lists, revisions
from tracker.reads.items import get_item
from tracker.reads.shapes import ItemView
from tracker.rules.filters import Filters
from tracker.views.asking import choices
from tracker.views.showing import abilities_on
from tracker.writes.items import move_item, purge_item, restore_description, restore_item, trash_item


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def move(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Another project: GET gives the form, POST files the item there, under the key it always had."""
    item = get_item(actor=actor, key=key)
    if request.method != "POST":
        return _form(request, item, "move", {"typed_project": item.project})
    project = request.POST.get("project", "")
    try:
        moved = move_item(actor=actor, key=key, project=project)
    except Refused as refused:
        return _form(request, item, "move", {"typed_project": project}, refused=refused)
    say(request, f"{moved.key} is filed in {moved.project} now. It is still called {moved.key}.")
    return go(f"/tracker/items/{moved.key}")


@require_POST
@screen
def trash(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Into the trash; the next screen offers to undo it."""
    item = trash_item(actor=actor, key=key)
    say(request, f"{item.key} is in the trash.", tags=f"undo-item:{item.key}")
    return go(f"/tracker?project={item.project}")


@require_POST
@screen
def restore(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Out of the trash."""
    item = restore_item(actor=actor, key=key)
    say(request, f"{item.key} is back.")
    return go(f"/tracker/items/{item.key}")


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@screen
def purge(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Removing an item for good: the reason, and the password again where it was not given within 15 minutes."""
    item = get_item(actor=actor, key=key)
    if item.trashed_at is None:
        raise Refused(Code.INVALID, "Only an item in the trash is purged. Trash it first.", status=409)
    context: dict[str, object] = {
        "typed_reason": request.POST.get("reason", ""),
        "proven": actor.proven_until is not None and actor.proven_until > timezone.now(),
    }
    if request.method != "POST":
        return _form(request, item, "purge", context)
    password = request.POST.get("password", "")
    try:
        if password:
            request.session[SESSION_KEY] = prove_identity(actor=actor, password=password).isoformat()
            context["proven"] = True
        purge_item(actor=actor_of_browser(request), key=key, reason=request.POST.get("reason", ""))
    except Refused as refused:
        answer = _form(request, item, "purge", context, refused=refused)
        if refused.retry_after is not None:
            answer["Retry-After"] = str(refused.retry_after)
        return answer
    say(request, f"{item.key} is gone for good. A record of who removed it and why is kept.")
    return go("/tracker/trash")


@require_safe
@screen
def trashed(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The items the actor may bring back, those trashed last first."""
    window = parse_window(None, request.GET.get("after"), width=lists.CURSOR_WIDTH)
    listing = lists.list_items(actor=actor, filters=Filters(trashed=True), window=window)
    context = {
        "section": "tracker",
        "listing": listing,
        "rows": [(row, emptied_at(row.trashed_at)) for row in listing.results if row.trashed_at is not None],
        "days": KEPT_FOR.days,
        "now": timezone.now(),
    }
    return render(request, "tracker/trash.html", context)


@require_safe
@screen
def history(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """The versions that changed an item's words, newest first."""
    item = get_item(actor=actor, key=key)
    window = parse_window(None, request.GET.get("after"), width=revisions.CURSOR_WIDTH)
    listing = revisions.list_words(actor=actor, key=key, window=window)
    context = {"section": "tracker", "project": item.project, "item": item, "listing": listing}
    template = "tracker/history.html#rows" if is_fragment(request) else "tracker/history.html"
    return render(request, template, context)


@require_safe
@screen
def revision(request: HttpRequest, actor: Actor, key: str, version: int) -> HttpResponse:
    """What one version changed in an item's description."""
    item = get_item(actor=actor, key=key)
    shown = revisions.words_at(actor=actor, key=key, version=version)
    before = revisions.words_at(actor=actor, key=key, version=shown.version - 1) if shown.version > 1 else None
    here = f"/tracker/items/{item.key}/history/{shown.version}?"
    difference = show_difference(
        diff_lines(before.description if before else "", shown.description),
        shape=shape_of(request),
        first=first_row_of(request),
    )
    if is_fragment(request):
        return render(request, "knowledge/diff.html#rows", {"difference": difference, "more": here})
    context = {
        "section": "tracker",
        "project": item.project,
        "item": item,
        "revision": shown,
        "before": before,
        "difference": difference,
        "here": here,
        "may": abilities_on(item, actor=actor),
        "differs": shown.description != item.description,
    }
    return remember_shape(request, render(request, "tracker/revision.html", context))


@require_POST
@screen
def bring_back(request: HttpRequest, actor: Actor, key: str, version: int) -> HttpResponse:
    """Give an item the description it had at a version, on the version that was shown."""
    base = request.POST.get("base_version", "")
    if not (base.isascii() and base.isdigit() and len(base) < 10):
        raise Refused(Code.REQUIRED, "Say which version of the item you looked at.", attr="base_version")
    item = restore_description(actor=actor, key=key, version=version, base_version=int(base))
    say(request, f"The description of version {version} is back, as version {item.version}.")
    return go(f"/tracker/items/{item.key}")


@require_safe
@screen
def happened(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """What happened to an item, newest first."""
    item = get_item(actor=actor, key=key)
    window = parse_window(None, request.GET.get("after"), width=activity.CURSOR_WIDTH)
    listing = activity.list_activity(actor=actor, key=key, window=window)
    context = {"section": "tracker", "project": item.project, "item": item, "listing": listing}
    template = "tracker/activity.html#rows" if is_fragment(request) else "tracker/activity.html"
    return render(request, template, context)


def _form(
    request: HttpRequest, item: ItemView, name: str, context: Mapping[str, object], *, refused: Refused | None = None
) -> HttpResponse:
    """The form `name` of an item; with a refusal, what was typed stays and the refusal stands above it."""
    shown = {
        "section": "tracker",
        "project": item.project,
        "item": item,
        "refused": refused,
        "choices": choices(),
        **context,
    }
    return render(request, f"tracker/{name}.html", shown, status=refused.status if refused else 200)
