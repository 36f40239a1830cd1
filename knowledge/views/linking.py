"""Screens about links between pages: what links to one, and the pages an editor offers to link to."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company.rules.actors import Actor
from company.rules.windows import parse_window
from company.views.screens import is_fragment, screen
from knowledge.addresses import base_urls
from knowledge.reads.links import CURSOR_WIDTH, list_backlinks
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageRow
from knowledge.reads.titles import pages_titled
from knowledge.rules.links import write_link


@dataclass(frozen=True, kw_only=True)
class LinkOption:
    """A page that can be linked to, and the markdown that does it."""

    page: PageRow
    markdown: str


@require_safe
@screen
def linked_from(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """What links to a page: a window of it as a screen, or as rows for a fragment's request."""
    page = get_page(actor=actor, page_id=page_id)
    window = parse_window(None, request.GET.get("after"), width=CURSOR_WIDTH)
    backlinks = list_backlinks(actor=actor, page_id=page_id, origins=base_urls(request), window=window)
    context = {"section": "knowledge", "space": page.container, "page": page, "backlinks": backlinks}
    template = "knowledge/linked_from.html#rows" if is_fragment(request) else "knowledge/linked_from_all.html"
    return render(request, template, context)


@require_safe
@screen
def link_options(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The pages whose title fits what was typed, as the options of a list; `within` one space, all `but` one."""
    asked = " ".join(request.GET.get("q", "").split())
    container = request.GET.get("container", "")
    but, only = request.GET.get("but", ""), request.GET.get("within") == "1"
    found = pages_titled(actor=actor, words=asked, near=container, only_near=only)
    options = [
        LinkOption(page=row, markdown=write_link(title=row.title, page_id=row.id))
        for row in found
        if str(row.id) != but
    ]
    return render(request, "knowledge/link_options.html", {"options": options, "asked": asked})
