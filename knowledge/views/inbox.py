"""The inbox: what others did to the pages somebody follows, and marking it read."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from company.views.screens import go, is_fragment, say, screen
from knowledge.reads.notifications import CURSOR_WIDTH, count_unread, last_pruning, list_notifications
from knowledge.writes.notifications import mark_read


@require_safe
@screen
def notifications(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The notifications of one's own seat, latest first; `show=unread` those that are not read."""
    only_unread = request.GET.get("show") == "unread"
    window = parse_window(None, request.GET.get("after"), width=CURSOR_WIDTH)
    inbox = list_notifications(actor=actor, window=window, unread=only_unread)
    context = {
        "section": "notifications",
        "inbox": inbox,
        "only_unread": only_unread,
        "kept_days": settings.NOTIFICATIONS_KEPT.days,
        "pruned": last_pruning() if actor.is_admin and not is_fragment(request) else None,
    }
    template = "knowledge/inbox.html#rows" if is_fragment(request) else "knowledge/inbox.html"
    return render(request, template, context)


@require_POST
@screen
def read(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Mark one (`id`) or all of them (`all`) read. A fragment's request gets the count that is left."""
    everything = request.POST.get("all") == "1"
    marked = mark_read(actor=actor, ids=_ids(request) or None, everything=everything)
    if is_fragment(request):
        return _badge(request, marked.unread)
    if everything:
        say(request, "Everything is read." if marked.read else "There was nothing left to read.")
    return go("/notifications?show=unread" if request.POST.get("show") == "unread" else "/notifications")


@require_safe
@screen
def unread(request: HttpRequest, actor: Actor) -> HttpResponse:
    """How many are unread, as the mark in the rail."""
    return _badge(request, count_unread(actor))


def _badge(request: HttpRequest, number: int) -> HttpResponse:
    return render(request, "knowledge/unread.html", {"number": number})


def _ids(request: HttpRequest) -> list[int]:
    typed = request.POST.getlist("id")
    if not all(one.isascii() and one.isdigit() and len(one) < 19 for one in typed):
        raise Refused(Code.INVALID, "'id' is the number of a notification.", attr="ids")
    return [int(one) for one in typed]
