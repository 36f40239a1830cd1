"""Turns a credential into the `Actor` every read and write is given."""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.utils import timezone

from company import live
from company.models.credentials import Person, Token
from company.rules.actors import ALL_SCOPES, Actor, ActorKind, Author, Door, Permission, Scope
from company.rules.chart import Company
from company.rules.refusals import Code, Refused

BOTH_APPS = frozenset({Permission.KNOWLEDGE, Permission.TRACKER})


def digest_of(secret: str) -> str:
    """How a token or a sign-in link is stored: the SHA-256 of its secret, in hex; random secrets need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def actor_of_person(person: Person, *, door: Door, proven_until: datetime | None = None) -> Actor:
    """The actor behind a browser session."""
    return _person(
        person,
        company=live.current(),
        door=door,
        credential=f"login:{person.login}",
        scopes=ALL_SCOPES,
        proven_until=proven_until,
    )


def actor_of_secret(secret: str, *, door: Door) -> tuple[Actor, Token]:
    """The actor behind a bearer token; raises `not_authenticated` for an unknown or revoked one, `token_expired`."""
    token = Token.objects.select_related("person").filter(digest=digest_of(secret)).first()
    if token is None or token.revoked_at is not None or (token.person and not token.person.is_active):
        raise Refused(Code.NOT_AUTHENTICATED, "This token is not known or was revoked. Ask for a new one.")
    if token.is_spent(timezone.now()):
        raise Refused(Code.TOKEN_EXPIRED, "This token has expired. Ask for a new one.")
    return actor_of_token(token, door=door), token


def actor_of_credential(credential: str, *, door: Door) -> Actor:
    """Whoever came with a credential, as they are by now, for work they asked for that is done later.

    `credential` as an `Actor` names it. Raises `not_authenticated` where it is no more, `token_expired`.
    """
    kind, _, name = credential.partition(":")
    if kind == "login":
        person = Person.objects.filter(login=name, is_active=True).first()
        if person is not None:
            return actor_of_person(person, door=door)
    elif kind == "token" and name.isdecimal():
        token = Token.objects.select_related("person").filter(pk=int(name)).first()
        if token is not None and token.revoked_at is None and (token.person is None or token.person.is_active):
            if token.is_spent(timezone.now()):
                raise Refused(Code.TOKEN_EXPIRED, "The token this was asked for with has expired. Ask again.")
            return actor_of_token(token, door=door)
    raise Refused(
        Code.NOT_AUTHENTICATED, "Whoever asked for this can no longer sign in, or their token was revoked. Ask again."
    )


def actor_of_token(token: Token, *, door: Door) -> Actor:
    """The actor of a living token: its person, its seat, or the service it stands for."""
    company = live.current()
    credential = f"token:{token.pk}"
    scopes = frozenset(Scope(scope) for scope in token.scopes)
    if token.person is not None:
        return _person(
            token.person,
            company=company,
            door=door,
            credential=credential,
            scopes=scopes,
            proven_until=token.proven_until,
        )
    if token.seat is not None:
        seat = company.seat_by_handle.get(token.seat)
        if seat is None:
            raise Refused(
                Code.NOT_AUTHENTICATED,
                f"This token belongs to the seat '{token.seat}', which the company document no longer declares.",
            )
        return Actor(
            author=Author(name=seat.handle, kind=seat.kind),
            credential=credential,
            door=door,
            seat=seat.handle,
            permissions=seat.permissions,
            scopes=scopes,
        )
    permissions = BOTH_APPS | ({Permission.ADMIN} if Scope.ADMIN in scopes else frozenset())
    return Actor(
        author=Author(name=token.name, kind=ActorKind.OPERATOR),
        credential=credential,
        door=door,
        login=token.name,
        permissions=permissions,
        scopes=scopes,
        proven_until=token.proven_until,
    )


def _person(
    person: Person,
    *,
    company: Company,
    door: Door,
    credential: str,
    scopes: frozenset[Scope],
    proven_until: datetime | None,
) -> Actor:
    """A person writes as the seat they hold, else under their login; the seat's permissions add to their own."""
    given = frozenset(Permission(name) for name in person.permissions)
    seat = company.seat_by_handle.get(person.seat or "")
    author = (
        Author(name=seat.handle, kind=ActorKind.HUMAN)
        if seat is not None
        else Author(name=person.login, kind=ActorKind.OPERATOR)
    )
    return Actor(
        author=author,
        credential=credential,
        door=door,
        seat=seat.handle if seat is not None else None,
        login=person.login,
        permissions=given | (seat.permissions if seat is not None else frozenset()),
        scopes=scopes,
        proven_until=proven_until,
    )
