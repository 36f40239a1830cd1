"""Screens that show a page."""

from __future__ import annotations

from urllib.parse import quote

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company.rules.actors import Actor
from company.rules.windows import MAX_LIMIT, Listing, Window
from company.views.screens import screen
from knowledge.addresses import base_urls
from knowledge.reads.attachments import AttachmentView, list_attachments
from knowledge.reads.links import Backlink, backlinks_of, others_link
from knowledge.reads.pages import list_pages, page_at, read_page
from knowledge.reads.readers import readers_lately
from knowledge.reads.shapes import MovedTo, PageRow
from knowledge.views.abilities import abilities_on
from knowledge.views.prose import prose
from knowledge.views.talk import Typed, place_of, talk_on

BACKLINKS = 20
NO_CHILDREN: Listing[PageRow] = Listing(results=(), total=0)
NO_BACKLINKS: Listing[Backlink] = Listing(results=(), total=0)
READERS = 5
NO_FILES: Listing[AttachmentView] = Listing(results=(), total=0)


@require_safe
@screen
def page(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponseBase:
    """One page."""
    return show_page(request, actor, page_id)


@require_safe
@screen
def at(request: HttpRequest, actor: Actor, container: str, title: str) -> HttpResponseBase:
    """One page by its address; an address it has left leads to where it stands now."""
    found = page_at(actor=actor, container=container, title=title)
    if isinstance(found, MovedTo):
        answer = HttpResponsePermanentRedirect(f"/knowledge/at/{found.container}/{quote(found.title)}")
        answer.status_code = 308
        return answer
    return show_page(request, actor, found.id)


def show_page(request: HttpRequest, actor: Actor, page_id: int, *, typed: Typed | None = None) -> HttpResponse:
    """The screen of a page, with a comment that was `typed` and refused still in its form."""
    shown, beside = read_page(actor=actor, page_id=page_id)
    children = NO_CHILDREN
    if shown.children:
        children = list_pages(actor=actor, parent=shown.id, window=Window(limit=MAX_LIMIT))
    backlinks, files = NO_BACKLINKS, NO_FILES
    if beside.links or others_link(actor=actor, page_id=page_id, origins=base_urls(request)):
        window = Window(limit=BACKLINKS)
        backlinks = backlinks_of(actor=actor, page_id=shown.id, origins=base_urls(request), window=window)
    if beside.files:
        files = list_attachments(actor=actor, page_id=shown.id, window=Window(limit=MAX_LIMIT))
    context = {
        "section": "knowledge",
        "space": shown.container,
        "page": shown,
        "rendered": prose(request, actor, shown.body, kept=True),
        "backlinks": backlinks,
        "children": children,
        "may": abilities_on(shown, actor=actor),
        "files": files,
        "read": readers_lately(shown.id) if beside.readings else None,
        "readers_shown": READERS,
        "watched": actor.seat is not None and actor.seat in shown.watchers,
        "talk": talk_on(request, actor, place_of(shown, actor=actor), typed=typed, silent=not beside.comments),
    }
    refused = typed.refused if typed else None
    return render(request, "knowledge/page.html", context, status=refused.status if refused else 200)
