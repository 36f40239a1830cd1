"""What a screen shows of a difference: rows to read in one column or in two, a window of them at a time.

How somebody likes to read differences is kept in a cookie (`as=split` or `as=unified` in any address that shows one
sets it), so that it holds for the next one, with or without JavaScript.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.http import HttpRequest, HttpResponse

from knowledge.rules.diff import Difference, Hunk, Level, Line, Op, Piece, pieces_of, side_by_side

WINDOW = 1_500
COOKIE = "differences"
_A_YEAR = 365 * 86_400


class Shape(StrEnum):
    """How a difference is laid out."""

    UNIFIED = "unified"
    SPLIT = "split"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One line as it is shown: its number, what became of it, its words, and its end where that is what changed."""

    number: int
    op: Op
    pieces: tuple[Piece, ...]
    end: str = ""


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    """A row: the head of a hunk, or a line; in one column that is `cell`, in two `old` and `new` face each other."""

    head: str = ""
    old_number: int | None = None
    new_number: int | None = None
    cell: Cell | None = None
    old: Cell | None = None
    new: Cell | None = None


@dataclass(frozen=True, kw_only=True)
class ShownDifference:
    """A window of a difference. `next_row` is where the next one begins, None at the end."""

    shape: Shape
    rows: tuple[ShownRow, ...]
    added: int
    removed: int
    by_line: bool
    next_row: int | None
    left: int


def shape_of(request: HttpRequest) -> Shape:
    """The layout asked for now, else the one somebody chose before, else one column."""
    asked = request.GET.get("as") or request.COOKIES.get(COOKIE, "")
    return Shape.SPLIT if asked == Shape.SPLIT else Shape.UNIFIED


def remember_shape(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, which keeps the layout where one was asked for."""
    if request.GET.get("as") in list(Shape):
        response.set_cookie(
            COOKIE, shape_of(request), max_age=_A_YEAR, httponly=True, samesite="Lax", secure=request.is_secure()
        )
    return response


def show_difference(difference: Difference, *, shape: Shape, first: int = 0, window: int = WINDOW) -> ShownDifference:
    """The rows from `first` on, at most `window` of them."""
    rows = list(_rows(difference, shape))
    last = first + window
    return ShownDifference(
        shape=shape,
        rows=tuple(rows[first:last]),
        added=difference.added,
        removed=difference.removed,
        by_line=difference.level is Level.LINE,
        next_row=last if last < len(rows) else None,
        left=max(0, len(rows) - last),
    )


def first_row_of(request: HttpRequest) -> int:
    """The row a window is asked to begin at; 0 for anything else than a number."""
    given = request.GET.get("row", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


def _rows(difference: Difference, shape: Shape) -> Iterator[ShownRow]:
    for hunk in difference.hunks:
        ends = _changed_ends(hunk)
        yield ShownRow(head=f"Line {max(hunk.new_start, 1):,}")
        if shape is Shape.SPLIT:
            for row in side_by_side(hunk):
                yield ShownRow(
                    old=_cell(row.old, row.old.old, ends) if row.old else None,
                    new=_cell(row.new, row.new.new, ends) if row.new else None,
                )
        else:
            for line in hunk.lines:
                yield ShownRow(old_number=line.old, new_number=line.new, cell=_cell(line, line.new or line.old, ends))


def _cell(line: Line, number: int | None, ends: frozenset[int]) -> Cell:
    end = _END_WORDS[line.end] if id(line) in ends else ""
    return Cell(number=number or 0, op=line.op, pieces=pieces_of(line.text, line.marks), end=end)


_END_WORDS = {"\n": "ends in LF", "\r\n": "ends in CRLF", "": "no line end"}


def _changed_ends(hunk: Hunk) -> frozenset[int]:
    """The lines of a hunk whose end is not what the end of their twin is."""
    gone = {line.old: line for line in hunk.lines if line.op is Op.REMOVED}
    changed: set[int] = set()
    for line in hunk.lines:
        was = gone.get(line.twin) if line.op is Op.ADDED and line.twin is not None else None
        if was is not None and was.end != line.end:
            changed |= {id(was), id(line)}
    return frozenset(changed)
