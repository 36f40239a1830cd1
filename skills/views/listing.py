"""The list of skills: three dialects with filters that stand in the address, what is wrong, how far each process is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company import live
from company.rules.actors import Actor
from company.views.screens import is_fragment, screen
from knowledge.views.abilities import may_create_in
from skills.reads.alike import alike_by_page
from skills.reads.shelf import Flag, Shelved, Wanted, grouped_findings, shelf
from skills.reads.sync import sync_states
from skills.registry.findings import FindingKind
from skills.tool_skills.rules.documents import Kind, Phase
from skills.views.words import DIALECTS, FINDINGS, FLAGS, address_of, finding_words, when_in_words

AT_ONCE = 100
"""How many rows a screen shows before it offers the next ones: an imported library holds thousands."""

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


@require_safe
@screen
def skills(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Every skill that is served and passes the filters; below it what is wrong, by kind; for administrators, how far
    each process is."""
    wanted = Wanted(
        dialect=_one_of(Kind, request.GET.get("dialect")),
        phase=_one_of(Phase, request.GET.get("phase")),
        flag=_one_of(Flag, request.GET.get("flag")) or _one_of(FindingKind, request.GET.get("flag")),
        text=request.GET.get("q", "")[:200],
    )
    found = shelf(actor=actor, wanted=wanted)
    start = _number(request.GET.get("from", ""))
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
    }
    if is_fragment(request):
        return render(request, "skills/list.html#rows" if start else "skills/list.html#shelf", context)
    company = live.current()
    context |= {
        "container": company.skills_container,
        "may_write": bool(company.skills_container) and may_create_in(company.skills_container or "", actor=actor),
        "reviewed": company.skills_review,
        "wanted": wanted,
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
