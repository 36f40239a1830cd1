"""Windows of a listing: how many rows, and after which one. Pure.

A cursor is opaque to whoever gets it: the sort values of the last row, as JSON in URL-safe base64.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Generic, TypeVar

from company.rules.refusals import Code, Refused

DEFAULT_LIMIT = 50
MAX_LIMIT = 500

Row = TypeVar("Row")
SortValue = str | int | None


@dataclass(frozen=True, kw_only=True)
class Window:
    """At most `limit` rows, from the first after `after` (the sort values of a row), or from the top."""

    limit: int = DEFAULT_LIMIT
    after: tuple[SortValue, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Listing(Generic[Row]):
    """One window of a listing: its rows, how many there are in all, and the cursor that continues it."""

    results: tuple[Row, ...]
    total: int
    after: str | None = None


def parse_window(limit: str | None, after: str | None, *, width: int, maximum: int = MAX_LIMIT) -> Window:
    """The window a request asks for.

    `width` is how many sort values a cursor of this listing holds. Raises `invalid` for a limit that is no positive
    number or a cursor of another listing, `too_long` (with `limit`) for a limit above `maximum`.
    """
    size = DEFAULT_LIMIT
    if limit not in (None, ""):
        try:
            size = int(limit or "")
        except ValueError:
            size = 0
        if size < 1:
            raise Refused(Code.INVALID, f"'limit' is a whole number from 1 to {maximum}.", attr="limit")
        if size > maximum:
            raise Refused(
                Code.TOO_LONG,
                f"'limit' is at most {maximum}. Page on with 'after'.",
                attr="limit",
                extras={"limit": maximum},
            )
    return Window(limit=size, after=decode_cursor(after, width=width) if after else None)


def encode_cursor(values: tuple[SortValue, ...]) -> str:
    """A cursor for the row with these sort values."""
    return base64.urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *, width: int) -> tuple[SortValue, ...]:
    """The sort values of a cursor; raises `invalid` for anything that is not one of this listing."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError):
        values = None
    if (
        not isinstance(values, list)
        or len(values) != width
        or not all(value is None or type(value) in (str, int) for value in values)
        or any(type(value) is int and abs(value) >= 2**63 for value in values)
        or any(isinstance(value, str) and "\x00" in value for value in values)
    ):
        raise Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
    return tuple(values)
