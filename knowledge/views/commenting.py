"""Forms and fragments of comments: saying something, replying, putting it better, taking it back, naming somebody.

Each works as a plain form that leads back to the page, and as a request of htmx that is answered with the part of the
screen that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.chart import Seat
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from company.rules.windows import encode_cursor
from company.views.screens import go, is_fragment, screen
from knowledge.models.talk import PAGE
from knowledge.reads.comments import CommentView, get_comment, has_earlier_threads
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageView
from knowledge.rules.line_ends import as_written
from knowledge.views.reading import show_page
from knowledge.views.talk import THREADS, Place, Typed, place_of, show, talk_on
from knowledge.writes.comments import add_comment, edit_comment, remove_comment

SEATS_OFFERED = 8


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def comments(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The comments of a page: GET gives a window of threads, POST says something and shows it among the others."""
    page = get_page(actor=actor, page_id=page_id)
    place = place_of(page, actor=actor)
    if request.method != "POST":
        return show_threads(request, actor, place)

    def say(body: str, reply_to: int | None) -> CommentView:
        return add_comment(actor=actor, page_id=page_id, body=body, reply_to=reply_to)

    def whole(typed: Typed) -> HttpResponse:
        return show_page(request, actor, page_id, typed=typed)

    return take_comment(request, actor, place, say=say, whole=whole)


@require_safe
@screen
def comment(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """To a comment where it stands beneath its page; as a fragment, the comment alone."""
    found, page = _of_a_page(actor, comment_id)
    return show_comment(request, actor, place_of(page, actor=actor), found)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def edit(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """Another text for a comment: GET gives the form, POST keeps it."""
    found, page = _of_a_page(actor, comment_id)
    context = {"section": "knowledge", "space": page.container, "page": page}
    place = place_of(page, actor=actor)
    return take_edit(request, actor, place, found, template="knowledge/comment_edit.html", context=context)


@require_POST
@screen
def remove(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """Take a comment back; replies to it stay."""
    page_id = remove_comment(actor=actor, comment_id=comment_id).subject_id
    return show_without(request, actor, place_of(get_page(actor=actor, page_id=page_id), actor=actor))


@require_safe
@screen
def seats(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Seats whose handle or name begins with `q`, or has a word that does, to complete a mention. Costs no query."""
    holds = Permission.TRACKER if actor.holds(Permission.TRACKER) else Permission.KNOWLEDGE
    require_app(actor, holds, Scope.READ)
    asked = request.GET.get("q", "").casefold()
    found = sorted((seat for seat in live.current().seats if _fits(seat, asked)), key=lambda seat: seat.handle)
    offered = found[:SEATS_OFFERED]
    return render(request, "knowledge/comments.html#seats", {"seats": offered, "more": len(found) - len(offered)})


def _fits(seat: Seat, asked: str) -> bool:
    words = [seat.handle, seat.name, *seat.name.split()]
    return any(word.casefold().startswith(asked) for word in words)


def show_threads(request: HttpRequest, actor: Actor, place: Place) -> HttpResponse:
    """A window of threads for whoever asks for more of them; for anybody else, the screen they stand on."""
    if not is_fragment(request):
        return go(f"{place.address}#comments")
    return _section(request, actor, place, part="threads")


def take_comment(
    request: HttpRequest,
    actor: Actor,
    place: Place,
    *,
    say: Callable[[str, int | None], CommentView],
    whole: Callable[[Typed], HttpResponse],
) -> HttpResponse:
    """`say` what was typed, and lead to it. `whole` shows the screen again with what was refused still in its form."""
    body = as_written(request.POST.get("body", ""), base="")
    reply_to = _number(request.POST.get("reply_to", ""))
    try:
        made = say(body, reply_to)
    except Refused as refused:
        typed = Typed(body=body, reply_to=reply_to, refused=refused)
        return _section(request, actor, place, typed=typed) if is_fragment(request) else whole(typed)
    address = _address(place, made)
    if not is_fragment(request):
        return go(address)
    if "?" in address:  # not among the first threads, which is what the section shows
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return _lead_to(made.id, _section(request, actor, place))


def show_comment(request: HttpRequest, actor: Actor, place: Place, found: CommentView) -> HttpResponse:
    """To a comment where it stands; as a fragment, the comment alone."""
    return _one(request, actor, place, found) if is_fragment(request) else go(_address(place, found))


def take_edit(
    request: HttpRequest,
    actor: Actor,
    place: Place,
    found: CommentView,
    *,
    template: str,
    context: Mapping[str, object],
) -> HttpResponse:
    """The form of a comment's text, as the screen `template` shows it; POST keeps the text."""
    shown = {**context, "comment": found, "address": f"{place.comments}/{found.id}"}
    part = "knowledge/comment_edit.html#form" if is_fragment(request) else template
    if request.method != "POST":
        return render(request, part, {**shown, "typed_body": found.body})
    body = as_written(request.POST.get("body", ""), base=found.body)
    try:
        edited = edit_comment(actor=actor, comment_id=found.id, body=body)
    except Refused as refused:
        if refused.problems[0].attr != "body":
            raise
        return render(request, part, {**shown, "typed_body": body, "refused": refused}, status=refused.status)
    if is_fragment(request):
        return _lead_to(found.id, _one(request, actor, place, edited))
    return go(_address(place, edited))


def show_without(request: HttpRequest, actor: Actor, place: Place) -> HttpResponse:
    """What is left of the talk, once a comment was removed."""
    return _section(request, actor, place) if is_fragment(request) else go(f"{place.address}#comments")


def _of_a_page(actor: Actor, comment_id: int) -> tuple[CommentView, PageView]:
    """A comment on a page, and the page; a comment on anything else has screens of its own."""
    found = get_comment(actor=actor, comment_id=comment_id)
    if found.kind != PAGE:
        raise Refused(Code.NOT_FOUND, "There is no such comment on a page. It may stand elsewhere.")
    return found, get_page(actor=actor, page_id=found.subject_id)


def _section(
    request: HttpRequest, actor: Actor, place: Place, *, part: str = "section", typed: Typed | None = None
) -> HttpResponse:
    context = {"talk": talk_on(request, actor, place, typed=typed)}
    status = typed.refused.status if typed else 200
    return render(request, f"knowledge/comments.html#{part}", context, status=status)


def _one(request: HttpRequest, actor: Actor, place: Place, found: CommentView) -> HttpResponse:
    shown = show(request, actor, found, place=place)
    return render(request, "knowledge/comments.html#comment", {"shown": shown})


def _lead_to(comment_id: int, answer: HttpResponse) -> HttpResponse:
    """Have the screen go on at a comment, once the answer stands in it."""
    answer["HX-Trigger-After-Swap"] = f'{{"comment-written": "comment-{comment_id}"}}'
    return answer


def _address(place: Place, found: CommentView) -> str:
    """Where a comment is to be seen: beneath its thing, or in the window of threads that begins with its own."""
    window, thread = "", found.reply_to or found.id
    if has_earlier_threads(kind=place.kind, subject_id=place.subject_id, thread=thread, number=THREADS):
        window = f"?comments={encode_cursor((thread - 1,))}"
    return f"{place.address}{window}#comment-{found.id}"


def _number(typed: str) -> int | None:
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) < 19):
        raise Refused(Code.INVALID, "'reply_to' is the number of a comment.", attr="reply_to")
    return int(typed)
