"""On which occasion a request is made: what a harness says in the headers Crewlet-Turn, -Phase and -Work."""

from __future__ import annotations

from collections.abc import Mapping

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from company.rules.occasions import MAX_LENGTH, Occasion, occasion_of

_TOLD = {
    "Crewlet-Turn": "The agent's turn this belongs to",
    "Crewlet-Phase": "The phase of the turn",
    "Crewlet-Work": "The piece of work the turn is about",
}
OCCASION_PARAMETERS = [
    OpenApiParameter(
        name=name,
        type=OpenApiTypes.STR,
        location=OpenApiParameter.HEADER,
        description=f"{told}, as its harness names it; at most {MAX_LENGTH} characters. Kept with what was read.",
    )
    for name, told in _TOLD.items()
]


def occasion_in(headers: Mapping[str, str]) -> Occasion:
    """The occasion the headers of a request name. Raises `too_long` or `invalid`."""
    turn, phase, work = (headers.get(name) for name in _TOLD)
    return occasion_of(turn=turn, phase=phase, work=work)
