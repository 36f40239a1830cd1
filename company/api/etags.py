"""ETags: the quoted version of a resource, and the `If-Match` that names the one a change was written on."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

NO_VERSION = -1
"""What an `If-Match` that is no version of ours stands for; nothing has it."""

IF_MATCH = OpenApiParameter(
    "If-Match", str, location=OpenApiParameter.HEADER, description="The ETag of what the change was written on."
)


def etag_of(version: int) -> str:
    """The ETag of a version."""
    return f'"{version}"'


def if_match_of(request: Request, *, current: int | None = None) -> int | None:
    """The version `If-Match` names; None without the header.

    `*` stands for whatever is there: `current`. A tag that is not one of ours is `NO_VERSION`, which matches nothing.
    """
    tag = request.headers.get("If-Match", "").strip()
    if not tag:
        return None
    if tag == "*":
        return current
    bare = tag.removeprefix("W/").strip('"')
    return int(bare) if bare.isascii() and bare.isdecimal() and len(bare) < 19 else NO_VERSION
