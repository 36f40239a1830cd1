"""The list of skills: three dialects with filters that stand in the address, what is wrong, how far each process is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Refused
from company.views.screens import is_fragment, screen
from knowledge.search.rules.outcome import SENTENCES, Mode
from knowledge.views.abilities import may_create_in
from knowledge.views.searching import MODES
from skills.reads.alike import alike_by_page
from skills.reads.search import FoundSkills, can_search_by_meaning, search_skills
from skills.reads.shelf import Flag, Shelved, Wanted, grouped_findings, shelf
from skills.reads.sync import sync_states
from skills.registry.findings import FindingKind
from skills.tool_skills.rules.documents import Kind, Phase
from skills.views.words import DIALECTS, FINDINGS, FLAGS, address_of, finding_words, when_in_words

AT_ONCE = 100
"""How many rows a screen shows before it offers the next ones: an imported library holds thousands."""

RANKED = 20
"""How many skills a search shows: by meaning every skill has a place, and the far ones answer nothing."""

Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A skill in the list, with its words."""

    skill: Shelved
    address: str
    dialect: str
    when: str
    flags: tuple[str, ...]
    findings: tuple[str, ...]
    alike: int


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One option of a filter."""

    value: str
    words: str
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What a search was worth, in words: how many answered it, how it ranked them, and what it could not do."""

    matching: int
    served: str
    notes: tuple[str, ...]


@require_safe
@screen
def skills(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Every skill that is served and passes the filters, by name; with a `mode`, the best of them for the text; below
    it what is wrong, by kind; for administrators, how far each process is.

    Typing filters by words alone: a question goes to the provider only when somebody asks for it."""
    wanted = Wanted(
        dialect=_one_of(Kind, request.GET.get("dialect")),
        phase=_one_of(Phase, request.GET.get("phase")),
        flag=_one_of(Flag, request.GET.get("flag")) or _one_of(FindingKind, request.GET.get("flag")),
        text=request.GET.get("q", "")[:200],
    )
    company = live.current()
    start = _number(request.GET.get("from", ""))
    ranked, refused = _ranked(actor, wanted) if wanted.text and "mode" in request.GET else (None, None)
    found = replace(ranked.among, shown=ranked.hits[:RANKED]) if ranked else shelf(actor=actor, wanted=wanted)
    shown = found.shown[start : start + AT_ONCE]
    alike = alike_by_page([one.page_id for one in shown])
    asked = {
        "dialect": wanted.dialect, "phase": wanted.phase, "flag": wanted.flag, "q": wanted.text,
    }  # fmt: skip
    asked_for = {name: str(value) for name, value in asked.items() if value}
    rest = len(found.shown) - start - len(shown)
    context = {
        "section": "skills",
        "lines": [_line(one, alike=alike.get(one.page_id, 0)) for one in shown],
        "found": found,
        "matching": len(found.shown),
        "narrowed": bool(asked_for),
        "rest": rest,
        "more": f"/skills?{urlencode({**asked_for, 'from': start + AT_ONCE})}" if rest > 0 else None,
        "searched": _searched(ranked) if ranked is not None else None,
        "refused": refused,
        "wanted": wanted,
        "has_meaning": bool(wanted.text) and can_search_by_meaning(company),
        "by_meaning": f"/skills?{urlencode({**asked_for, 'mode': Mode.HYBRID.value})}",
    }
    if is_fragment(request):
        return render(request, "skills/list.html#rows" if start else "skills/list.html#shelf", context)
    context |= {
        "container": company.skills_container,
        "may_write": bool(company.skills_container) and may_create_in(company.skills_container or "", actor=actor),
        "reviewed": company.skills_review,
        "dialects": _choices([(kind, DIALECTS[kind]) for kind in DIALECTS], wanted.dialect),
        "phases": _choices([(phase, phase.value) for phase in Phase], wanted.phase),
        "flags": _choices(
            [*((flag, FLAGS[flag]) for flag in Flag), *((kind, FINDINGS[kind].short) for kind in _SERVED_WITH)],
            wanted.flag,
        ),
        "groups": [
            (FINDINGS[group.kind], group, [(one, finding_words(one)) for one in group.pages])
            for group in grouped_findings(actor=actor)
        ],
        "processes": sync_states(actor=actor) if actor.is_admin else (),
    }
    return render(request, "skills/list.html", context)


def _ranked(actor: Actor, wanted: Wanted) -> tuple[FoundSkills | None, Refused | None]:
    """What a search found, or why it cannot be asked: the list is then filtered as it is while one types."""
    try:
        return search_skills(actor=actor, text=wanted.text, wanted=wanted), None
    except Refused as refused:
        if refused.status != _CANNOT_BE_ASKED:
            raise
        return None, refused


_CANNOT_BE_ASKED = 400


def _searched(found: FoundSkills) -> Searched:
    served = found.outcome.served_mode
    return Searched(
        matching=len(found.hits),
        served=MODES[served].lower() if served else "",
        notes=tuple(SENTENCES[reason] for reason in found.outcome.degraded),
    )


_SERVED_WITH = (FindingKind.UNRESOLVED, FindingKind.DANGLING, FindingKind.MATCHES_NOTHING)


def _line(one: Shelved, *, alike: int) -> Line:
    return Line(
        skill=one,
        address=address_of(one),
        dialect=DIALECTS[one.dialect],
        when=when_in_words(one),
        flags=tuple(FLAGS[flag] for flag in one.flags),
        alike=alike,
        findings=tuple(dict.fromkeys(FINDINGS[finding.kind].short for finding in one.findings)),
    )


def _choices(words: list[tuple[StrEnum, str]], chosen: StrEnum | None) -> list[Choice]:
    return [Choice(value=value.value, words=said, chosen=value is chosen) for value, said in words]


def _one_of(vocabulary: type[Word], text: str | None) -> Word | None:
    """A word of a vocabulary; None for anything else, which narrows nothing."""
    return next((word for word in vocabulary if word.value == text), None)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
