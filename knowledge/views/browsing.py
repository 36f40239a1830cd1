"""Screens that lead to pages: the spaces, and one space as an outline."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company.rules.actors import Actor
from company.rules.refusals import Refused
from company.rules.windows import decode_cursor
from company.views.screens import is_fragment, screen
from knowledge.reads.containers import get_container, list_containers
from knowledge.reads.levels import CURSOR_WIDTH
from knowledge.reads.outline import At, level_window
from knowledge.reads.pages import open_branch
from knowledge.reads.recent import recent_changes
from knowledge.reads.shapes import PageRow
from knowledge.views.abilities import may_create_in

RECENT = 12


@dataclass(frozen=True, kw_only=True)
class Row:
    """A page in an outline, with the level under it where that is open."""

    page: PageRow
    level: Level | None = None
    here: bool = False


@dataclass(frozen=True, kw_only=True)
class Level:
    """One window of a level: its rows, and the addresses that go on from it either way, where there is more."""

    rows: tuple[Row, ...]
    total: int
    earlier: str | None
    more: str | None


@require_safe
@screen
def home(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The spaces, and what changed lately."""
    return render(
        request,
        "knowledge/home.html",
        {
            "section": "knowledge",
            "containers": list_containers(actor=actor),
            "changes": recent_changes(actor=actor, limit=RECENT),
        },
    )


@require_safe
@screen
def space(request: HttpRequest, actor: Actor, container: str) -> HttpResponse:
    """One space as an outline. `open` is a page whose branch stands open; `after` continues the top level."""
    found = get_container(actor=actor, key=container)
    way, here = _way(request, actor, container)
    level = _level(actor, container=container, at=_at(request), way=way)
    context = {
        "section": "knowledge",
        "space": container,
        "container": found,
        "level": level,
        "here": here,
        "may_create": may_create_in(container, actor=actor),
    }
    return render(request, "knowledge/space.html#level" if is_fragment(request) else "knowledge/space.html", context)


@require_safe
@screen
def branch(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The level right under one page, as a fragment of its outline."""
    level = _level(actor, parent=page_id, at=_at(request), way=())
    return render(request, "knowledge/space.html#level", {"level": level})


def _at(request: HttpRequest) -> At:
    """Which window of a level an address asks for."""
    after, before = request.GET.get("after"), request.GET.get("before")
    return At(
        after=decode_cursor(after, width=CURSOR_WIDTH) if after else None,
        before=decode_cursor(before, width=CURSOR_WIDTH) if before else None,
    )


def _way(request: HttpRequest, actor: Actor, container: str) -> tuple[tuple[int, ...], int | None]:
    """The pages whose branches stand open, from the top down, and the one the address asked for.

    A page that went elsewhere or is no longer to be seen opens nothing: the space is still there.
    """
    wanted = request.GET.get("open", "")
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 19):
        return (), None
    try:
        way = open_branch(actor=actor, page_id=int(wanted))
    except Refused:
        return (), None
    return (way.ids, int(wanted)) if way.container == container else ((), None)


def _level(
    actor: Actor, *, container: str | None = None, parent: int | None = None, at: At, way: tuple[int, ...]
) -> Level:
    """The rows of a level; the one on the way has the level under it, down to the last of the way."""
    on_the_way = At(around=way[0]) if way and at == At() else at
    window = level_window(actor=actor, container=container, parent=parent, at=on_the_way)
    rows = []
    for page in window.rows:
        under = None
        if way and page.id == way[0] and page.children:
            under = _level(actor, parent=page.id, at=At(), way=way[1:])
        rows.append(Row(page=page, level=under, here=way == (page.id,)))
    address = f"/knowledge/outline/{parent}" if parent is not None else f"/knowledge/{container}"
    return Level(
        rows=tuple(rows),
        total=window.total,
        earlier=f"{address}?before={window.earlier}" if window.earlier else None,
        more=f"{address}?after={window.later}" if window.later else None,
    )
