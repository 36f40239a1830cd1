"""Writes of people: who has a login, which seat they hold, what they are given, and how they get in.

Refuses to leave the company without an administrator. The seat's own permissions are the document's to give.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from company import live
from company.models.credentials import Person, SignInLink, Token
from company.reads.actors import digest_of
from company.reads.people import nobody_has_signed_in, permissions_of, person_of
from company.rules.actors import Actor, ActorKind, Permission, Scope, engine_actor
from company.rules.permissions import require_admin
from company.rules.proofs import LONGEST_PASSWORD, proof_limits
from company.rules.refusals import Code, Problem, Refused
from company.writes import ledger, locks
from company.writes.sessions import password_fits
from company.writes.throttles import give_back_attempts, reserve_attempts

LINK_LASTS = timedelta(hours=24)
FIRST_LOGIN = "admin"

_LOCK = "people"
"""One writer of people at a time: who is the last administrator is a question about all of them."""
_LOGIN = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,149}")


@dataclass(frozen=True, kw_only=True)
class Given:
    """A new value for a field of a person; leaving the argument out (None) leaves the field."""

    value: str | None


def create_person(
    *,
    actor: Actor,
    login: str,
    name: str = "",
    seat: str | None = None,
    permissions: Iterable[str] = (),
    password: str | None = None,
) -> Person:
    """Give somebody a login, and answer them. Without a password they come in by a sign-in link first.

    Raises `scope_missing`, `forbidden`, `invalid` for a login that is malformed or taken, a seat that is not a
    person's to hold or is held already, an unknown permission or a weak password.
    """
    require_admin(actor, Scope.ADMIN)
    live.current_for_write()
    login = login.strip().lower()
    if not _LOGIN.fullmatch(login):
        raise Refused(
            Code.INVALID,
            "A login begins with a letter or digit, and is at most 150 of a-z, 0-9, '.', '_', '@', '+' and '-'.",
            attr="login",
        )
    person = Person(login=login, name=_checked_name(name), permissions=_checked_permissions(permissions))
    with transaction.atomic():
        locks.hold(_LOCK)
        if Person.objects.filter(login=login).exists():
            raise Refused(Code.INVALID, f"'{login}' is somebody's login already. Choose another.", attr="login")
        if Token.objects.filter(name=login, person=None, seat=None, revoked_at=None).exists():
            raise Refused(Code.INVALID, f"A service writes under the name '{login}'. Choose another.", attr="login")
        person.seat = _checked_seat(seat, person)
        if password is None:
            person.set_unusable_password()
        else:
            _set_password(person, password)
        person.save()
        _record(actor, "create_person", person, login=login, seat=person.seat, permissions=person.permissions)
    return person


def change_person(
    *,
    actor: Actor,
    person_id: int,
    name: str | None = None,
    seat: Given | None = None,
    permissions: Iterable[str] | None = None,
    active: bool | None = None,
) -> Person:
    """Change what is given, and answer the person. Deactivating ends their sessions, tokens and links for good.

    Raises `scope_missing`, `forbidden`, `not_found`, and `invalid` as `create_person` does or where nobody would be
    left to administer the company.
    """
    require_admin(actor, Scope.ADMIN)
    live.current_for_write()
    with transaction.atomic():
        locks.hold(_LOCK)
        person = _person(person_id)
        was_admin = person.is_active and Permission.ADMIN in permissions_of(person)
        if name is not None:
            person.name = _checked_name(name)
        if permissions is not None:
            person.permissions = _checked_permissions(permissions)
        if active is not None:
            person.is_active = active
        if seat is not None:
            person.seat = seat.value
        if seat is not None or active:
            person.seat = _checked_seat(person.seat, person)
        if was_admin and not _an_admin_remains(person):
            raise Refused(
                Code.INVALID,
                "Nobody would be left to administer the company. Make somebody else an administrator first.",
                attr="active" if active is False else "permissions",
            )
        if active is False:
            _shut_out(person)
        person.save()
        _record(
            actor, "change_person", person,
            seat=person.seat, permissions=person.permissions, active=person.is_active,
        )  # fmt: skip
    return person


def set_password(*, actor: Actor, person_id: int, password: str, current: str | None = None) -> Person:
    """Give a person a new password, which ends the sessions opened with the old one.

    Whoever changes their own gives the current one, if they have one; an administrator sets anybody else's. Raises
    `scope_missing`, `forbidden` (also for a wrong `current`), `rate_limited` after five wrong ones, `not_found`,
    `required`, `invalid` for a weak password.
    """
    own = person_of(actor)
    if own is None or own.pk != person_id or actor.is_agent:
        require_admin(actor, Scope.ADMIN)
    elif own.has_usable_password():
        _check_current(own, current)
    with transaction.atomic():
        locks.hold(_LOCK)
        person = _person(person_id)
        if not person.is_active:
            raise Refused(Code.INVALID, "This person is not active. Activate them first.", attr="active")
        _set_password(person, password)
        person.save(update_fields=["password"])
        _record(actor, "set_password", person)
    return person


def create_sign_in_link(*, actor: Actor, person_id: int) -> str:
    """Make a link that signs a person in once within a day, and answer its secret, which is kept nowhere.

    Links made for them before and not used stop working. Raises `scope_missing`, `forbidden`, `not_found`, `invalid`.
    """
    require_admin(actor, Scope.ADMIN)
    with transaction.atomic():
        person = _person(person_id)
        if not person.is_active:
            raise Refused(Code.INVALID, "This person is not active. Activate them first.", attr="active")
        secret = secrets.token_urlsafe(32)
        SignInLink.objects.filter(person=person, used_at=None).delete()
        SignInLink.objects.create(person=person, digest=digest_of(secret), expires_at=timezone.now() + LINK_LASTS)
        _record(actor, "create_sign_in_link", person)
    return secret


def first_sign_in_secret() -> str | None:
    """The secret of a one-time link for the first administrator, made if need be; None once anybody has signed in."""
    if not nobody_has_signed_in():
        return None
    live.current_for_write()
    actor = engine_actor("start")
    return create_sign_in_link(actor=actor, person_id=first_administrator(actor=actor).pk)


def first_administrator(*, actor: Actor) -> Person:
    """The person the first sign-in link is for: an administrator who exists, else one made under `admin`."""
    require_admin(actor, Scope.ADMIN)
    for person in Person.objects.filter(is_active=True).order_by("id"):
        if Permission.ADMIN in permissions_of(person):
            return person
    return create_person(actor=actor, login=FIRST_LOGIN, permissions=[Permission.ADMIN.value])


def _person(person_id: int) -> Person:
    found = Person.objects.filter(pk=person_id).first() if 0 < person_id < 2**63 else None
    if found is None:
        raise Refused(Code.NOT_FOUND, f"There is no person {person_id}.")
    return found


def _checked_name(name: str) -> str:
    name = name.strip()
    if len(name) > 255:
        raise Refused(Code.TOO_LONG, "A name is at most 255 characters.", attr="name", extras={"limit": 255})
    if any(ord(character) < 32 or ord(character) == 127 for character in name):
        raise Refused(Code.INVALID, "A name holds no control characters.", attr="name")
    return name


def _checked_permissions(permissions: Iterable[str]) -> list[str]:
    chosen = sorted(set(permissions))
    known = [permission.value for permission in Permission]
    for one in chosen:
        if one not in known:
            raise Refused(Code.INVALID, f"'{one}' is no permission. There are: {', '.join(known)}.", attr="permissions")
    return chosen


def _checked_seat(handle: str | None, person: Person) -> str | None:
    if not handle:
        return None
    seat = live.current().seat_by_handle.get(handle)
    if seat is None:
        raise Refused(Code.INVALID, f"The company document declares no seat '{handle}'.", attr="seat")
    if seat.kind is not ActorKind.HUMAN:
        raise Refused(
            Code.INVALID, f"'{handle}' is an agent's seat. A person holds a seat of kind 'human'.", attr="seat"
        )
    holder = Person.objects.filter(seat=handle, is_active=True).exclude(pk=person.pk).first()
    if holder is not None and person.is_active:
        raise Refused(Code.INVALID, f"'{holder.login}' holds the seat '{handle}' already.", attr="seat")
    return handle


def _set_password(person: Person, password: str) -> None:
    if len(password) > LONGEST_PASSWORD:
        raise Refused(
            Code.TOO_LONG, f"A password is at most {LONGEST_PASSWORD} characters.", attr="password",
            extras={"limit": LONGEST_PASSWORD},
        )  # fmt: skip
    try:
        validate_password(password, person)
    except ValidationError as error:
        raise Refused.of(
            tuple(Problem(code=Code.INVALID, detail=message, attr="password") for message in error.messages)
        ) from error
    person.set_password(password)


def _check_current(person: Person, current: str | None) -> None:
    if current is None:
        raise Refused(Code.REQUIRED, "Give your current password too.", attr="current")
    limits = proof_limits(person.login)
    reserve_attempts(limits)
    if not password_fits(person, current):
        raise Refused(Code.FORBIDDEN, "This is not your current password.", attr="current")
    give_back_attempts(limits)


def _an_admin_remains(changed: Person) -> bool:
    if changed.is_active and Permission.ADMIN in permissions_of(changed):
        return True
    others = Person.objects.filter(is_active=True).exclude(pk=changed.pk)
    return any(Permission.ADMIN in permissions_of(other) for other in others)


def _shut_out(person: Person) -> None:
    """End everything that lets a person in. Their password goes too, so that no session of theirs wakes up again when
    they are activated later."""
    person.set_unusable_password()
    person.tokens.filter(revoked_at=None).update(revoked_at=timezone.now())
    SignInLink.objects.filter(person=person, used_at=None).delete()


def _record(actor: Actor, verb: str, person: Person, **detail: object) -> None:
    ledger.record(actor=actor, verb=verb, target=ledger.Target(kind="person", id=str(person.pk)), detail=detail)
