"""What listings are asked in the query string, read strictly: a value nobody knows is `invalid`, never ignored."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from company.rules.refusals import Code, Refused
from company.rules.windows import Window, parse_window

Choice = TypeVar("Choice", bound=Enum)

WINDOW_PARAMETERS = [
    OpenApiParameter(name="limit", type=OpenApiTypes.INT, description="Rows, 1 to 500; 50 without it."),
    OpenApiParameter(name="after", type=OpenApiTypes.STR, description="The cursor a listing answered."),
]


def window_of(request: Request, *, width: int) -> Window:
    """The window a request asks for."""
    return parse_window(request.query_params.get("limit"), request.query_params.get("after"), width=width)


def flag_of(request: Request, name: str) -> bool:
    """A switch: `true` or `false`, false where it is not given."""
    given = request.query_params.get(name, "false")
    if given not in ("true", "false"):
        raise Refused(Code.INVALID, f"'{name}' is true or false.", attr=name)
    return given == "true"


def id_of(request: Request, name: str) -> int | None:
    """An id, where one is given."""
    given = request.query_params.get(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise Refused(Code.INVALID, f"'{name}' is the id of a page.", attr=name)
    return int(given)


def choice_of(request: Request, name: str, choices: type[Choice]) -> Choice | None:
    """One of a vocabulary, where one is given."""
    given = request.query_params.get(name)
    if given is None:
        return None
    try:
        return choices(given)
    except ValueError as error:
        known = ", ".join(str(choice.value) for choice in choices)
        raise Refused(Code.INVALID, f"'{name}' is one of: {known}.", attr=name) from error


def version_of(request: Request, name: str) -> int:
    """The number of a version, which has to be given."""
    given = request.query_params.get(name)
    if given is None:
        raise Refused(Code.REQUIRED, f"Say in '{name}' which version of the page you mean.", attr=name)
    if not (given.isascii() and given.isdigit() and 0 < len(given) < 10):
        raise Refused(Code.INVALID, f"'{name}' is the number of a version.", attr=name)
    return int(given)
