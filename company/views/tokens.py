"""Screens of tokens: making one, whose secret is shown this once, and ending one."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from company import live
from company.models.credentials import Token
from company.reads.people import WINDOW_WIDTH, list_tokens
from company.rules.actors import Actor, ActorKind, Scope
from company.rules.refusals import Refused
from company.rules.windows import MAX_LIMIT, parse_window
from company.views.screens import go, say, screen
from company.writes.tokens import create_token, revoke_token

LIFETIMES = {"30": "30 days", "90": "90 days", "365": "A year", "": "Until revoked"}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@screen
def tokens(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The tokens somebody may see. POST makes one and shows its secret in the answer, nowhere else and never again."""
    if request.method != "POST":
        return _show(request, actor)
    form = request.POST
    days = form.get("days", "")
    kind, _, holder = form.get("holder", "").partition(":")
    try:
        made, secret = create_token(
            actor=actor,
            name=form.get("name", ""),
            scopes=form.getlist("scopes"),
            seat=holder if kind == "seat" else None,
            service=kind == "service",
            expires_at=timezone.now() + timedelta(days=int(days)) if days in LIFETIMES and days else None,
        )
    except Refused as refused:
        return _show(request, actor, refused=refused)
    return _show(request, actor, made=made, secret=secret)


@require_POST
@screen
def revoke(request: HttpRequest, actor: Actor, token_id: int) -> HttpResponse:
    """End a token at once."""
    revoke_token(actor=actor, token_id=token_id)
    say(request, "The token is revoked. Whatever uses it is refused from now on.")
    return go("/company/tokens")


def _show(
    request: HttpRequest, actor: Actor, *, refused: Refused | None = None, made: Token | None = None, secret: str = ""
) -> HttpResponse:
    listing = list_tokens(
        actor=actor, window=parse_window(str(MAX_LIMIT), request.GET.get("after"), width=WINDOW_WIDTH)
    )
    keep = refused is not None
    context = {
        "section": "company",
        "listing": listing,
        "agents": [seat for seat in live.current().seats if seat.kind is ActorKind.AGENT] if actor.is_admin else [],
        "scopes": [scope.value for scope in Scope if scope is not Scope.ADMIN or actor.is_admin],
        "lifetimes": LIFETIMES.items(),
        "refused": refused,
        "typed_name": request.POST.get("name", "") if keep else "",
        "typed_holder": request.POST.get("holder", "") if keep else "",
        "typed_scopes": request.POST.getlist("scopes") if keep else ["read", "write"],
        "typed_days": request.POST.get("days", "") if keep else "90",
        "made": made,
        "secret": secret,
        "now": timezone.now(),
    }
    return render(request, "company/tokens.html", context, status=refused.status if refused else 200)
