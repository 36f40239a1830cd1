"""ETags of versioned resources, and `If-Match` standing for the `base_version` of a body."""

from __future__ import annotations

import re

from rest_framework.request import Request

from company.rules.refusals import Code, Refused

_ONE_VERSION = re.compile(r'^"(\d{1,18})"$')


def etag(version: int) -> str:
    """The ETag of a version."""
    return f'"{version}"'


def base_version_of(request: Request, *, given: int | None) -> int | None:
    """The version a write starts from: that of its body, or that of `If-Match`; None where neither names one.

    `If-Match: *` names none. Raises `invalid` for anything but one quoted version, or where the two differ.
    """
    header = request.headers.get("If-Match", "*").strip()
    if header == "*":
        return given
    match = _ONE_VERSION.match(header)
    if match is None:
        raise Refused(Code.INVALID, "'If-Match' is the ETag of the version you read, quotes included.", attr="If-Match")
    version = int(match.group(1))
    if given is not None and given != version:
        raise Refused(Code.INVALID, "'If-Match' and 'base_version' name different versions. Send one.", attr="If-Match")
    return version
