"""One skill of any dialect as agents get it: what a prompt shows, its body, its use beside its versions."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from rapidfuzz import process

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import screen
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageView
from knowledge.views.abilities import abilities_on
from skills import frontmatter, registry
from skills.reads.alike import alike_to
from skills.reads.costs import cost_of
from skills.reads.effects import versions_of
from skills.reads.reach import seats_reached
from skills.reads.shelf import Shelved, Wanted, dialects_of, on_the_shelf, shelf
from skills.reads.skills import get_skill
from skills.reads.usage import usage_of
from skills.registry.findings import variables_in_force
from skills.tool_skills.rules.catalogue import previews_of
from skills.tool_skills.rules.documents import Kind
from skills.tool_skills.rules.variables import render as fill_in
from skills.views.comparing import others_like
from skills.views.words import (
    CHART_HEIGHT,
    DIALECTS,
    FINDINGS,
    FLAGS,
    address_of,
    charts,
    when_in_words,
)

SIMILAR = 3
SIMILAR_ENOUGH = 55.0
"""Of 100, how alike a name has to be to be offered in place of one nobody serves."""
VERSIONS_SHOWN = 8


@require_safe
@screen
def skill(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """The skill served under a name, a tool skill before the others unless `dialect` says which is meant."""
    kinds = dialects_of(actor=actor, name=key)
    asked = next((kind for kind in kinds if kind.value == request.GET.get("dialect")), None)
    if not kinds:
        return _missing(request, actor, key)
    return _shown(request, actor, on_the_shelf(actor=actor, dialect=asked or kinds[0], name=key), others=kinds)


@require_safe
@screen
def skill_on_page(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The skill a page is served as; `not_found` for a page that is served as none."""
    for kind, name in registry.current().names_of(page_id):
        return _shown(request, actor, on_the_shelf(actor=actor, dialect=kind, name=name), others=())
    raise Refused(Code.NOT_FOUND, "No skill is served from this page. Open the page itself to see what it says.")


def _shown(request: HttpRequest, actor: Actor, one: Shelved, *, others: tuple[Kind, ...]) -> HttpResponse:
    page = _page_of(one, actor=actor)
    usage = usage_of(actor=actor, key=one.name) if one.dialect is Kind.TOOL_SKILL else None
    versions = versions_of(actor=actor, page_id=page.id, usage=usage) if page else ()
    context = {
        "section": "skills",
        "one": one,
        "page": page,
        "dialect": DIALECTS[one.dialect],
        "when": when_in_words(one),
        "flags": [FLAGS[flag] for flag in one.flags],
        "findings": [(FINDINGS[finding.kind], finding) for finding in one.findings],
        "may": abilities_on(page, actor=actor) if page else None,
        "others": [(DIALECTS[kind], f"?dialect={kind.value}") for kind in others if kind is not one.dialect],
        "body": frontmatter.parse(page.body).body if page else "",
        "usage": usage,
        "versions": versions,
        "versions_shown": VERSIONS_SHOWN,
        "alike": others_like(alike_to(actor=actor, page_id=one.page_id), one.page_id),
    }
    if usage is not None:
        taught, variables = get_skill(actor=actor, key=one.name).skill, variables_in_force(live.current())
        marked = [(each.day, each.version) for each in versions]
        context |= {
            "previews": previews_of(taught, variables=variables),
            "seats": seats_reached(taught, live.current()),
            "cost": cost_of(actor=actor, key=one.name),
            "body": fill_in(taught.body, variables),
            "charts": charts(usage.seats, since=usage.since, until=usage.until, versions=marked),
            "chart_height": CHART_HEIGHT,
        }
    return render(request, "skills/skill.html", context)


def _page_of(one: Shelved, *, actor: Actor) -> PageView | None:
    """The page a skill is served from; None for one that is gone while this process still serves it."""
    try:
        return get_page(actor=actor, page_id=one.page_id)
    except Refused as refused:
        if refused.code is not Code.NOT_FOUND:
            raise
        return None


def _missing(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """The screen for a name nobody serves, with the names most like it."""
    served = shelf(actor=actor, wanted=Wanted()).shown
    close = process.extract(key, [one.name for one in served], limit=SIMILAR, score_cutoff=SIMILAR_ENOUGH)
    context = {
        "section": "skills",
        "key": key,
        "similar": [(served[at].name, address_of(served[at])) for _, _, at in close],
    }
    return render(request, "skills/missing.html", context, status=404)
