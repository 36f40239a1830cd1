"""The `Idempotency-Key` header at the REST door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from company.api.authentication import actor_of
from company.writes.idempotency import Answer, answer_once

KEY_PARAMETER = OpenApiParameter(
    name="Idempotency-Key",
    type=OpenApiTypes.STR,
    location=OpenApiParameter.HEADER,
    description="At most 255 characters. The same request with the same key is done once and answered alike, for seven "
    "days. Where what it made was edited, removed or purged since, a repetition is answered `not_found`, and is not "
    "done again.",
)


def respond(request: Request, answer: Callable[[], Answer], *, asked: Any = None) -> Response:
    """The response of `answer()`, or of the first request that came with this key on this route.

    The request's body is what a repetition is compared by, and its `If-Match` too, because a save is judged by it.
    `asked` stands for a body that JSON cannot hold, such as a file.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return _response(answer())
    route = f"{request.method} {request.path}"
    said = {"body": request.data if asked is None else asked, "if_match": request.headers.get("If-Match")}
    return _response(
        answer_once(credential=actor_of(request).credential, route=route, key=key, asked=said, answer=answer)
    )


def _response(answer: Answer) -> Response:
    headers = dict(answer.headers)
    if answer.repeated:
        headers["Idempotent-Replayed"] = "true"
    return Response(answer.body, status=answer.status, headers=headers)
