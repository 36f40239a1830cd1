"""Lists of the REST door: `{results, total, after}`, `limit` and `after`, and filters that are known by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

from company.rules.refusals import Code, Problem, Refused
from company.rules.windows import DEFAULT_LIMIT, MAX_LIMIT, Listing, Window, parse_window

Row = TypeVar("Row")

LISTING_PARAMETERS = [
    OpenApiParameter(
        "limit", int, description=f"How many rows, at most {MAX_LIMIT}; {DEFAULT_LIMIT} unless told otherwise."
    ),
    OpenApiParameter("after", str, description="The cursor the answer before gave, unchanged."),
]


def window_of(request: Request, *, width: int, filters: tuple[str, ...] = ()) -> Window:
    """The window a request asks for; `width` as `parse_window` has it.

    Raises `unknown_field` for a parameter that is neither the listing's nor one of its `filters`: a misspelt filter
    would otherwise answer everything.
    """
    check_parameters(request, ("limit", "after", *filters))
    return parse_window(request.query_params.get("limit"), request.query_params.get("after"), width=width)


def check_parameters(request: Request, known: tuple[str, ...]) -> None:
    """Refuse query parameters a route does not know (`unknown_field`) and a NUL in one (`invalid`)."""
    problems: list[Problem] = []
    for name, values in request.query_params.lists():
        if name not in known and name != "format":
            sentence = f"There is no such parameter. The parameters are: {', '.join(sorted(known)) or 'none'}."
            problems.append(Problem(code=Code.UNKNOWN_FIELD, detail=sentence, attr=name))
        elif any("\x00" in value for value in values):
            problems.append(Problem(code=Code.INVALID, detail="A parameter holds no NUL.", attr=name))
    if problems:
        raise Refused.of(tuple(problems))


def answer_listing(listing: Listing[Row], shape: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    """A listing as it is answered."""
    return {"results": [shape(row) for row in listing.results], "total": listing.total, "after": listing.after}


def listing_of(row: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """The OpenAPI shape of a listing of rows."""
    return inline_serializer(
        name=f"{row.__name__.removesuffix('Serializer')}Listing",
        fields={
            "results": row(many=True),
            "total": serializers.IntegerField(),
            "after": serializers.CharField(allow_null=True),
        },
    )
