"""Screens of the trash: what lies in it, bringing a page back, removing one for good."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from company.rules.actors import Actor
from company.rules.proofs import SESSION_KEY
from company.rules.refusals import Code, Refused
from company.rules.windows import parse_window
from company.views.identity import actor_of_browser
from company.views.screens import go, say, screen
from company.writes.proofs import prove_identity
from knowledge.models import PageStatus
from knowledge.reads.containers import get_container
from knowledge.reads.pages import get_page
from knowledge.reads.trash import TRASH_CURSOR_WIDTH, list_trash, reaper_state
from knowledge.rules.reaping import KEPT_FOR
from knowledge.views.arranging import page_form
from knowledge.writes.pages import Restored, purge_page, restore_page

NAMED = 3
"""How many pages that stay behind are called by their names."""


@require_safe
@screen
def trash(request: HttpRequest, actor: Actor, container: str | None = None) -> HttpResponse:
    """What the actor may bring back, of one space or of all; administrators see how the trash empties itself too."""
    window = parse_window(None, request.GET.get("after"), width=TRASH_CURSOR_WIDTH)
    context = {
        "section": "knowledge",
        "space": container,
        "container": get_container(actor=actor, key=container) if container is not None else None,
        "listing": list_trash(actor=actor, container=container, window=window),
        "reaper": reaper_state(actor=actor) if actor.is_admin else None,
        "days": KEPT_FOR.days,
        "now": timezone.now(),
    }
    return render(request, "knowledge/trash.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def restore(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Out of the trash; where its title was claimed meanwhile, the form asks for another one."""
    page = get_page(actor=actor, page_id=page_id)
    if request.method != "POST":
        return page_form(request, page, "restore", {"typed_title": page.title})
    title = request.POST.get("title") or None
    try:
        restored = restore_page(actor=actor, page_id=page_id, title=title)
    except Refused as refused:
        if refused.code in (Code.TITLE_TAKEN, Code.TOO_LONG) or refused.problems[0].attr == "title":
            return page_form(request, page, "restore", {"typed_title": title or page.title}, refused=refused)
        raise
    say(request, _restored_words(restored, actor=actor))
    return go(f"/knowledge/pages/{page_id}")


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@screen
def purge(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Removing a page for good: the reason, and the password again where it was not given within 15 minutes."""
    page = get_page(actor=actor, page_id=page_id)
    if page.status is not PageStatus.TRASHED:
        raise Refused(Code.INVALID, "Only a page in the trash is purged. Trash it first.", status=409)
    context: dict[str, object] = {
        "typed_reason": request.POST.get("reason", ""),
        "proven": actor.proven_until is not None and actor.proven_until > timezone.now(),
    }
    if request.method != "POST":
        return page_form(request, page, "purge", context)
    password = request.POST.get("password", "")
    try:
        if password:
            request.session[SESSION_KEY] = prove_identity(actor=actor, password=password).isoformat()
            context["proven"] = True
        purge_page(actor=actor_of_browser(request), page_id=page_id, reason=request.POST.get("reason", ""))
    except Refused as refused:
        answer = page_form(request, page, "purge", context, refused=refused)
        if refused.retry_after is not None:
            answer["Retry-After"] = str(refused.retry_after)
        return answer
    say(request, f"“{page.title}” is gone for good. A record of who removed it and why is kept.")
    return go(f"/knowledge/{page.container}/trash")


def _restored_words(restored: Restored, *, actor: Actor) -> str:
    page = restored.page
    words = ["Restored." if restored.pages == 1 else f"Restored with {restored.pages - 1} more from beneath it."]
    if restored.moved:
        place = f"under “{page.ancestors[-1].title}”" if page.ancestors else f"at the top of {page.container}"
        words.append(f"The page above it is in the trash or gone, so it stands {place} now.")
    if restored.left:
        number = len(restored.left)
        verb = "stays" if number == 1 else "stay"
        words.append(
            f"{_named(restored.left, actor=actor)} {verb} in the trash, because "
            f"{'its title was' if number == 1 else 'their titles were'} taken meanwhile; restore "
            f"{'it' if number == 1 else 'them'} there under another title."
        )
    return " ".join(words)


def _named(page_ids: Sequence[int], *, actor: Actor) -> str:
    """Pages by their titles, as far as the actor sees them, and how many more there are."""
    titles = []
    for page_id in page_ids[:NAMED]:
        try:
            titles.append(f"“{get_page(actor=actor, page_id=page_id).title}”")
        except Refused:  # somebody else's, which this actor could not restore alone
            continue
    more = len(page_ids) - len(titles)
    if not titles:
        return f"{more} page{'' if more == 1 else 's'} from beneath it"
    return ", ".join(titles) + (f" and {more} more" if more else "")
