"""Edits of a body that need no copy of the whole: append, prepend, and replacing a text that stands there once.

An edit is exact: nothing is inserted between what was there and what is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from company.rules.refusals import Code, Refused


class EditMode(StrEnum):
    """How an edit changes a body."""

    APPEND = "append"
    PREPEND = "prepend"
    REPLACE_TEXT = "replace_text"


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One edit: `text` goes to the end, to the start, or in the place of `find`."""

    mode: EditMode
    text: str
    find: str | None = None


def make_edit(*, mode: str, text: str, find: str | None = None) -> Edit:
    """A well-formed edit; refuses another mode (`unknown_mode`), and `find` missing (`required`) or out of place."""
    try:
        known = EditMode(mode)
    except ValueError as error:
        names = ", ".join(EditMode)
        raise Refused(
            Code.UNKNOWN_MODE, f"There is no mode '{mode}'. The modes are: {names}.", attr="edit.mode"
        ) from error
    if known is EditMode.REPLACE_TEXT and not find:
        raise Refused(Code.REQUIRED, "Give in 'find' the text to replace.", attr="edit.find")
    if known is not EditMode.REPLACE_TEXT and find is not None:
        raise Refused(Code.INVALID, f"'find' belongs to replace_text; '{known}' takes 'text' alone.", attr="edit.find")
    return Edit(mode=known, text=text, find=find)


def apply_edit(body: str, edit: Edit) -> str:
    """The body after the edit.

    Raises `text_not_found` when the text to replace is not there, `text_ambiguous` when it is there more than once;
    places that overlap count each.
    """
    if edit.mode is EditMode.APPEND:
        return body + edit.text
    if edit.mode is EditMode.PREPEND:
        return edit.text + body
    find = edit.find or ""
    first = body.find(find)
    if first < 0:
        raise Refused(
            Code.TEXT_NOT_FOUND,
            "The text in 'find' is not on the page. Read the page again and copy it exactly, white space included.",
            attr="edit.find",
        )
    if body.find(find, first + 1) >= 0:
        raise Refused(
            Code.TEXT_AMBIGUOUS,
            "The text in 'find' is on the page more than once. Take in more of what surrounds the place you mean.",
            attr="edit.find",
        )
    return body[:first] + edit.text + body[first + len(find) :]
