"""Proof of identity: the password again, for what cannot be undone."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from company.models.credentials import Token
from company.reads.people import credential_token_id, person_of
from company.rules.actors import Actor
from company.rules.proofs import PROVEN_FOR, proof_limits
from company.rules.refusals import Code, Refused
from company.writes import ledger
from company.writes.sessions import password_fits
from company.writes.throttles import give_back_attempts, reserve_attempts


def prove_identity(*, actor: Actor, password: str) -> datetime:
    """Mark the actor's credential proven and answer until when. Of a browser session the door keeps the answer.

    Raises `forbidden` for a wrong password and for whoever is no person, `rate_limited` after five wrong ones.
    """
    person = person_of(actor) if not actor.is_agent else None
    if person is None or not person.is_active:
        raise Refused(Code.FORBIDDEN, "Only a person can prove who they are. Use a person's own token or session.")
    limits = proof_limits(person.login)
    reserve_attempts(limits)
    if not password_fits(person, password):
        raise Refused(Code.FORBIDDEN, "This is not your password.", attr="password")
    give_back_attempts(limits)
    until = timezone.now() + PROVEN_FOR
    with transaction.atomic():
        token_id = credential_token_id(actor)
        if token_id is not None:
            Token.objects.filter(pk=token_id).update(proven_until=until)
        ledger.record(actor=actor, verb="prove_identity", target=ledger.Target(kind="person", id=str(person.pk)))
    return until
