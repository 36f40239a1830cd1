"""The screen of an item: its words, its fields, how it hangs together, what links to it, what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from company import live
from company.rules.actors import Actor, Permission
from company.rules.refusals import Code, Refused
from company.rules.windows import MAX_LIMIT, Listing, Window
from company.views.screens import go, is_fragment, say, screen
from knowledge.addresses import base_urls
from knowledge.views.prose import prose
from knowledge.views.talk import Place, Typed, talk_on
from tracker.reads.items import get_item
from tracker.reads.links import PageThatLinks, pages_linking_to
from tracker.reads.lists import list_items
from tracker.reads.shapes import ItemRow, ItemView
from tracker.reads.subjects import KIND
from tracker.rules.authority import Act, require_act, standing_of
from tracker.rules.changes import Changes
from tracker.rules.filters import Filters, Sort
from tracker.rules.vocabulary import Relation
from tracker.views.asking import choices
from tracker.writes.items import relate_item, save_item, unrelate_item, watch_item

NO_CHILDREN: Listing[ItemRow] = Listing(results=(), total=0)
FIELDS = ("status", "assignee", "priority", "type", "due", "parent", "labels")
RELATION_WORDS = {
    Relation.BLOCKED_BY: "Blocked by",
    Relation.BLOCKS: "Blocks",
    Relation.RELATES: "Relates to",
    Relation.DUPLICATES: "Duplicates",
    Relation.PAGE: "Page",
}


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """Which actions to show beside an item: what the write layer would let through."""

    save: bool
    comment: bool
    trash: bool
    restore: bool


@require_safe
@screen
def item(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """One item; a key in another spelling leads to its own."""
    found = get_item(actor=actor, key=key)
    if found.key != key:
        return go(f"/tracker/items/{found.key}")
    return show_item(request, actor, found)


@require_POST
@screen
def fields(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Another status, assignee, priority and the like. What the form shows as it was is not asked for, so that what
    others changed meanwhile stays. A fragment's request gets the fields as they are now."""
    asked: dict[str, Any] = {
        name: request.POST[name].strip()
        for name in FIELDS
        if name in request.POST and request.POST[name].strip() != request.POST.get(f"was_{name}", "\x00")
    }
    labels = asked.pop("labels", None)
    split = [part.strip() for part in labels.split(",") if part.strip()] if labels is not None else None
    refused = None
    try:
        if asked or split is not None:
            save_item(
                actor=actor,
                key=key,
                changes=Changes(**asked, labels=split),
                base_version=_number(request.POST.get("base_version", "")),
            )
    except Refused as error:
        if error.code in (Code.NOT_FOUND, Code.FORBIDDEN):
            raise
        refused = error
    found = get_item(actor=actor, key=key)
    if not is_fragment(request):
        return go(f"/tracker/items/{found.key}") if refused is None else show_item(request, actor, found, refused)
    context = {"item": found, "choices": choices(), "may": abilities_on(found, actor=actor), "refused": refused}
    return render(request, "tracker/item.html#fields", context, status=refused.status if refused else 200)


@require_POST
@screen
def status(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Another status, from a board. A fragment's request gets the card as it is now."""
    found = save_item(
        actor=actor,
        key=key,
        changes=Changes(status=request.POST.get("status", "")),
        base_version=_number(request.POST.get("base_version", "")),
    )
    if is_fragment(request):
        return render(request, "tracker/board.html#card", {"item": found, "choices": choices(), "may_move": True})
    back = request.POST.get("back", "")
    return go(back if back.startswith("/tracker/board") else f"/tracker/items/{found.key}")


@require_POST
@screen
def watch(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Begin or stop watching an item."""
    on = request.POST.get("on") == "1"
    found = watch_item(actor=actor, key=key, on=on)
    say(request, "You will hear of changes to this item." if on else "You will no longer hear of changes to this item.")
    return go(f"/tracker/items/{found.key}")


@require_POST
@screen
def relations(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """Add a relation, or take one away (`remove`)."""
    relation = request.POST.get("relation", "")
    other, page_id = request.POST.get("other", "").strip(), None
    act = unrelate_item if request.POST.get("remove") else relate_item
    refused = None
    try:
        if relation == Relation.PAGE.value:
            page_id = _number(other.rpartition("/")[2])
            if page_id is None:
                raise Refused(Code.INVALID, "Give the number of the page, or its address.", attr="page_id")
        act(actor=actor, key=key, relation=relation, other=other or None, page_id=page_id)
    except Refused as error:
        if error.problems[0].attr is None and error.code is not Code.NOT_FOUND:
            raise
        refused = error
    found = get_item(actor=actor, key=key)
    if not is_fragment(request):
        return go(f"/tracker/items/{found.key}") if refused is None else show_item(request, actor, found, refused)
    context = {
        "item": found,
        "related": related_of(found),
        "relation_words": RELATION_WORDS.items(),
        "may": abilities_on(found, actor=actor),
        "relation_refused": refused,
        "typed_relation": relation if refused else "",
        "typed_other": other if refused else "",
    }
    return render(request, "tracker/item.html#relations", context, status=refused.status if refused else 200)


def show_item(
    request: HttpRequest, actor: Actor, found: ItemView, refused: Refused | None = None, *, typed: Typed | None = None
) -> HttpResponse:
    """The screen of an item that was read; with a refusal of its fields, or a comment that was typed and refused."""
    children = NO_CHILDREN
    if found.children:
        under = Filters(parent=found.key, sort=Sort.PRIORITY)
        children = list_items(actor=actor, filters=under, window=Window(limit=MAX_LIMIT))
    linked: tuple[PageThatLinks, ...] = ()
    if actor.holds(Permission.KNOWLEDGE):
        linked = pages_linking_to(found.key, actor=actor, origins=base_urls(request))
    may = abilities_on(found, actor=actor)
    context = {
        "section": "tracker",
        "project": found.project,
        "item": found,
        "rendered": prose(request, actor, found.description, kept=True),
        "children": children,
        "related": related_of(found),
        "relation_words": RELATION_WORDS.items(),
        "linked": linked,
        "choices": choices(),
        "may": may,
        "watched": actor.seat is not None and actor.seat in found.watchers,
        "refused": refused,
        "talk": talk_on(request, actor, place_of(found, actor=actor), typed=typed),
        "declared": live.current().project_by_key.get(found.project),
    }
    shown = refused or (typed.refused if typed else None)
    return render(request, "tracker/item.html", context, status=shown.status if shown else 200)


def related_of(found: ItemView) -> list[tuple[str, list[object]]]:
    """The relations of an item under the words they read as."""
    return [(words, list(group)) for words, group in groupby(found.relations, key=lambda one: one.words)]


def abilities_on(found: ItemView, *, actor: Actor) -> Abilities:
    """What the actor may do to an item as it stands."""
    standing = standing_of(actor=actor, company=live.current(), project=found.project, author=found.author)
    living = found.trashed_at is None

    def may(act: Act) -> bool:
        try:
            require_act(act, actor=actor, standing=standing)
        except Refused:
            return False
        return True

    return Abilities(
        save=living and may(Act.SAVE),
        comment=living and may(Act.COMMENT),
        trash=living and may(Act.TRASH),
        restore=not living and may(Act.RESTORE),
    )


def place_of(found: ItemView, *, actor: Actor) -> Place:
    """An item as comments are written beneath it."""
    return Place(
        kind=KIND,
        subject_id=found.id,
        address=f"/tracker/items/{found.key}",
        comments="/tracker/comments",
        what="item",
        open=abilities_on(found, actor=actor).comment,
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
