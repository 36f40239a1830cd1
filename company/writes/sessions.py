"""Signing in and out of the browser. A session is new after every sign-in, and signing in counts as a proof.

Refuses to say which of login and password was wrong.
"""

from __future__ import annotations

import structlog
from django.contrib.auth import login as start_session
from django.contrib.auth import logout as end_session
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from company.models.credentials import Person, SignInLink
from company.reads.actors import actor_of_person, digest_of
from company.rules.actors import Door
from company.rules.proofs import LONGEST_PASSWORD, PROVEN_FOR, SESSION_KEY, sign_in_limits
from company.rules.refusals import Code, Refused
from company.writes import ledger
from company.writes.throttles import give_back_attempts, reserve_attempts

log = structlog.get_logger(__name__)

BACKEND = "company.reads.sessions.People"


def sign_in(request: HttpRequest, *, login: str, password: str) -> Person:
    """Start a session for whoever gives their login and password, and answer them.

    Raises `not_authenticated` for a wrong pair or somebody who is no longer active, `rate_limited` after too many wrong
    ones (`company.rules.proofs.sign_in_limits`), `too_long` for a password past any sense.
    """
    login = login.replace("\x00", "").strip().lower()[:150]
    limits = sign_in_limits(login, address_of(request))
    reserve_attempts(limits)
    if not password_fits(Person.objects.filter(login=login, is_active=True).first(), password):
        log.warning("sign_in_refused", login=login)
        raise Refused(Code.NOT_AUTHENTICATED, "Login and password do not fit together. Try again.")
    person = Person.objects.get(login=login)
    give_back_attempts(limits)
    with transaction.atomic():
        _start(request, person, verb="sign_in")
    return person


def sign_in_by_link(request: HttpRequest, *, secret: str) -> Person:
    """Start a session for whoever brings a one-time link, spend the link, and answer them.

    Raises `not_authenticated` for a link that was used, has expired or never was.
    """
    now = timezone.now()
    with transaction.atomic():
        link = (
            SignInLink.objects.select_related("person")
            .select_for_update(of=("self",))
            .filter(digest=digest_of(secret), used_at=None, expires_at__gt=now, person__is_active=True)
            .first()
        )
        if link is None:
            raise Refused(Code.NOT_AUTHENTICATED, "This link was used before or is too old. Ask for a new one.")
        link.used_at = now
        link.save(update_fields=["used_at"])
        _start(request, link.person, verb="sign_in_by_link")
    return link.person


def sign_out(request: HttpRequest) -> None:
    """End the session; nothing of it is kept. Without a session, nothing happens."""
    person = request.user
    with transaction.atomic():
        if isinstance(person, Person):
            actor = actor_of_person(person, door=Door.FORM)
            ledger.record(actor=actor, verb="sign_out", target=ledger.Target(kind="person", id=str(person.pk)))
        end_session(request)


def password_fits(person: Person | None, password: str) -> bool:
    """Whether it is the person's password; as slow for nobody as for somebody, so that time names no login.

    Raises `too_long` past `LONGEST_PASSWORD` characters.
    """
    if len(password) > LONGEST_PASSWORD:
        raise Refused(
            Code.TOO_LONG,
            f"A password is at most {LONGEST_PASSWORD} characters.",
            attr="password",
            extras={"limit": LONGEST_PASSWORD},
        )
    if person is None or not person.has_usable_password():
        Person().set_password(password)
        return False
    return person.check_password(password)


def address_of(request: HttpRequest) -> str:
    """The address a request came from, as the server told it."""
    return str(request.META.get("REMOTE_ADDR") or "unknown")


def _start(request: HttpRequest, person: Person, *, verb: str) -> None:
    start_session(request, person, backend=BACKEND)  # flushes the old session or gives it a new key
    request.session[SESSION_KEY] = (timezone.now() + PROVEN_FOR).isoformat()
    actor = actor_of_person(person, door=Door.FORM)
    ledger.record(actor=actor, verb=verb, target=ledger.Target(kind="person", id=str(person.pk)))
