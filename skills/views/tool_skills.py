"""Screens of the tool skills: what every agent is served, what is wrong, and one skill as agents get it."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from company import live
from company.rules.actors import Actor
from company.rules.windows import MAX_LIMIT, Window, parse_window
from company.views.screens import screen
from skills.reads.skills import CURSOR_WIDTH, Flag, SkillRow, get_skill, list_problems, list_skills
from skills.reads.sync import sync_states
from skills.reads.usage import usage_of
from skills.registry.findings import FindingKind, variables_in_force
from skills.tool_skills.rules.variables import render as fill_in
from skills.views.words import CHART_HEIGHT, charts, trigger_in_words

FLAGS = {
    Flag.NEVER_OFFERED: "never offered",
    Flag.NEVER_LOADED: "offered, never loaded",
    Flag.OFTEN_BLOCKED: "often blocked",
}
FINDINGS = {
    FindingKind.UNDECODABLE: "Cannot be read",
    FindingKind.DUPLICATED: "Shadowed",
    FindingKind.UNRESOLVED: "Names a variable nobody sets",
    FindingKind.DANGLING: "Names a tool nobody serves",
    FindingKind.MATCHES_NOTHING: "Reaches no seat",
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """A skill in the list, with its words."""

    row: SkillRow
    trigger: str
    flags: tuple[str, ...]


@require_safe
@screen
def skills(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Every skill served, everything that is wrong, and, for administrators, how far each process is."""
    listing = list_skills(
        actor=actor, window=parse_window(str(MAX_LIMIT), request.GET.get("after"), width=CURSOR_WIDTH)
    )
    problems = list_problems(actor=actor, window=Window(limit=MAX_LIMIT))
    company = live.current()
    context = {
        "section": "skills",
        "container": company.skills_container,
        "lines": [_line(row) for row in listing.results],
        "listing": listing,
        "problems": [(FINDINGS[finding.kind], finding) for finding in problems.results],
        "problems_total": problems.total,
        "processes": sync_states(actor=actor) if actor.is_admin else (),
    }
    return render(request, "skills/list.html", context)


@require_safe
@screen
def skill(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """One skill: what a prompt shows of it in each phase, its body as it is loaded, and its use by seat."""
    detail = get_skill(actor=actor, key=key)
    usage = usage_of(actor=actor, key=key)
    held = detail.served.skill
    variables = variables_in_force(live.current())
    context = {
        "section": "skills",
        "container": live.current().skills_container,
        "detail": detail,
        "skill": held,
        "title": fill_in(held.title, variables),
        "summary": fill_in(held.summary, variables),
        "body": fill_in(held.body, variables),
        "trigger": trigger_in_words(held.trigger),
        "flags": tuple(FLAGS[flag] for flag in detail.flags),
        "findings": [(FINDINGS[finding.kind], finding) for finding in detail.findings],
        "usage": usage,
        "charts": charts(usage.seats, since=usage.since, until=usage.until),
        "chart_height": CHART_HEIGHT,
    }
    return render(request, "skills/skill.html", context)


def _line(row: SkillRow) -> Line:
    words = trigger_in_words(row.served.skill.trigger)
    return Line(row=row, trigger=words, flags=tuple(FLAGS[flag] for flag in row.flags))
