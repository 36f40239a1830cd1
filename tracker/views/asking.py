"""What the screens of the tracker ask for in their addresses, and the choices they offer. Decides nothing."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Refused
from tracker.reads.views import list_views
from tracker.rules.authority import Act, require_act
from tracker.rules.filters import Filters, Sort, parse_filters
from tracker.rules.vocabulary import OPEN, STATUS_WORDS, Priority, Status, Type

SORT_WORDS = {
    Sort.UPDATED: "Changed last",
    Sort.CREATED: "Filed last",
    Sort.PRIORITY: "Pressing first",
    Sort.DUE: "Due first",
}


def filters_of(request: HttpRequest, *, layout: str = "list") -> Filters:
    """The filters of an address. A list that says nothing of a status shows what is open; an empty `status` is all."""
    query = request.GET
    asked = {name: query.getlist(name) for name in query}
    if layout == "list" and "status" not in query:
        asked["status"] = ["open"]
    return parse_filters(asked)


def address(place: str, filters: Filters, **changes: object) -> str:
    """An address of a screen with these filters; one of a list says so where it asks for every status."""
    query = filters.query(**changes)
    if place == "/tracker" and "status=" not in query:
        query = f"{query}&status=" if query else "status="
    return f"{place}?{query}" if query else place


def frame(actor: Actor, filters: Filters, *, layout: str) -> dict[str, object]:
    """What the list and the board have in common: the choices of the filters, the tabs, and the saved views."""
    company = live.current()
    place = "/tracker/board" if layout == "board" else "/tracker"
    project = company.project_by_key.get(filters.project)
    return {
        "section": "tracker",
        "project": filters.project,
        "declared": project,
        "filters": filters,
        "layout": layout,
        "place": place,
        "here": address(place, filters),
        "query": filters.query(),
        "as_list": address("/tracker", filters),
        "as_board": address("/tracker/board", filters, sort=Sort.UPDATED, status=()),
        "choices": choices(),
        "views": list_views(actor=actor),
        "may_file": may_file(actor),
        "files_in": filters.project if project else (company.project_of(actor.seat) or ""),
        "is_filtered": filters.narrows and filters != Filters(project=filters.project, status=OPEN, sort=filters.sort),
    }


def choices() -> Mapping[str, object]:
    """The vocabularies a form offers."""
    company = live.current()
    return {
        "statuses": [(status, STATUS_WORDS[status]) for status in Status],
        "types": [(kind, kind.value.capitalize()) for kind in Type],
        "priorities": [(priority, priority.value.capitalize()) for priority in reversed(Priority)],
        "seats": sorted(company.seats, key=lambda seat: seat.name.casefold()),
        "sorts": list(SORT_WORDS.items()),
        "projects": company.projects,
    }


def may_file(actor: Actor) -> bool:
    """Whether the actor may file items at all."""
    try:
        require_act(Act.CREATE, actor=actor)
    except Refused:
        return False
    return bool(live.current().projects)
