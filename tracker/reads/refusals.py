"""The refusals that reads of items share."""

from __future__ import annotations

from company.rules.refusals import Code, Refused


def not_found() -> Refused:
    """No such item for this actor."""
    return Refused(Code.NOT_FOUND, "There is no such item, or it is not yours to see. Look for it in the list.")


def foreign_cursor() -> Refused:
    """A cursor that another listing answered."""
    return Refused(Code.INVALID, "'after' is the cursor that the listing answered, unchanged.", attr="after")
