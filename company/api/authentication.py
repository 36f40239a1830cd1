"""How the REST door learns who asks: a bearer token or the browser's session."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, CSRFCheck, get_authorization_header
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from company.models.credentials import Person
from company.reads.actors import actor_of_person, actor_of_secret
from company.rules.actors import Actor, Door
from company.rules.proofs import SESSION_KEY
from company.rules.refusals import Code, Refused
from company.writes.credentials import note_token_use

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which loads this module, by the settings, while it loads itself


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`."""

    def authenticate(self, request: Request) -> tuple[Actor, str] | None:
        """The actor of the token, or None where no bearer token was sent; raises `Refused` for a bad one."""
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        if len(words) != 2:
            raise Refused(Code.NOT_AUTHENTICATED, "Send 'Authorization: Bearer <token>', one token without spaces.")
        actor, token = actor_of_secret(words[1].decode("latin-1"), door=Door.REST)
        note_token_use(token)
        return actor, actor.credential

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401."""
        return "Bearer"


class BrowserSessionAuthentication(BaseAuthentication):
    """The session of somebody signed in, with the CSRF check every write by cookie needs."""

    def authenticate(self, request: Request) -> tuple[Actor, str] | None:
        """The actor of the session, or None where nobody is signed in."""
        browser = request._request  # noqa: SLF001 (DRF's own way to the request that carries the session)
        person = getattr(browser, "user", None)
        if not isinstance(person, Person) or not person.is_active:
            return None
        reason = CSRFCheck(lambda _request: None).process_view(browser, lambda: None, (), {})  # type: ignore[arg-type, return-value]
        if reason is not None:
            raise Refused(Code.FORBIDDEN, "The form's token is missing or old. Load the page again and repeat.")
        actor = actor_of_person(person, door=Door.REST, proven_until=proven_until(browser))
        return actor, actor.credential


def proven_until(request: HttpRequest) -> datetime | None:
    """When the proof of identity this browser session gave ends, if it gave one."""
    kept = request.session.get(SESSION_KEY)
    return parse_datetime(kept) if kept else None


class HasActor(BasePermission):
    """Every route of the REST door needs somebody; what they may do is the write's or the read's to decide."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True, or `not_authenticated`."""
        if not isinstance(request.user, Actor):
            raise Refused(Code.NOT_AUTHENTICATED, "Sign in, or send 'Authorization: Bearer <token>'.")
        return True


def actor_of(request: Request) -> Actor:
    """The actor of a request that passed `HasActor`."""
    actor = request.user
    if not isinstance(actor, Actor):
        raise Refused(Code.NOT_AUTHENTICATED, "Sign in, or send 'Authorization: Bearer <token>'.")
    return actor


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The bearer token in the OpenAPI document."""

    target_class = BearerAuthentication
    name = "bearer"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The OpenAPI security scheme."""
        return {"type": "http", "scheme": "bearer"}


class BrowserSessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The browser's session in the OpenAPI document."""

    target_class = BrowserSessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The OpenAPI security scheme."""
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}
