"""On which occasion an agent acts: the turn, the phase and the piece of work, as its harness names them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from company.rules.refusals import Code, Refused

MAX_LENGTH = 200
"""As long as the name of a turn may be in a session."""


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """Each is None where the harness says nothing of it."""

    turn_id: str | None = None
    phase: str | None = None
    work_key: str | None = None


NO_OCCASION = Occasion()


def occasion_of(*, turn: str | None, phase: str | None, work: str | None) -> Occasion:
    """The occasion a request names; empty texts name nothing. Raises `too_long` (with `limit`) or `invalid`."""
    for name, given in (("turn", turn), ("phase", phase), ("work", work)):
        if given is not None and len(given) > MAX_LENGTH:
            raise Refused(
                Code.TOO_LONG,
                f"The name of a {name} has at most {MAX_LENGTH} characters.",
                attr=name,
                extras={"limit": MAX_LENGTH},
            )
        if given is not None and not given.isprintable():
            raise Refused(Code.INVALID, f"The name of a {name} holds no control character.", attr=name)
    return Occasion(turn_id=turn or None, phase=phase or None, work_key=work or None)
