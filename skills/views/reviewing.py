"""What waits for review: the list of it, and one version with what it would change, to approve or to send back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from company.views.screens import go, is_fragment, say, screen
from knowledge.reads.pages import get_page
from knowledge.reads.reviewing import CURSOR_WIDTH, Proposal, get_proposal, list_waiting, replaced_files
from knowledge.rules.diff import diff_lines
from knowledge.views.differences import first_row_of, remember_shape, shape_of, show_difference
from knowledge.writes.pages import approve_page, send_back_page
from skills.reads.validate import validate_text
from skills.tool_skills.rules.documents import Kind
from skills.views.words import DIALECTS

FILE_ROWS = 40_000
"""Rows of a file's difference: more than the short files that are compared have, so that none is cut."""


@require_safe
@screen
def waiting(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Everything that waits, longest first."""
    window = parse_window(None, request.GET.get("after"), width=CURSOR_WIDTH)
    listing = list_waiting(actor=actor, window=window)
    context = {"section": "skills", "listing": listing, "reviewed": live.current().skills_review}
    template = "skills/waiting.html#rows" if is_fragment(request) else "skills/waiting.html"
    return render(request, template, context)


@require_safe
@screen
def proposal(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """What waits of one page against what it says now; the page itself where nothing does."""
    try:
        found = get_proposal(actor=actor, page_id=page_id)
    except Refused as refused:
        page = get_page(actor=actor, page_id=page_id)
        if refused.code is not Code.NOT_FOUND or page.pending_version is not None:
            raise
        say(request, "Nothing of this page waits for review.")
        return go(f"/knowledge/pages/{page_id}")
    return _shown(request, actor, found)


@require_POST
@screen
def approve(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Approve the version that was looked at; where another one waits by now, that one is shown."""
    version = _version(request)
    try:
        page = approve_page(actor=actor, page_id=page_id, version=version)
    except Refused as refused:
        return _refused(request, actor, page_id, refused)
    say(request, f"Version {page.version} of “{page.title}” is approved. Every process serves it soon.")
    return go("/skills/review")


@require_POST
@screen
def send_back(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Send back the version that was looked at, with a word to its writer; one's own is withdrawn."""
    version, word = _version(request), request.POST.get("word", "")
    try:
        page = send_back_page(actor=actor, page_id=page_id, version=version, word=word or None)
    except Refused as refused:
        return _refused(request, actor, page_id, refused, word=word)
    done = "withdrawn" if request.POST.get("own") == "1" else "sent back"
    say(request, f"Version {version} of “{page.title}” is {done}. Its text stays in the history.")
    return go("/skills/review")


def _refused(request: HttpRequest, actor: Actor, page_id: int, refused: Refused, *, word: str = "") -> HttpResponse:
    """What waits now with the refusal above it; the refusal alone where nothing is left to decide on."""
    if refused.code not in (Code.STALE_VERSION, Code.FORBIDDEN, Code.TOO_LONG, Code.INVALID):
        raise refused
    try:
        found = get_proposal(actor=actor, page_id=page_id)
    except Refused:
        raise refused from None
    return _shown(request, actor, found, refused=refused, word=word)


def _shown(
    request: HttpRequest, actor: Actor, found: Proposal, *, refused: Refused | None = None, word: str = ""
) -> HttpResponse:
    here = f"/skills/review/{found.page.id}?version={found.row.version}"
    difference = show_difference(
        diff_lines(found.said, found.page.body), shape=shape_of(request), first=first_row_of(request)
    )
    if is_fragment(request):
        return render(request, "knowledge/diff.html#rows", {"difference": difference, "more": here})
    verdict = validate_text(actor=actor, text=found.page.body)
    changed = [
        (
            file,
            show_difference(diff_lines(*file.texts), shape=shape_of(request), window=FILE_ROWS) if file.texts else None,
        )
        for file in replaced_files(found)
    ]
    paths = {file.new.path for file, _ in changed}
    context = {
        "section": "skills",
        "found": found,
        "page": found.page,
        "difference": difference,
        "changed": changed,
        "coming": [file for file in found.coming if file.path not in paths],
        "going": [file for file in found.going if file.path not in paths],
        "here": here,
        "refused": refused,
        "word": word,
        "verdict": verdict,
        "dialect": DIALECTS.get(verdict.kind),
        "is_page": verdict.kind is Kind.PAGE,
    }
    status = refused.status if refused else 200
    return remember_shape(request, render(request, "skills/proposal.html", context, status=status))


def _version(request: HttpRequest) -> int:
    given = request.POST.get("version", "")
    if not (given.isascii() and given.isdigit() and 0 < len(given) < 10):
        raise Refused(Code.REQUIRED, "Say in 'version' which version you looked at.", attr="version")
    return int(given)
