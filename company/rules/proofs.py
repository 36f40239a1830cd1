"""How long a proof of identity holds, and the limits on wrong ones. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

PROVEN_FOR = timedelta(minutes=15)
"""Contract, section 12: a proof binds one credential for 15 minutes; signing in counts as one."""

SESSION_KEY = "proven_until"
"""Where a browser session keeps the end of its proof."""

LONGEST_PASSWORD = 4096
"""More than anybody types; hashing has a cost that grows with the text."""


@dataclass(frozen=True, kw_only=True)
class AttemptLimit:
    """At most `attempts` wrong answers about one subject within `window`."""

    subject: str
    attempts: int
    window: timedelta = timedelta(minutes=15)


def sign_in_limits(login: str, address: str) -> tuple[AttemptLimit, ...]:
    """The limits on wrong passwords: tight for one login from one address, so that somebody else's guesses do not soon
    lock a person out; wider for a login from anywhere and for an address against any login."""
    return (
        AttemptLimit(subject=f"sign-in:{login}@{address}", attempts=5),
        AttemptLimit(subject=f"sign-in:{login}", attempts=50),
        AttemptLimit(subject=f"sign-in@{address}", attempts=50),
    )


def proof_limits(login: str) -> tuple[AttemptLimit, ...]:
    """The limit on wrong proofs of a person, over all their credentials."""
    return (AttemptLimit(subject=f"proof:{login}", attempts=5),)
