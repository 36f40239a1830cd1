"""What every screen shares: who is looking, the frame around it, and what is shown for a refusal.

A screen is a function of the request and its actor. It may raise `Refused`: what a form can show beside a field it
catches itself, the rest becomes a designed page here, or a note where only a fragment was asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render

from company import live
from company.models.credentials import Person
from company.rules.actors import Actor, Permission
from company.rules.refusals import Code, Refused
from company.views.identity import actor_of_browser, signed_in

THEMES = ("light", "dark", "system")
THEME_COOKIE = "theme"

_TITLES = {
    403: "This is not open to you",
    404: "There is nothing here",
    409: "That does not fit any more",
    429: "A little slower, please",
    503: "Not ready yet",
}

_Rest = ParamSpec("_Rest")

_beside: dict[str, Callable[[Actor], object]] = {}


def put_beside(name: str, value: Callable[[Actor], object]) -> None:
    """Let the frame of every screen know `name`. An app above this one says what it is; it is asked when it is shown,
    for whoever holds an app."""
    _beside[name] = value


def screen(
    view: Callable[Concatenate[HttpRequest, Actor, _Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, _Rest], HttpResponseBase]:
    """A screen for somebody signed in. The view gets the request and its actor; a refusal it lets through is shown."""

    @signed_in
    @functools.wraps(view)
    def shown(request: HttpRequest, /, *args: _Rest.args, **kwargs: _Rest.kwargs) -> HttpResponseBase:
        try:
            return view(request, actor_of_browser(request), *args, **kwargs)
        except Refused as refused:
            return show_refusal(request, refused)

    return shown


def show_refusal(request: HttpRequest, refused: Refused) -> HttpResponse:
    """The screen that says no, or its note alone for a fragment's request."""
    template = "refused.html#note" if is_fragment(request) else "refused.html"
    context = {"refused": refused, "title": _TITLES.get(refused.status, "That did not work")}
    response = render(request, template, context, status=refused.status)
    if refused.retry_after is not None:
        response["Retry-After"] = str(refused.retry_after)
    return response


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asked for a part of a screen."""
    return request.headers.get("HX-Request") == "true" and request.headers.get("HX-Boosted") != "true"


def go(address: str) -> HttpResponse:
    """After a write: on to the screen that shows it."""
    return HttpResponseRedirect(address)


def say(request: HttpRequest, words: str, *, tags: str = "") -> None:
    """A sentence the next screen shows."""
    messages.success(request, words, extra_tags=tags)


def frame(request: HttpRequest) -> Mapping[str, Any]:
    """The context of the rail. The company is in memory and the person came with the session, so it costs no query but
    those of what other apps put beside, once a screen shows it. A refusal before anybody was looked for has no person.
    """
    person = getattr(request, "user", None)
    if not isinstance(person, Person) or not person.is_active:
        return {"theme": theme_of(request)}
    company, actor = live.current(), actor_of_browser(request)
    reads_pages, tracks_work = actor.holds(Permission.KNOWLEDGE), actor.holds(Permission.TRACKER)
    return {
        "company": company,
        "actor": actor,
        "person": person,
        "spaces": company.spaces if reads_pages else (),
        "reads_pages": reads_pages,
        "tracks_work": tracks_work,
        "projects": company.projects if tracks_work else (),
        "theme": theme_of(request),
        **(
            {name: functools.partial(value, actor) for name, value in _beside.items()}
            if reads_pages or tracks_work
            else {}
        ),
    }


def theme_of(request: HttpRequest) -> str:
    """The person's stored choice of light or dark; `system` without one."""
    kept = request.COOKIES.get(THEME_COOKIE, "")
    return kept if kept in THEMES else "system"


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 (Django's name)
    """The 404 of an address no screen has."""
    detail = "No screen has this address. Check it, or start again from the first screen."
    return show_refusal(request, Refused(Code.NOT_FOUND, detail))


def forbidden(
    request: HttpRequest,
    exception: Exception | None = None,  # noqa: ARG001 (Django hands it by this name)
    reason: str = "",  # noqa: ARG001 (so does the CSRF check)
) -> HttpResponse:
    """The 403 of the framework, such as a form that was open too long."""
    detail = "The form was open too long or came from elsewhere. Go back, load it again and repeat."
    return show_refusal(request, Refused(Code.FORBIDDEN, detail))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The 400 of what the framework turns down before any screen is asked: too much at once, a host nobody named."""
    if isinstance(exception, RequestDataTooBig):
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        return show_refusal(
            request,
            Refused(
                Code.TOO_LONG,
                f"A form holds at most {most} bytes, and more was sent. Nothing was saved. Go back, and send less.",
                extras={"limit": most},
            ),
        )
    if isinstance(exception, DisallowedHost):  # before it is known who asks, so no frame is drawn
        words = (
            "invalid: The site does not answer to the host name in this request. Use its own address; "
            "an operator adds names with CREWLET_ALLOWED_HOSTS.\n"
        )
        return HttpResponse(words, status=400, content_type="text/plain; charset=utf-8")
    return show_refusal(
        request, Refused(Code.INVALID, "This request cannot be read. Go back, load it again and repeat.")
    )


def broken(request: HttpRequest) -> HttpResponse:
    """The 500. It reads nothing, so that it can be shown whatever is broken."""
    return render(request, "500.html", status=500)


class DatabaseAway:
    """Middleware: a screen that cannot reach the database says so (503), instead of breaking."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The screen for a database that is away; anything else goes on as it was."""
        if isinstance(exception, OperationalError):
            answer = render(request, "503.html", status=503)
            answer["Retry-After"] = "5"
            return answer
        return None
