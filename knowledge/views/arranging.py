"""Forms that arrange pages: another title, another place, labels, watching, into the trash."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import go, is_fragment, say, screen
from knowledge.models import PageStatus
from knowledge.reads.pages import get_page, page_at
from knowledge.reads.shapes import MovedTo, PageView
from knowledge.views.abilities import spaces_open_to
from knowledge.writes.pages import (
    move_page,
    rename_page,
    save_page,
    set_labels,
    trash_page,
    watch_page,
)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def rename(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Another title: GET gives the form, POST renames."""
    page = get_page(actor=actor, page_id=page_id)
    if request.method != "POST":
        return page_form(request, page, "rename", {"typed_title": page.title})
    title, message = request.POST.get("title", ""), request.POST.get("message", "")
    try:
        renamed = rename_page(actor=actor, page_id=page_id, title=title, message=message or None)
    except Refused as refused:
        return page_form(request, page, "rename", {"typed_title": title, "typed_message": message}, refused=refused)
    say(request, f"Renamed to “{renamed.title}”. Links to the page still work.")
    return go(f"/knowledge/pages/{page_id}")


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def move(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Another place: GET gives the form, POST moves the page and everything beneath it."""
    page = get_page(actor=actor, page_id=page_id)
    above = page.ancestors[-1].title if page.ancestors else ""
    context = {
        "open_spaces": spaces_open_to(actor),
        "typed_container": request.POST.get("container", page.container),
        "typed_parent": request.POST.get("parent", above),
    }
    if request.method != "POST":
        return page_form(request, page, "move", context, part="dialog" if is_fragment(request) else "")
    container = request.POST.get("container", page.container)
    try:
        parent_id = parent_named(request.POST.get("parent", ""), container=container, actor=actor)
        moved = move_page(actor=actor, page_id=page_id, parent_id=parent_id, container=container)
    except Refused as refused:
        return page_form(request, page, "move", context, refused=refused)
    say(request, f"Moved to {moved.container}." if moved.container != page.container else "Moved.")
    return go(f"/knowledge/pages/{page_id}")


@require_POST
@screen
def place(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Another place in the outline of the page's space: under `parent`, `before` or `after` a sibling. For a script,
    which is answered 204 or the note that says why not."""
    move_page(
        actor=actor,
        page_id=page_id,
        parent_id=_id_of(request, "parent"),
        before=_id_of(request, "before"),
        after=_id_of(request, "after"),
    )
    return HttpResponse(status=204)


def _id_of(request: HttpRequest, name: str) -> int | None:
    given = request.POST.get(name, "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise Refused(Code.INVALID, f"'{name}' is the number of a page.", attr=name)
    return int(given)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def labels(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The labels of a page, divided by commas."""
    page = get_page(actor=actor, page_id=page_id)
    if request.method != "POST":
        return page_form(request, page, "labels", {"typed_labels": ", ".join(page.labels)})
    typed = request.POST.get("labels", "")
    try:
        set_labels(actor=actor, page_id=page_id, labels=[part.strip() for part in typed.split(",") if part.strip()])
    except Refused as refused:
        return page_form(request, page, "labels", {"typed_labels": typed}, refused=refused)
    return go(f"/knowledge/pages/{page_id}")


@require_POST
@screen
def watch(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Begin or stop watching a page."""
    on = request.POST.get("on") == "1"
    watch_page(actor=actor, page_id=page_id, on=on)
    say(request, "You will hear of changes to this page." if on else "You will no longer hear of changes to this page.")
    return go(f"/knowledge/pages/{page_id}")


@require_POST
@screen
def publish(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Show a draft to everybody."""
    page = save_page(actor=actor, page_id=page_id, status=PageStatus.PUBLISHED)
    waits = "It waits for review now. Another administrator approves it."
    say(request, waits if page.waits else "Published. Everybody who reads this space sees it now.")
    return go(f"/knowledge/pages/{page_id}")


@require_POST
@screen
def trash(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Into the trash, with everything beneath it; the next screen offers to undo it."""
    page = trash_page(actor=actor, page_id=page_id)
    say(request, f"“{page.title}” and what lay beneath it are in the trash.", tags=f"undo:{page_id}")
    above = page.ancestors[-1].id if page.ancestors else None
    return go(f"/knowledge/pages/{above}" if above else f"/knowledge/{page.container}")


def page_form(
    request: HttpRequest,
    page: PageView,
    name: str,
    context: Mapping[str, object],
    *,
    refused: Refused | None = None,
    part: str = "",
) -> HttpResponse:
    """The form `name` of a page, or a `part` of its screen; with a refusal, what was typed stays and the refusal stands
    above it."""
    shown = {"section": "knowledge", "space": page.container, "page": page, "refused": refused, **context}
    template = f"knowledge/{name}.html#{part}" if part else f"knowledge/{name}.html"
    return render(request, template, shown, status=refused.status if refused else 200)


def parent_named(named: str, *, container: str, actor: Actor) -> int | None:
    """The page a person names as the one above: by its id or its title in the container; nothing is the top."""
    named = named.strip()
    if not named:
        return None
    if named.isascii() and named.isdigit() and len(named) < 19:
        return int(named)
    try:
        found = page_at(actor=actor, container=container, title=named)
    except Refused as refused:
        raise Refused(
            Code.PARENT_INVALID, f"{container} has no page “{named}”. Give its title or id, or leave this empty.",
            attr="parent_id",
        ) from refused  # fmt: skip
    return found.page_id if isinstance(found, MovedTo) else found.id
