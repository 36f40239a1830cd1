"""Writes of tokens. A secret is answered once and kept only as a digest.

Refuses to mint a token wider than its maker: neither a scope the maker's credential lacks, nor somebody else's identity
without being an administrator. An agent mints none.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from company import live
from company.models.credentials import Person, Token
from company.reads.actors import digest_of
from company.reads.people import person_of, visible_tokens
from company.rules.actors import Actor, Scope
from company.rules.permissions import require_admin, require_scope
from company.rules.refusals import Code, Refused
from company.writes import ledger

PREFIX = "crewlet_"
"""Lets a scanner of leaked secrets know one of ours."""


def create_token(
    *,
    actor: Actor,
    name: str,
    scopes: Iterable[str],
    seat: str | None = None,
    login: str | None = None,
    service: bool = False,
    expires_at: datetime | None = None,
    salt: str | None = None,
) -> tuple[Token, str]:
    """Make a token, and answer it with its secret, which nobody is shown again.

    It is `seat`'s, the person `login`'s, or with `service` nobody's; with none of the three it is that of the person
    who asks, and a service's where a service asks. Anybody's but one's own needs an administrator.

    `salt` is for a door that may have to answer the same secret twice; see `secret_of`.

    Raises `scope_missing`, `forbidden`, `required`, `invalid`, `too_long`.
    """
    if actor.is_agent:
        raise Refused(Code.FORBIDDEN, "An agent makes no tokens. Ask an administrator for one.")
    require_scope(actor, Scope.WRITE)
    name = _checked_name(name)
    chosen = _checked_scopes(scopes, actor)
    if expires_at is not None and expires_at <= timezone.now():
        raise Refused(Code.INVALID, "The token would have expired already. Give a time to come.", attr="expires_at")
    if sum((seat is not None, login is not None, service)) > 1:
        raise Refused(Code.INVALID, "A token is a seat's, a person's or a service's. Choose one.", attr="seat")
    own = person_of(actor)
    with transaction.atomic():
        person: Person | None = None
        if seat is not None:
            person, seat = _holder_of_seat(actor, own, seat)
        elif login is not None:
            person = _holder_by_login(actor, own, login)
        elif own is not None and not service:
            person = own
        else:
            require_admin(actor, Scope.ADMIN)
            _check_service_name(name)
        secret = secret_of(salt or secrets.token_urlsafe(32))
        token = Token.objects.create(
            name=name, digest=digest_of(secret), person=person, seat=seat, scopes=chosen, expires_at=expires_at,
            created_by=actor.credential,
        )  # fmt: skip
        ledger.record(
            actor=actor,
            verb="create_token",
            target=ledger.Target(kind="token", id=str(token.pk)),
            detail={"name": name, "seat": seat, "login": person.login if person else None, "scopes": chosen},
        )
    return token, secret


def secret_of(salt: str) -> str:
    """The secret made from a random `salt` and the server's own key.

    A door that keeps the answer to an Idempotency-Key keeps the salt, from which nobody without the key of the server
    learns the secret, and the repetition of a request is still answered whole.
    """
    return PREFIX + salted_hmac("company.writes.tokens", salt, algorithm="sha256").hexdigest()


def revoke_token(*, actor: Actor, token_id: int) -> None:
    """End a token at once. One's own, or as an administrator anybody's.

    Raises `scope_missing`, `forbidden` for agents, `not_found` for a token that is not there, was revoked or is not the
    actor's to see.
    """
    require_scope(actor, Scope.WRITE)
    with transaction.atomic():
        found = visible_tokens(actor).select_for_update().filter(pk=token_id).first() if 0 < token_id < 2**63 else None
        if found is None:
            raise Refused(Code.NOT_FOUND, f"There is no token {token_id}.")
        own = person_of(actor)
        if own is None or found.person_id != own.pk:
            require_admin(actor, Scope.ADMIN)
        found.revoked_at = timezone.now()
        found.save(update_fields=["revoked_at"])
        ledger.record(
            actor=actor,
            verb="revoke_token",
            target=ledger.Target(kind="token", id=str(found.pk)),
            detail={"name": found.name},
        )


def _holder_of_seat(actor: Actor, own: Person | None, seat: str) -> tuple[Person | None, str | None]:
    """Whose a seat's token is: the asking person's own where they hold the seat, else the seat's itself."""
    if own is not None and own.seat == seat:
        return own, None
    require_admin(actor, Scope.ADMIN)
    if seat not in live.current_for_write().seat_by_handle:
        raise Refused(Code.INVALID, f"The company document declares no seat '{seat}'.", attr="seat")
    return None, seat


def _holder_by_login(actor: Actor, own: Person | None, login: str) -> Person:
    login = login.strip().lower()
    if own is not None and own.login == login:
        return own
    require_admin(actor, Scope.ADMIN)
    person = Person.objects.filter(login=login, is_active=True).first() if "\x00" not in login else None
    if person is None:
        raise Refused(Code.INVALID, f"Nobody active has the login '{login}'.", attr="login")
    return person


def _check_service_name(name: str) -> None:
    """A service writes under its token's name, which must not be taken for a person's."""
    if Person.objects.filter(login=name.lower()).exists():
        raise Refused(Code.INVALID, f"'{name}' is a person's login. Name the service otherwise.", attr="name")


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name:
        raise Refused(Code.REQUIRED, "Name the token after what will use it.", attr="name")
    if len(name) > 150:
        raise Refused(Code.TOO_LONG, "A token's name is at most 150 characters.", attr="name", extras={"limit": 150})
    if any(ord(character) < 32 or ord(character) == 127 for character in name):
        raise Refused(Code.INVALID, "A token's name holds no control characters.", attr="name")
    return name


def _checked_scopes(scopes: Iterable[str], actor: Actor) -> list[str]:
    chosen = set(scopes)
    known = [scope.value for scope in Scope]
    if not chosen:
        raise Refused(Code.REQUIRED, f"Give the token at least one scope: {', '.join(known)}.", attr="scopes")
    for scope in sorted(chosen):
        if scope not in known:
            raise Refused(Code.INVALID, f"'{scope}' is no scope. There are: {', '.join(known)}.", attr="scopes")
        if not actor.has_scope(Scope(scope)):
            raise Refused(
                Code.SCOPE_MISSING,
                f"Your own token lacks the scope '{scope}', so it cannot make one that has it.",
                attr="scopes",
            )
    return [scope for scope in known if scope in chosen]
