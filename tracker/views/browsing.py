"""Screens that lead to items: the list, the board, one's own work, and saved views."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, parse_window
from company.views.screens import go, is_fragment, say, screen
from tracker.reads.boards import board_of
from tracker.reads.lists import CURSOR_WIDTH, list_items
from tracker.reads.projects import list_projects
from tracker.reads.shapes import ItemRow
from tracker.rules.filters import FILTERS, ME, Filters, Sort, parse_filters
from tracker.rules.views import Layout
from tracker.rules.vocabulary import OPEN, Status
from tracker.views.asking import address, filters_of, frame, may_file
from tracker.writes.views import remove_view, save_view

MOST_OF_MINE = 100


@dataclass(frozen=True, kw_only=True)
class Group:
    """Some of one's own work: what it is, and where all of it is listed."""

    title: str
    empty: str
    listing: Listing[ItemRow]
    address: str


@require_safe
@screen
def items(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The list. Without a `status` it shows what is still to be done."""
    filters = filters_of(request)
    window = parse_window(None, request.GET.get("after"), width=CURSOR_WIDTH)
    listing = list_items(actor=actor, filters=filters, window=window)
    context = {"listing": listing, **frame(actor, filters, layout="list")}
    if is_fragment(request):
        part = "rows" if request.GET.get("after") else "found"
        return render(request, f"tracker/list.html#{part}", context)
    context["projects_known"] = list_projects(actor=actor)
    return render(request, "tracker/list.html", context)


@require_safe
@screen
def board(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The board: a column for each status that is asked for; without one, all but what will not come."""
    filters = filters_of(request, layout="board")
    statuses = filters.status or tuple(status for status in Status if status in (*OPEN, Status.DONE))
    columns = board_of(actor=actor, filters=filters, statuses=statuses)
    context = {
        **frame(actor, filters, layout="board"),
        "columns": [
            (column, address("/tracker", filters, status=(column.status,), sort=Sort.PRIORITY)) for column in columns
        ],
        "total": sum(column.total for column in columns),
        "with_all": address("/tracker/board", filters, status=tuple(Status)),
        "shows_all": len(statuses) == len(Status),
        "plain": address("/tracker/board", filters, status=()),
    }
    return render(request, "tracker/board.html#found" if is_fragment(request) else "tracker/board.html", context)


@require_safe
@screen
def mine(request: HttpRequest, actor: Actor) -> HttpResponse:
    """One's own work: what one is at, what comes next, and what one waits for."""
    groups = [
        Group(title=title, empty=empty, listing=_own(actor, filters), address=address("/tracker", filters))
        for title, empty, filters in (
            (
                "At it now",
                "Nothing is in progress or in review.",
                Filters(assignee=ME, status=(Status.IN_PROGRESS, Status.IN_REVIEW), sort=Sort.PRIORITY),
            ),
            ("Next", "Nothing waits to be begun.", Filters(assignee=ME, status=(Status.TODO,), sort=Sort.PRIORITY)),
            (
                "Filed by you, with others",
                "Nothing that you asked for is open.",
                Filters(author=ME, status=OPEN, sort=Sort.UPDATED),
            ),
        )
    ]
    groups[2] = _with_others(groups[2], actor)
    context = {"section": "tracker", "sub": "mine", "groups": groups, "may_file": may_file(actor)}
    return render(request, "tracker/mine.html", context)


def _own(actor: Actor, filters: Filters) -> Listing[ItemRow]:
    return list_items(actor=actor, filters=filters, window=Window(limit=MOST_OF_MINE))


def _with_others(group: Group, actor: Actor) -> Group:
    """What the actor filed and somebody else has, or nobody."""
    rows = tuple(row for row in group.listing.results if row.assignee != (actor.seat or ""))
    left = Listing(results=rows, total=len(rows), after=group.listing.after)
    return Group(title=group.title, empty=group.empty, listing=left, address=group.address)


@require_POST
@screen
def keep_view(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Keep what the list or the board shows under a name."""
    asked = QueryDict(request.POST.get("query", ""))
    if unknown := [name for name in asked if name not in FILTERS]:
        raise Refused(Code.UNKNOWN_FIELD, f"A list takes no '{unknown[0]}'.", attr="query")
    layout = Layout.BOARD if request.POST.get("layout") == Layout.BOARD.value else Layout.LIST
    view = save_view(
        actor=actor,
        name=request.POST.get("name", ""),
        filters=parse_filters({name: asked.getlist(name) for name in asked}),
        layout=layout,
        shared=request.POST.get("shared") == "1",
    )
    say(request, f"“{view.name}” is kept{' and shown to everybody' if view.shared else ''}.")
    return go(view.address)


@require_POST
@screen
def drop_view(request: HttpRequest, actor: Actor, view_id: int) -> HttpResponse:
    """Drop a view."""
    name = remove_view(actor=actor, view_id=view_id)
    say(request, f"“{name}” is dropped. Nothing happened to its items.")
    return go("/tracker")
