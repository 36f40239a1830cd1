"""Screens about reading: who read a page, and what nobody reads in a space."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company.rules.actors import Actor
from company.rules.days import parse_days
from company.rules.windows import parse_window
from company.views.screens import screen
from knowledge.reads.containers import get_container
from knowledge.reads.levels import CURSOR_WIDTH
from knowledge.reads.pages import get_page
from knowledge.reads.readers import READERS_DAYS, UNREAD_DAYS, list_unread, readers_of

SPANS = ((1, "Today"), (7, "7 days"), (READERS_DAYS, f"{READERS_DAYS} days"))


@require_safe
@screen
def of_page(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Who read a page over the days that are asked for."""
    page = get_page(actor=actor, page_id=page_id)
    days = parse_days(request.GET.get("days"), default=READERS_DAYS, maximum=READERS_DAYS)
    read = readers_of(actor=actor, page_id=page_id, days=days)
    context = {"section": "knowledge", "space": page.container, "page": page, "read": read, "spans": SPANS}
    return render(request, "knowledge/readers.html", context)


@require_safe
@screen
def unread(request: HttpRequest, actor: Actor, container: str) -> HttpResponse:
    """The pages of a space that nobody read for a quarter."""
    found = get_container(actor=actor, key=container)
    window = parse_window(None, request.GET.get("after"), width=CURSOR_WIDTH)
    context = {
        "section": "knowledge",
        "space": container,
        "container": found,
        "listing": list_unread(actor=actor, container=container, window=window),
        "days": UNREAD_DAYS,
    }
    return render(request, "knowledge/space_unread.html", context)
