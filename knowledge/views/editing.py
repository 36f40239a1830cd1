"""Screens that write a page's body: a new page, the editor with its preview, and two edits that met."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import go, say, screen
from knowledge.models import PageStatus
from knowledge.reads.pages import get_page, get_revision, page_to_edit
from knowledge.reads.shapes import PageView
from knowledge.reads.templates import list_templates
from knowledge.rules.line_ends import as_written
from knowledge.rules.merge import count_marked
from knowledge.views.abilities import abilities_on, spaces_open_to
from knowledge.views.meeting import two_texts
from knowledge.views.prose import prose
from knowledge.writes.pages import create_page, save_page


@dataclass(frozen=True, kw_only=True)
class Typed:
    """What somebody typed into the editor; kept through every refusal."""

    title: str
    body: str
    message: str = ""
    base_version: int = 0
    container: str = ""
    parent_id: int | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def new(request: HttpRequest, actor: Actor) -> HttpResponse:
    """A new page: GET gives the editor, POST creates the page and shows it."""
    if request.method != "POST":
        parent_id = _number(request.GET.get("parent", ""))
        parent = get_page(actor=actor, page_id=parent_id) if parent_id is not None else None
        container = parent.container if parent else request.GET.get("container", "")
        template_id = _number(request.GET.get("template", ""))
        body = get_page(actor=actor, page_id=template_id).body if template_id is not None else ""
        typed = Typed(title=request.GET.get("title", ""), body=body, container=container, parent_id=parent_id)
        return _new_form(request, actor, typed)
    typed = Typed(
        title=request.POST.get("title", ""),
        body=as_written(request.POST.get("body", ""), base=""),
        message=request.POST.get("message", ""),
        container=request.POST.get("container", ""),
        parent_id=_number(request.POST.get("parent", "")),
    )
    try:
        if typed.parent_id is None and request.POST.get("parent"):
            words = "The page to file it under is given by its number. Begin the new page from that page."
            raise Refused(Code.PARENT_INVALID, words, attr="parent_id")
        made = create_page(
            actor=actor,
            title=typed.title,
            body=typed.body,
            container=typed.container or None,
            parent_id=typed.parent_id,
            message=typed.message or None,
            status=PageStatus.DRAFT if request.POST.get("status") == "draft" else PageStatus.PUBLISHED,
        )
    except Refused as refused:
        return _new_form(request, actor, typed, refused=refused)
    place = f"new:{typed.container}:{typed.parent_id or ''}"
    words = f"{made.container} has a new page"
    say(request, f"{words}, which waits for review." if made.waits else f"{words}.", tags=f"saved:{place}")
    return go(f"/knowledge/pages/{made.id}")


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def edit(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The editor of a page: GET opens it, POST saves; a save on a stale base leads to both texts."""
    page = page_to_edit(actor=actor, page_id=page_id)
    if request.method != "POST":
        if not abilities_on(page, actor=actor).save:
            save_page(actor=actor, page_id=page_id, base_version=page.version, body=page.body)  # says why not
        return editor(request, actor, page, Typed(title=page.title, body=page.body, base_version=page.version))
    base_version = _number(request.POST.get("base_version", "")) or 0
    base = base_of(actor, page, base_version)
    typed = Typed(
        title=request.POST.get("title", page.title),
        body=as_written(request.POST.get("body", ""), base=base),
        message=request.POST.get("message", ""),
        base_version=base_version,
    )
    if request.POST.get("resolving") and (marked := count_marked(typed.body)):
        words = "One place still holds both texts." if marked == 1 else f"{marked} places still hold both texts."
        refused = Refused(Code.INVALID, f"{words} Choose what stays, and remove the marks around it.", attr="body")
        return two_edits(request, page, typed, base=base, refused=refused, proposal=typed.body)
    try:
        saved = save_page(
            actor=actor,
            page_id=page_id,
            base_version=base_version,
            body=typed.body,
            title=typed.title if typed.title != page.title and request.POST.get("had_title") else None,
            message=typed.message or None,
        )
    except Refused as refused:
        if refused.code is Code.STALE_VERSION:
            return two_edits(request, page_to_edit(actor=actor, page_id=page_id), typed, base=base, refused=refused)
        return editor(request, actor, page, typed, refused=refused)
    say(request, saved_in_words(saved, before=page), tags=f"saved:{page_id}")
    return go(
        f"/knowledge/pages/{page_id}/edit" if request.POST.get("then") == "stay" else f"/knowledge/pages/{page_id}"
    )


def saved_in_words(saved: PageView, *, before: PageView) -> str:
    """What became of a save."""
    if saved.version == before.version:
        return "Nothing had changed, so nothing was saved."
    if saved.waits:
        return f"Version {saved.version} is kept and waits for review. Another administrator approves it."
    return f"Saved as version {saved.version}."


@require_POST
@screen
def preview(request: HttpRequest, actor: Actor) -> HttpResponse:
    """What a body will look like, as a fragment: the very renderer the page uses."""
    rendered = prose(request, actor, request.POST.get("body", ""))
    return render(request, "knowledge/editor.html#preview", {"rendered": rendered})


def _new_form(request: HttpRequest, actor: Actor, typed: Typed, *, refused: Refused | None = None) -> HttpResponse:
    parent = None
    if typed.parent_id is not None:
        try:
            parent = get_page(actor=actor, page_id=typed.parent_id)
        except Refused as gone:
            refused = refused or gone
    context = {
        "section": "knowledge",
        "space": typed.container,
        "typed": typed,
        "parent": parent,
        "open_spaces": spaces_open_to(actor),
        "refused": refused,
        "rendered": prose(request, actor, typed.body),
        "draft_key": f"new:{typed.container}:{typed.parent_id or ''}",
        "templates": list_templates(actor=actor, container=typed.container) if request.method != "POST" else (),
        "chosen": _number(request.GET.get("template", "")),
    }
    return render(request, "knowledge/editor.html", context, status=refused.status if refused else 200)


def editor(
    request: HttpRequest, actor: Actor, page: PageView, typed: Typed, *, refused: Refused | None = None
) -> HttpResponse:
    """The editor of a page with what was typed, and the refusal of it if there is one."""
    context = {
        "section": "knowledge",
        "space": page.container,
        "page": page,
        "typed": typed,
        "skill": page.container == live.current().skills_container,
        "may": abilities_on(page, actor=actor),
        "refused": refused,
        "rendered": prose(request, actor, typed.body),
        "draft_key": str(page.id),
    }
    return render(request, "knowledge/editor.html", context, status=refused.status if refused else 200)


def two_edits(
    request: HttpRequest, page: PageView, typed: Typed, *, base: str, refused: Refused, proposal: str | None = None
) -> HttpResponse:
    """Both texts against the one they began from, and one with both edits in it, to be saved on the current version."""
    context = {
        "section": "knowledge",
        "space": page.container,
        "page": page,
        "home": f"/knowledge/pages/{page.id}",
        "typed": typed,
        "refused": refused,
        "draft_key": str(page.id),
        **two_texts(base=base, yours=typed.body, theirs=page.body, proposal=proposal),
    }
    return render(request, "knowledge/meeting.html", context, status=refused.status)


def base_of(actor: Actor, page: PageView, base_version: int) -> str:
    """The body an editor began from; the current one where it names a version that never was (the save refuses it)."""
    if base_version == page.version:
        return page.body
    try:
        return get_revision(actor=actor, page_id=page.id, version=base_version).body
    except Refused:
        return page.body


def _number(text: str) -> int | None:
    """The number of an id or a version in a form, if it is one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
