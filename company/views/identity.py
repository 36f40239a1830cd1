"""Who sits at the browser: the actor behind a screen's request, and the way to the sign-in screen for nobody."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme

from company.models.credentials import Person
from company.reads.actors import actor_of_person
from company.rules.actors import Actor, Door, Permission
from company.rules.proofs import SESSION_KEY
from company.rules.refusals import Code, Refused

_Rest = ParamSpec("_Rest")


def actor_of_browser(request: HttpRequest) -> Actor:
    """The actor of the session; raises `not_authenticated` where nobody is signed in."""
    person = request.user
    if not isinstance(person, Person) or not person.is_active:
        raise Refused(Code.NOT_AUTHENTICATED, "Sign in first.")
    kept = request.session.get(SESSION_KEY)
    return actor_of_person(person, door=Door.FORM, proven_until=parse_datetime(kept) if kept else None)


def signed_in(
    view: Callable[Concatenate[HttpRequest, _Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, _Rest], HttpResponseBase]:
    """A screen for those who are signed in; anybody else is sent to sign in and brought back afterwards."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, /, *args: _Rest.args, **kwargs: _Rest.kwargs) -> HttpResponseBase:
        person = request.user
        if isinstance(person, Person) and person.is_active:
            return view(request, *args, **kwargs)
        return _to_sign_in(request)

    return guarded


def home_of(request: HttpRequest) -> str:
    """Where somebody begins: with the pages, or with the work where that is the one app they hold."""
    person = getattr(request, "user", None)
    if isinstance(person, Person) and person.is_active:
        actor = actor_of_browser(request)
        if actor.holds(Permission.TRACKER) and not actor.holds(Permission.KNOWLEDGE):
            return "/tracker"
    return "/knowledge"


def safe_next(request: HttpRequest, *, default: str | None = None) -> str:
    """Where the parameter `next` asks to go, if that is an address of this site; else `default` or their beginning."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    own = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None, require_https=request.is_secure())
    if own and wanted.startswith("/"):
        return wanted
    return home_of(request) if default is None else default


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """A redirect to the sign-in screen. A fragment's request makes the whole screen go there."""
    fragment = request.headers.get("HX-Request") == "true"
    back = request.get_full_path()
    if fragment or request.method not in ("GET", "HEAD"):  # come back to the screen, not to its fragment or form
        screen = urlsplit(request.headers.get("HX-Current-URL") or request.headers.get("Referer") or "")
        back = f"{screen.path}?{screen.query}" if screen.query else screen.path
    address = f"{settings.LOGIN_URL}?{urlencode({'next': back})}" if back else settings.LOGIN_URL
    if fragment:
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)
