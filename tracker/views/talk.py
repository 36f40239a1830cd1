"""Comments on items, on the screens: the forms and fragments of comments on pages, beneath an item."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import screen
from knowledge.reads.comments import CommentView, get_comment
from knowledge.views.commenting import show_comment, show_threads, show_without, take_comment, take_edit
from knowledge.views.talk import Typed
from knowledge.writes.comments import remove_comment
from tracker.reads.items import get_item, key_of
from tracker.reads.shapes import ItemView
from tracker.reads.subjects import KIND
from tracker.views.showing import place_of, show_item
from tracker.writes.comments import comment_item


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def comments(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """The comments of an item: GET gives a window of threads, POST says something and shows it among the others."""
    item = get_item(actor=actor, key=key)
    place = place_of(item, actor=actor)
    if request.method != "POST":
        return show_threads(request, actor, place)

    def say(body: str, reply_to: int | None) -> CommentView:
        return comment_item(actor=actor, key=key, body=body, reply_to=reply_to)

    def whole(typed: Typed) -> HttpResponse:
        return show_item(request, actor, item, typed=typed)

    return take_comment(request, actor, place, say=say, whole=whole)


@require_safe
@screen
def comment(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """To a comment where it stands beneath its item; as a fragment, the comment alone."""
    found, item = _of_an_item(actor, comment_id)
    return show_comment(request, actor, place_of(item, actor=actor), found)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def edit(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """Another text for a comment: GET gives the form, POST keeps it."""
    found, item = _of_an_item(actor, comment_id)
    context = {"section": "tracker", "project": item.project, "item": item}
    place = place_of(item, actor=actor)
    return take_edit(request, actor, place, found, template="tracker/comment_edit.html", context=context)


@require_POST
@screen
def remove(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """Take a comment back; replies to it stay."""
    was = remove_comment(actor=actor, comment_id=comment_id)
    item = get_item(actor=actor, key=key_of(was.subject_id))
    return show_without(request, actor, place_of(item, actor=actor))


def _of_an_item(actor: Actor, comment_id: int) -> tuple[CommentView, ItemView]:
    """A comment on an item, and the item; a comment on anything else has screens of its own."""
    found = get_comment(actor=actor, comment_id=comment_id)
    if found.kind != KIND:
        raise Refused(Code.NOT_FOUND, "There is no such comment on an item. It may stand elsewhere.")
    return found, get_item(actor=actor, key=key_of(found.subject_id))
