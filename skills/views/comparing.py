"""Skills that say nearly the same of themselves, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company.rules.actors import Actor
from company.rules.windows import parse_window
from company.views.screens import screen
from skills.alike import BY_WORDS
from skills.reads.alike import CURSOR_WIDTH, Alike, Said, list_alike
from skills.views.words import DIALECTS, address_of_name

AT_ONCE = "50"


@dataclass(frozen=True, kw_only=True)
class Side:
    """One skill of a pair."""

    name: str
    address: str
    dialect: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """A pair, and how alike its two are, of a hundred."""

    likeness: int
    sides: tuple[Side, Side]


@require_safe
@screen
def alike(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The pairs, the most alike first."""
    window = parse_window(AT_ONCE, request.GET.get("after"), width=CURSOR_WIDTH)
    listing = list_alike(actor=actor, window=window)
    context = {
        "section": "skills",
        "lines": [_line(pair) for pair in listing.results],
        "total": listing.total,
        "after": listing.after,
        "by_words": any(pair.measure == BY_WORDS for pair in listing.results),
        "measure": listing.results[0].measure if listing.results else "",
    }
    return render(request, "skills/alike.html", context)


def others_like(pairs: Sequence[Alike], page_id: int) -> list[tuple[int, Side]]:
    """The skills that are like the one on a page, each with how alike it is."""
    return [(pair.likeness, _side(pair.other(page_id))) for pair in pairs]


def _line(pair: Alike) -> Line:
    return Line(likeness=pair.likeness, sides=(_side(pair.first), _side(pair.second)))


def _side(said: Said) -> Side:
    return Side(
        name=said.name,
        address=address_of_name(said.name, dialect=said.dialect, page_id=said.page_id),
        dialect=DIALECTS[said.dialect],
        text=said.text,
    )
