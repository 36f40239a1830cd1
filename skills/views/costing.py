"""Bytes per seat: what each turn pays for its catalogue, the catalogue itself, and the skills that weigh most."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company.rules.actors import Actor
from company.views.screens import screen
from skills.budget import Catalogue
from skills.reads.costs import Costs, SeatCost, SkillCost, costs, state_of
from skills.tool_skills.rules.documents import Kind, Phase
from skills.views.words import address_of_name

HEAVIEST = 20

_TONES = {"within": "", "shortened": "warn", "dropped": "bad", "over": "bad"}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A seat's catalogue in one phase, in words, with its share of the limit (or of the heaviest) for a bar of 100."""

    address: str
    size: int
    words: str
    said: str
    tone: str
    share: int
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class Row:
    """A seat."""

    handle: str
    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class Weighty:
    """A skill among the heaviest; `share` is of everything all seats pay."""

    cost: SkillCost
    address: str
    line: str
    total: str
    share: int


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The catalogue somebody asked to see."""

    name: str
    phase: Phase
    catalogue: Catalogue


@require_safe
@screen
def seats(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Every agent's seat by phase; with `seat` and `phase`, that catalogue as it is rendered."""
    found = costs(actor=actor)
    asked = (request.GET.get("seat", ""), request.GET.get("phase", ""))
    catalogues = [catalogue for seat in found.seats for catalogue in seat.by_phase.values()]
    full = found.limit or max((catalogue.size for catalogue in catalogues), default=0)
    paid = sum(catalogue.size for catalogue in catalogues)
    context = {
        "section": "skills",
        "costs": found,
        "phases": tuple(Phase),
        "rows": [_row(seat, full=full, asked=asked) for seat in found.seats],
        "worst": _worst(catalogues),
        "chosen": _chosen(found, asked),
        "heaviest": [_weighty(one, paid=paid) for one in found.skills[:HEAVIEST]],
        "others": max(0, len(found.skills) - HEAVIEST),
    }
    return render(request, "skills/seats.html", context)


def _row(seat: SeatCost, *, full: int, asked: tuple[str, str]) -> Row:
    cells = (
        Cell(
            address=f"?{urlencode({'seat': seat.handle, 'phase': phase.value})}#catalogue",
            size=catalogue.size,
            words=f"{catalogue.size:,}",
            said=_said(catalogue),
            tone=_TONES[state_of(catalogue)],
            share=min(100, round(100 * catalogue.size / full)) if full else 0,
            chosen=asked == (seat.handle, phase.value),
        )
        for phase, catalogue in seat.by_phase.items()
    )
    return Row(handle=seat.handle, name=seat.name, cells=tuple(cells))


def _said(catalogue: Catalogue) -> str:
    match state_of(catalogue):
        case "over":
            return "over the limit"
        case "dropped":
            return f"{len(catalogue.dropped)} left out"
        case "shortened":
            return f"cut from {catalogue.whole_size:,}"
        case "within":
            return ""


def _worst(catalogues: list[Catalogue]) -> str:
    """How many catalogues the limit has changed, in a sentence; empty for none."""
    states = [state_of(catalogue) for catalogue in catalogues]
    told = (
        (states.count("shortened"), "catalogue has shorter summaries", "catalogues have shorter summaries"),
        (states.count("dropped"), "catalogue leaves skills out", "catalogues leave skills out"),
        (states.count("over"), "catalogue is over it with bare names", "catalogues are over it with bare names"),
    )
    parts = [f"{number} {one if number == 1 else many}" for number, one, many in told if number]
    return f"{', '.join(parts).capitalize()}." if parts else ""


def _chosen(found: Costs, asked: tuple[str, str]) -> Chosen | None:
    for seat in found.seats:
        for phase, catalogue in seat.by_phase.items():
            if asked == (seat.handle, phase.value) and catalogue.size:
                return Chosen(name=seat.name, phase=phase, catalogue=catalogue)
    return None


def _weighty(one: SkillCost, *, paid: int) -> Weighty:
    return Weighty(
        cost=one,
        address=address_of_name(one.key, dialect=Kind.TOOL_SKILL, page_id=one.page_id),
        line=f"{one.size:,}",
        total=f"{one.total:,}",
        share=round(100 * one.total / paid) if paid else 0,
    )
