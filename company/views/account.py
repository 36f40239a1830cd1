"""Screens of one's own: coming in, going out, a password, light or dark."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote, urlencode

from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from company.models.credentials import Person
from company.reads.people import person_of
from company.rules.actors import Actor
from company.rules.refusals import Refused
from company.views.identity import home_of, safe_next
from company.views.screens import THEME_COOKIE, THEMES, go, say, screen
from company.writes.people import set_password
from company.writes.sessions import sign_in, sign_in_by_link, sign_out

THEME_KEPT = timedelta(days=400)


@require_safe
@screen
def front_door(request: HttpRequest, _actor: Actor) -> HttpResponse:
    """The bare address leads to where somebody begins."""
    return go(home_of(request))


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_screen(request: HttpRequest) -> HttpResponse:
    """Login and password. Whoever is signed in already goes on to where they wanted."""
    if request.method != "POST":
        if isinstance(request.user, Person) and request.user.is_active:
            return go(safe_next(request))
        return render(request, "company/sign_in.html", {"next": safe_next(request, default="")})
    login = request.POST.get("login", "")
    try:
        sign_in(request, login=login, password=request.POST.get("password", ""))
    except Refused as refused:
        context = {"next": safe_next(request, default=""), "typed_login": login, "refused": refused}
        return _answer(render(request, "company/sign_in.html", context, status=refused.status), refused)
    return go(safe_next(request))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_once(request: HttpRequest, secret: str) -> HttpResponse:
    """A one-time link: looking at it spends nothing, the button signs in and leads on to choosing a password."""
    if request.method != "POST":
        return render(request, "company/sign_in_once.html")
    try:
        person = sign_in_by_link(request, secret=secret)
    except Refused as refused:
        return render(request, "company/sign_in_once.html", {"refused": refused}, status=refused.status)
    wanted = safe_next(request)
    return go(wanted) if person.has_usable_password() else go(f"/password?{urlencode({'next': wanted})}")


@require_POST
def sign_out_screen(request: HttpRequest) -> HttpResponse:
    """End the session."""
    sign_out(request)
    return go("/sign-in")


@never_cache
@sensitive_post_parameters("password", "current")
@require_http_methods(["GET", "HEAD", "POST"])
@screen
def password(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Choose a password; whoever has one gives it too."""
    person = person_of(actor)
    assert person is not None, "somebody signed in is a person"  # noqa: S101 (tells the type checker what the session is)
    has_password = person.has_usable_password()
    context: dict[str, object] = {"has_password": has_password, "next": safe_next(request, default="")}
    if request.method != "POST":
        return render(request, "company/password.html", context)
    current = request.POST.get("current") if has_password else None
    try:
        changed = set_password(
            actor=actor, person_id=person.pk, password=request.POST.get("password", ""), current=current
        )
    except Refused as refused:
        answer = render(request, "company/password.html", {**context, "refused": refused}, status=refused.status)
        return _answer(answer, refused)
    update_session_auth_hash(request, changed)
    say(request, "Your password is set. Other places you were signed in at are signed out.")
    return go(safe_next(request))


@require_POST
@screen
def theme(request: HttpRequest, _actor: Actor) -> HttpResponse:
    """Remember light, dark or the system's choice in this browser."""
    answer = go(safe_next(request))
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        answer.set_cookie(
            THEME_COOKIE, quote(chosen), max_age=THEME_KEPT, samesite="Lax", httponly=True, secure=request.is_secure()
        )
    return answer


def _answer(answer: HttpResponse, refused: Refused) -> HttpResponse:
    if refused.retry_after is not None:
        answer["Retry-After"] = str(refused.retry_after)
    return answer
