"""Forms and fragments of comments: saying something, replying, putting it better, taking it back, naming somebody.

Each works as a plain form that leads back to the page, and as a request of htmx that is answered with the part of the
screen that changed.
"""

from __future__ import annotations

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
from knowledge.views.abilities import abilities_on
from knowledge.views.reading import show_page
from knowledge.views.talk import THREADS, Typed, show, talk_on
from knowledge.writes.comments import add_comment, edit_comment, remove_comment

SEATS_OFFERED = 8


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def comments(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The comments of a page: GET gives a window of threads, POST says something and shows it among the others."""
    page = get_page(actor=actor, page_id=page_id)
    if request.method != "POST":
        if not is_fragment(request):
            return go(f"/knowledge/pages/{page_id}#comments")
        return _section(request, actor, page, part="threads")
    return _say(request, actor, page)


def _say(request: HttpRequest, actor: Actor, page: PageView) -> HttpResponse:
    body = as_written(request.POST.get("body", ""), base="")
    reply_to = _number(request.POST.get("reply_to", ""))
    try:
        made = add_comment(actor=actor, page_id=page.id, body=body, reply_to=reply_to)
    except Refused as refused:
        typed = Typed(body=body, reply_to=reply_to, refused=refused)
        if is_fragment(request):
            return _section(request, actor, page, typed=typed)
        return show_page(request, actor, page.id, typed=typed)
    address = _address(page.id, thread=made.reply_to or made.id, comment_id=made.id)
    if not is_fragment(request):
        return go(address)
    if "?" in address:  # not among the first threads, which is what the section shows
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return _lead_to(made.id, _section(request, actor, page))


@require_safe
@screen
def comment(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """To a comment where it stands beneath its page; as a fragment, the comment alone."""
    found = _of_a_page(actor, comment_id)
    if is_fragment(request):
        return _one(request, actor, comment_id)
    return go(_address(found.subject_id, thread=found.reply_to or found.id, comment_id=found.id))


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def edit(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """Another text for a comment: GET gives the form, POST keeps it."""
    found = _of_a_page(actor, comment_id)
    page = get_page(actor=actor, page_id=found.subject_id)
    context = {"section": "knowledge", "space": page.container, "page": page, "comment": found}
    template = "knowledge/comment_edit.html#form" if is_fragment(request) else "knowledge/comment_edit.html"
    if request.method != "POST":
        return render(request, template, {**context, "typed_body": found.body})
    body = as_written(request.POST.get("body", ""), base=found.body)
    try:
        edit_comment(actor=actor, comment_id=comment_id, body=body)
    except Refused as refused:
        if refused.problems[0].attr != "body":
            raise
        shown = {**context, "typed_body": body, "refused": refused}
        return render(request, template, shown, status=refused.status)
    if is_fragment(request):
        return _lead_to(comment_id, _one(request, actor, comment_id))
    return go(_address(found.subject_id, thread=found.reply_to or found.id, comment_id=found.id))


@require_POST
@screen
def remove(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    """Take a comment back; replies to it stay."""
    page_id = remove_comment(actor=actor, comment_id=comment_id).subject_id
    if is_fragment(request):
        return _section(request, actor, get_page(actor=actor, page_id=page_id))
    return go(f"/knowledge/pages/{page_id}#comments")


@require_safe
@screen
def seats(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Seats whose handle or name begins with `q`, or has a word that does, to complete a mention. Costs no query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    asked = request.GET.get("q", "").casefold()
    found = sorted((seat for seat in live.current().seats if _fits(seat, asked)), key=lambda seat: seat.handle)
    offered = found[:SEATS_OFFERED]
    return render(request, "knowledge/comments.html#seats", {"seats": offered, "more": len(found) - len(offered)})


def _fits(seat: Seat, asked: str) -> bool:
    words = [seat.handle, seat.name, *seat.name.split()]
    return any(word.casefold().startswith(asked) for word in words)


def _of_a_page(actor: Actor, comment_id: int) -> CommentView:
    """A comment on a page; one on anything else has screens of its own."""
    found = get_comment(actor=actor, comment_id=comment_id)
    if found.kind != PAGE:
        raise Refused(Code.NOT_FOUND, "There is no such comment on a page. It may stand elsewhere.")
    return found


def _section(
    request: HttpRequest, actor: Actor, page: PageView, *, part: str = "section", typed: Typed | None = None
) -> HttpResponse:
    context = {"page": page, "talk": talk_on(request, actor, page, typed=typed)}
    status = typed.refused.status if typed else 200
    return render(request, f"knowledge/comments.html#{part}", context, status=status)


def _one(request: HttpRequest, actor: Actor, comment_id: int) -> HttpResponse:
    found = _of_a_page(actor, comment_id)
    page = get_page(actor=actor, page_id=found.subject_id)
    may_speak = abilities_on(page, actor=actor).comment
    shown = show(request, actor, found, may_speak=may_speak)
    return render(request, "knowledge/comments.html#comment", {"page": page, "shown": shown})


def _lead_to(comment_id: int, answer: HttpResponse) -> HttpResponse:
    """Have the screen go on at a comment, once the answer stands in it."""
    answer["HX-Trigger-After-Swap"] = f'{{"comment-written": "comment-{comment_id}"}}'
    return answer


def _address(page_id: int, *, thread: int, comment_id: int) -> str:
    """Where a comment is to be seen: on the page itself, or in the window of threads that begins with its own."""
    window = ""
    if has_earlier_threads(subject_id=page_id, thread=thread, number=THREADS):
        window = f"?comments={encode_cursor((thread - 1,))}"
    return f"/knowledge/pages/{page_id}{window}#comment-{comment_id}"


def _number(typed: str) -> int | None:
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) < 19):
        raise Refused(Code.INVALID, "'reply_to' is the number of a comment.", attr="reply_to")
    return int(typed)
