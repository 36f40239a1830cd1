"""Reads of people and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from company import live
from company.models.credentials import Person, Token
from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_admin, require_scope
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor

WINDOW_WIDTH = 1


@dataclass(frozen=True, kw_only=True)
class PersonRow:
    """Somebody who signs in. `permissions` are those given to them; those of the seat come on top."""

    id: int
    login: str
    name: str
    seat: str | None
    permissions: tuple[str, ...]
    active: bool
    has_password: bool
    last_signed_in_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class TokenRow:
    """A token, without its secret. `seat` and `login` say whose it is; a service's has neither."""

    id: int
    name: str
    seat: str | None
    login: str | None
    scopes: tuple[str, ...]
    expires_at: datetime | None
    last_used_at: datetime | None


def person_of(actor: Actor) -> Person | None:
    """The person behind an actor's credential; None for an agent, a service or the engine."""
    kind, _, name = actor.credential.partition(":")
    if kind == "login":
        return Person.objects.filter(login=name).first()
    if kind == "token" and name.isdecimal():
        token = Token.objects.select_related("person").filter(pk=int(name)).first()
        return token.person if token is not None else None
    return None


def nobody_has_signed_in() -> bool:
    """Whether the site still waits for its first sign-in."""
    return not Person.objects.filter(last_login__isnull=False).exists()


def permissions_of(person: Person) -> frozenset[Permission]:
    """What a person holds now: what was given to them, and what the document gives their seat."""
    seat = live.current().seat_by_handle.get(person.seat or "")
    return frozenset(map(Permission, person.permissions)) | (seat.permissions if seat is not None else frozenset())


def list_people(*, actor: Actor, window: Window) -> Listing[PersonRow]:
    """Everybody who has a login, oldest first; for administrators (`forbidden`, `scope_missing`)."""
    require_admin(actor, Scope.READ)
    found = Person.objects.order_by("id")
    total = found.count()
    if window.after is not None:
        found = found.filter(id__gt=window.after[0])
    rows = list(found[: window.limit + 1])
    after = encode_cursor((rows[window.limit - 1].pk,)) if len(rows) > window.limit else None
    return Listing(results=tuple(person_row(row) for row in rows[: window.limit]), total=total, after=after)


def get_person(*, actor: Actor, person_id: int) -> PersonRow:
    """One person; for administrators (`forbidden`, `scope_missing`, `not_found`)."""
    require_admin(actor, Scope.READ)
    found = Person.objects.filter(pk=person_id).first() if 0 < person_id < 2**63 else None
    if found is None:
        raise Refused(Code.NOT_FOUND, f"There is no person {person_id}.")
    return person_row(found)


def visible_tokens(actor: Actor) -> QuerySet[Token]:
    """The tokens an actor may see and revoke: an administrator every one, a person their own. Agents see none."""
    living = Token.objects.filter(revoked_at=None)
    if actor.is_agent:
        raise Refused(Code.FORBIDDEN, "An agent has no say over tokens. Ask an administrator.")
    if actor.is_admin:
        return living
    person = person_of(actor)
    own = Q(person=person) if person is not None else Q(pk=credential_token_id(actor))
    return living.filter(own)


def credential_token_id(actor: Actor) -> int | None:
    """The id of the token the actor came with, if it was one."""
    kind, _, name = actor.credential.partition(":")
    return int(name) if kind == "token" and name.isdecimal() else None


def list_tokens(*, actor: Actor, window: Window) -> Listing[TokenRow]:
    """The tokens an actor may see that were not revoked, oldest first (`forbidden` for agents, `scope_missing`)."""
    require_scope(actor, Scope.READ)
    found = visible_tokens(actor).select_related("person").order_by("id")
    total = found.count()
    if window.after is not None:
        found = found.filter(id__gt=window.after[0])
    rows = list(found[: window.limit + 1])
    after = encode_cursor((rows[window.limit - 1].pk,)) if len(rows) > window.limit else None
    return Listing(results=tuple(token_row(row) for row in rows[: window.limit]), total=total, after=after)


def person_row(person: Person) -> PersonRow:
    """A person as others are shown them."""
    return PersonRow(
        id=person.pk,
        login=person.login,
        name=person.name,
        seat=person.seat,
        permissions=tuple(sorted(person.permissions)),
        active=person.is_active,
        has_password=person.has_usable_password(),
        last_signed_in_at=person.last_login,
    )


def token_row(token: Token) -> TokenRow:
    """A token as it is listed."""
    return TokenRow(
        id=token.pk,
        name=token.name,
        seat=token.seat,
        login=token.person.login if token.person is not None else None,
        scopes=tuple(token.scopes),
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
    )
