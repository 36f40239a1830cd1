"""Screens that write an item's words: a new item, the editor with its preview, and two edits that met."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import go, say, screen
from knowledge.rules.line_ends import as_written
from knowledge.rules.merge import count_marked
from knowledge.views.meeting import two_texts
from knowledge.views.prose import prose
from tracker.reads.items import get_item
from tracker.reads.revisions import words_at
from tracker.reads.shapes import ItemView
from tracker.rules.changes import Changes
from tracker.views.asking import choices
from tracker.views.showing import abilities_on
from tracker.writes.items import create_item, save_item

FIELDS = ("type", "status", "priority", "assignee", "parent", "due")


@dataclass(frozen=True, kw_only=True)
class Typed:
    """What somebody typed into the editor; kept through every refusal."""

    title: str = ""
    body: str = ""
    message: str = ""
    base_version: int = 0
    project: str = ""
    labels: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def new(request: HttpRequest, actor: Actor) -> HttpResponse:
    """A new item: GET gives the form, POST files it and shows it, or goes back to where it was asked for."""
    asked = request.POST if request.method == "POST" else request.GET
    typed = Typed(
        title=asked.get("title", ""),
        body=as_written(asked.get("body", ""), base=""),
        project=asked.get("project", "") or live.current().project_of(actor.seat) or "",
        labels=asked.get("labels", ""),
        fields={name: asked[name] for name in FIELDS if asked.get(name)},
    )
    if request.method != "POST":
        return _new_form(request, actor, typed)
    try:
        made = create_item(
            actor=actor,
            project=typed.project or None,
            fields=Changes(title=typed.title, description=typed.body, labels=_split(typed.labels), **typed.fields),
        )
    except Refused as refused:
        return _new_form(request, actor, typed, refused=refused)
    back = request.POST.get("back", "")
    say(request, f"{made.key} is filed.", tags=f"saved:new-item:{typed.project}")
    return go(back if back.startswith("/tracker") else f"/tracker/items/{made.key}")


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def edit(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """The editor of an item's words: GET opens it, POST saves; a save on a stale base leads to both texts."""
    item = get_item(actor=actor, key=key)
    if request.method != "POST":
        if not abilities_on(item, actor=actor).save:
            save_item(  # says why not
                actor=actor, key=key, base_version=item.version, changes=Changes(description=item.description)
            )
        return _editor(request, actor, item, Typed(title=item.title, body=item.description, base_version=item.version))
    base_version = _number(request.POST.get("base_version", ""))
    base = _base_of(actor, item, base_version)
    typed = Typed(
        title=request.POST.get("title", item.title),
        body=as_written(request.POST.get("body", ""), base=base),
        message=request.POST.get("message", ""),
        base_version=base_version,
    )
    if request.POST.get("resolving") and (marked := count_marked(typed.body)):
        words = "One place still holds both texts." if marked == 1 else f"{marked} places still hold both texts."
        refused = Refused(Code.INVALID, f"{words} Choose what stays, and remove the marks around it.", attr="body")
        return _meeting(request, item, typed, base=base, refused=refused, proposal=typed.body)
    had_title = request.POST.get("had_title", typed.title)
    try:
        saved = save_item(
            actor=actor,
            key=key,
            base_version=base_version,
            changes=Changes(
                description=typed.body,
                title=typed.title if typed.title not in (item.title, had_title) else None,
            ),
            message=typed.message or None,
        )
    except Refused as refused:
        if refused.code is Code.STALE_VERSION:
            return _meeting(request, get_item(actor=actor, key=key), typed, base=base, refused=refused)
        return _editor(request, actor, item, typed, refused=refused)
    unchanged = saved.version == item.version
    words = "Nothing had changed, so nothing was saved." if unchanged else f"Saved as version {saved.version}."
    say(request, words, tags=f"saved:item:{item.id}")
    stays = request.POST.get("then") == "stay"
    return go(f"/tracker/items/{item.key}/edit" if stays else f"/tracker/items/{item.key}")


@require_POST
@screen
def quick(request: HttpRequest, actor: Actor) -> HttpResponse:
    """A new item of its title alone, filed from a list or a board, which is shown again."""
    typed = Typed(title=request.POST.get("title", ""), project=request.POST.get("project", ""))
    status = request.POST.get("status") or None
    back = request.POST.get("back", "")
    try:
        made = create_item(actor=actor, project=typed.project or None, fields=Changes(title=typed.title, status=status))
    except Refused as refused:
        return _new_form(request, actor, typed, refused=refused)
    say(request, f"{made.key} is filed.")
    return go(back if back.startswith("/tracker") else f"/tracker/items/{made.key}")


def _new_form(request: HttpRequest, actor: Actor, typed: Typed, *, refused: Refused | None = None) -> HttpResponse:
    context = {
        "section": "tracker",
        "project": typed.project,
        "typed": typed,
        "refused": refused,
        "choices": choices(),
        "rendered": prose(request, actor, typed.body),
        "draft_key": f"new-item:{typed.project}",
    }
    return render(request, "tracker/new.html", context, status=refused.status if refused else 200)


def _editor(
    request: HttpRequest, actor: Actor, item: ItemView, typed: Typed, *, refused: Refused | None = None
) -> HttpResponse:
    context = {
        "section": "tracker",
        "project": item.project,
        "item": item,
        "typed": typed,
        "refused": refused,
        "rendered": prose(request, actor, typed.body),
        "draft_key": f"item:{item.id}",
    }
    return render(request, "tracker/edit.html", context, status=refused.status if refused else 200)


def _meeting(
    request: HttpRequest, item: ItemView, typed: Typed, *, base: str, refused: Refused, proposal: str | None = None
) -> HttpResponse:
    context = {
        "section": "tracker",
        "project": item.project,
        "item": item,
        "page": item,
        "home": f"/tracker/items/{item.key}",
        "typed": typed,
        "refused": refused,
        "draft_key": f"item:{item.id}",
        **two_texts(base=base, yours=typed.body, theirs=item.description, proposal=proposal),
    }
    return render(request, "tracker/meeting.html", context, status=refused.status)


def _base_of(actor: Actor, item: ItemView, base_version: int) -> str:
    """The text an editor began from; the current one where it names a version that never was (the save refuses it)."""
    try:
        return words_at(actor=actor, key=item.key, version=base_version).description
    except Refused:
        return item.description


def _split(labels: str) -> list[str]:
    return [part.strip() for part in labels.split(",") if part.strip()]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
