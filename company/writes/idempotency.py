"""Idempotency keys: the same request, sent again, is answered as it was the first time and done once.

A key belongs to a credential and a route. The answer is kept in the transaction of the write it answers, so both are
there or neither is; repetitions that come while the first is at work wait for it. An attempt that is refused changed
nothing and keeps nothing: its key is free to be sent again. Where what an answer shows is removed for good, or edited,
the answer goes and its key stays: a repetition that comes late brings nothing back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from company.models.idempotency import FirstAnswer
from company.rules.refusals import Code, Refused
from company.writes import locks

KEY_CHARACTERS = 255


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer of a door: status, body, headers, what it shows, and whether it is a repetition of an earlier one."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    repeated: bool = False


def answer_once(*, credential: str, route: str, key: str, asked: Any, answer: Callable[[], Answer]) -> Answer:
    """The answer kept for this key, or the one `answer()` gives now, kept with whatever it wrote.

    `asked` is everything the request says, as JSON can hold it. Refuses a key that is empty or has a NUL (`invalid`) or
    is longer than 255 characters (`too_long`), one that was sent with another request (`idempotency_mismatch`), and one
    whose answer was forgotten since (`not_found`).
    """
    _check_key(key)
    fingerprint = hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    with transaction.atomic():
        locks.hold(json.dumps(["idempotency", credential, route, key]))
        kept = FirstAnswer.objects.filter(credential=credential, route=route, key=key).first()
        if kept is None:
            given = answer()
            FirstAnswer.objects.create(
                credential=credential,
                route=route,
                key=key,
                fingerprint=fingerprint,
                status=given.status,
                body=json.dumps(given.body),
                headers=dict(given.headers),
                about=given.about,
            )
            return given
    if kept.fingerprint != fingerprint:
        raise Refused(
            Code.IDEMPOTENCY_MISMATCH,
            "This Idempotency-Key was sent before with another request. Use a new key for a new request.",
        )
    if not kept.body:
        raise Refused(
            Code.NOT_FOUND,
            "This request was done when it first came, and what it made was changed or removed since. Nothing was done "
            "again.",
        )
    return Answer(status=kept.status, body=json.loads(kept.body), headers=kept.headers, about=kept.about, repeated=True)


def forget(*about: str) -> None:
    """Empty the kept answers that show something which is no more; part of the caller's transaction.

    Their keys stay used: a repetition is told that it was done, and is not done again.
    """
    FirstAnswer.objects.filter(about__in=about).update(body="", headers={})


def _check_key(key: str) -> None:
    if not key or "\x00" in key:
        raise Refused(Code.INVALID, "An Idempotency-Key is a text of 1 to 255 characters.", attr="Idempotency-Key")
    if len(key) > KEY_CHARACTERS:
        raise Refused(
            Code.TOO_LONG,
            f"An Idempotency-Key has at most {KEY_CHARACTERS} characters.",
            attr="Idempotency-Key",
            extras={"limit": KEY_CHARACTERS},
        )
