"""Writing a skill: fields for its front matter, checked while somebody types, with what agents would get."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import go, say, screen
from knowledge.models import PageStatus
from knowledge.reads.pages import get_revision, page_to_edit
from knowledge.reads.shapes import PageView
from knowledge.rules.authority import Act, ground_of, require_act
from knowledge.rules.line_ends import as_written
from knowledge.views.abilities import abilities_on
from knowledge.views.editing import Typed as Written
from knowledge.views.editing import base_of, editor, saved_in_words, two_edits
from knowledge.writes.pages import create_page, save_page
from skills import frontmatter
from skills.composing import FORMS, FormField, Shape, Unwritable, compose, values_of
from skills.frontmatter import Parsed, Problem, size_of
from skills.reads.reach import SeatReach, seats_reached
from skills.reads.shelf import dialects_of, on_the_shelf
from skills.reads.validate import Validation, validate_text
from skills.registry.dialects import read_dialects
from skills.registry.findings import variables_in_force
from skills.tool_skills.rules.catalogue import previews_of
from skills.tool_skills.rules.documents import MAX_BODY_BYTES, Kind, Phase, ToolSkill
from skills.views.words import DIALECTS

EMPTY_TEXT = "---\n---\n\n"


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A field of the form: what it holds, how many bytes that is, and what is wrong with it."""

    field: FormField
    value: str
    size: int
    problems: tuple[Problem, ...]
    chosen: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Typed:
    """What somebody typed, and the text it makes; `refused` where it makes none."""

    kind: Kind
    values: dict[str, str]
    body: str
    text: str
    refused: str = ""
    message: str = ""
    base_version: int = 0


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the text would be: problems by field, and what agents would get of it."""

    found: Validation
    by_field: dict[str, list[Problem]] = field(default_factory=dict)
    previews: tuple[tuple[Phase, str], ...] = ()
    seats: tuple[SeatReach, ...] = ()

    @property
    def elsewhere(self) -> list[Problem]:
        """The problems no field of the form is to blame for."""
        return self.by_field.get("", [])


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def new(request: HttpRequest, actor: Actor) -> HttpResponse:
    """A new skill in a dialect: GET gives the form, POST checks the skill, publishes it and shows its page."""
    home = live.current().skills_container or ""
    kind = next((kind for kind in FORMS if kind.value == request.GET.get("dialect")), Kind.TOOL_SKILL)
    if request.method != "POST":
        require_act(Act.CREATE, actor=actor, ground=ground_of(live.current(), home))
        values = {one.name: one.absent for one in FORMS[kind]}
        return _form(request, Typed(kind=kind, values=values, body="", text=EMPTY_TEXT), None)
    typed = _typed(request, kind=kind, base=EMPTY_TEXT)
    draft = request.POST.get("status") == "draft"
    verdict = _verdict(actor, typed)
    if not draft and _is_wrong(typed, verdict):
        return _form(request, typed, verdict)
    title = typed.values["title" if kind is Kind.TOOL_SKILL else "name"]
    try:
        made = create_page(
            actor=actor,
            title=title,
            body=typed.text,
            container=home,
            message=typed.message or None,
            status=PageStatus.DRAFT if draft else PageStatus.PUBLISHED,
        )
    except Refused as refused:
        return _form(request, typed, verdict, refused=refused)
    waits = "It is kept and waits for review. It is served once another administrator has approved it."
    published = waits if made.waits else "Published. Every process serves it soon."
    say(request, "The draft is kept; it is served to nobody." if draft else published)
    return go(f"/knowledge/pages/{made.id}")


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def edit(request: HttpRequest, actor: Actor, key: str) -> HttpResponse:
    """The form of the skill served under a name, as `edit_page` has it."""
    kinds = dialects_of(actor=actor, name=key)
    kind = next((kind for kind in kinds if kind.value == request.GET.get("dialect")), kinds[0] if kinds else None)
    if kind is None:
        raise Refused(Code.NOT_FOUND, f"No skill is served as '{key}'. The list of skills shows which are.")
    return _edit(request, actor, on_the_shelf(actor=actor, dialect=kind, name=key).page_id)


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def edit_page(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """The form of the skill on a page: POST checks it and saves it as a new version; a page that cannot be read field
    by field is edited as text."""
    return _edit(request, actor, page_id)


@require_POST
@screen
def check(request: HttpRequest, actor: Actor) -> HttpResponse:
    """What a form would make, as fragments: problems and bytes for each field, previews, seats. Changes nothing."""
    kind = next((kind for kind in FORMS if kind.value == request.POST.get("dialect")), Kind.TOOL_SKILL)
    page_id, version = _number(request.POST.get("page", "")), _number(request.POST.get("base_version", ""))
    base = get_revision(actor=actor, page_id=page_id, version=version).body if page_id and version else EMPTY_TEXT
    typed = _typed(request, kind=kind, base=base)
    return render(request, "skills/form.html#checked", _context(typed, _verdict(actor, typed), swapped=True))


def _edit(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    page = page_to_edit(actor=actor, page_id=page_id)
    if request.method == "POST" and request.POST.get("as") == "fields":
        return _as_fields(request, actor, page)
    kind = read_dialects(page.body).kind
    values = values_of(page.body, kind) if kind in FORMS else None
    if values is None:
        return go(f"/knowledge/pages/{page_id}/edit")
    if request.method == "POST":
        return _save(request, actor, page, kind=kind)
    if not abilities_on(page, actor=actor).save:
        save_page(actor=actor, page_id=page_id, base_version=page.version, body=page.body)  # says why not
    body = frontmatter.parse(page.body).body
    typed = Typed(kind=kind, values=values, body=body, text=page.body, base_version=page.version)
    return _form(request, typed, _verdict(actor, typed), page_id=page_id)


def _save(request: HttpRequest, actor: Actor, page: PageView, *, kind: Kind) -> HttpResponse:
    """Save what was typed into fields; on a stale base both texts meet, as they do in the editor of pages."""
    base = base_of(actor, page, _number(request.POST.get("base_version", "")))
    typed = _typed(request, kind=kind, base=base)
    if request.POST.get("as") == "text":
        return _as_text(request, actor, page, typed)
    verdict = _verdict(actor, typed)
    if _is_wrong(typed, verdict):
        return _form(request, typed, verdict, page_id=page.id)
    note = typed.message or None
    try:
        saved = save_page(actor=actor, page_id=page.id, base_version=typed.base_version, body=typed.text, message=note)
    except Refused as refused:
        if refused.code is not Code.STALE_VERSION:
            return _form(request, typed, verdict, page_id=page.id, refused=refused)
        now = page_to_edit(actor=actor, page_id=page.id)
        return two_edits(request, now, _whole(typed, now), base=base, refused=refused)
    say(request, saved_in_words(saved, before=page))
    return go(f"/knowledge/pages/{page.id}")


def _whole(typed: Typed, page: PageView) -> Written:
    """What was typed into fields as the text of the page."""
    return Written(title=page.title, body=typed.text, message=typed.message, base_version=typed.base_version)


def _as_text(request: HttpRequest, actor: Actor, page: PageView, typed: Typed) -> HttpResponse:
    """What was typed into fields, to go on with as text; the fields again where they make none."""
    if typed.refused:
        return _form(request, typed, _verdict(actor, typed), page_id=page.id)
    return editor(request, actor, page, _whole(typed, page))


def _as_fields(request: HttpRequest, actor: Actor, page: PageView) -> HttpResponse:
    """A text that was typed, to go on with in fields; the text again where they cannot show it."""
    version = _number(request.POST.get("base_version", ""))
    text = as_written(request.POST.get("body", ""), base=base_of(actor, page, version))
    message = request.POST.get("message", "")
    kind = read_dialects(text).kind
    values = values_of(text, kind) if kind in FORMS else None
    if values is None:
        words = "The front matter of this text cannot be shown as fields. Put it right here first."
        written = Written(title=page.title, body=text, message=message, base_version=version)
        return editor(request, actor, page, written, refused=Refused(Code.INVALID, words, attr="body"))
    body = frontmatter.parse(text).body
    typed = Typed(kind=kind, values=values, body=body, text=text, message=message, base_version=version)
    return _form(request, typed, _verdict(actor, typed), page_id=page.id)


def _typed(request: HttpRequest, *, kind: Kind, base: str) -> Typed:
    values: dict[str, str] = {}
    for one in FORMS[kind]:
        given = request.POST.getlist(one.name) if one.shape is Shape.CHOICES else [request.POST.get(one.name, "")]
        if one.shape is Shape.FLAG:
            values[one.name] = "true" if request.POST.get(one.name) else "false"
        else:
            values[one.name] = "\n".join(given).replace("\r\n", "\n").strip()
    before = frontmatter.parse(base).body
    body = as_written(request.POST.get("body", ""), base=before)
    made = compose(base, kind, values, body=body)
    return Typed(
        kind=kind,
        values=values,
        body=body,
        text=made if isinstance(made, str) else base,
        refused=made.reason if isinstance(made, Unwritable) else "",
        message=request.POST.get("message", ""),
        base_version=_number(request.POST.get("base_version", "")),
    )


def _verdict(actor: Actor, typed: Typed) -> Verdict:
    found = validate_text(actor=actor, text=typed.text)
    reading = frontmatter.parse(typed.text)
    names = {one.name for one in FORMS[typed.kind]} | {"body"}
    by_field: defaultdict[str, list[Problem]] = defaultdict(list)
    for problem in found.problems:
        head = problem.field.split(".")[0].split("[")[0]
        by_field[head if head in names else ""].append(problem)
    if not found.problems and found.kind is not typed.kind:
        for one in (one for one in FORMS[typed.kind] if one.required and not typed.values[one.name]):
            words = f"'{one.label}' is empty; without it this is no {DIALECTS[typed.kind]}. Fill it in."
            by_field[one.name].append(Problem(code=Code.REQUIRED, field=one.name, line=None, detail=words))
    company = live.current()
    previews: tuple[tuple[Phase, str], ...] = ()
    seats: tuple[SeatReach, ...] = ()
    skill = read_dialects(typed.text).tool if isinstance(reading, Parsed) else None
    if isinstance(skill, ToolSkill):
        variables = variables_in_force(company)
        previews = previews_of(skill, variables=variables)
        seats = seats_reached(skill, company)
    return Verdict(found=found, by_field=dict(by_field), previews=previews, seats=seats)


def _is_wrong(typed: Typed, verdict: Verdict) -> bool:
    return bool(typed.refused or verdict.by_field or verdict.found.kind is not typed.kind)


def _context(typed: Typed, verdict: Verdict | None, *, swapped: bool = False) -> dict[str, object]:
    wrong = verdict.by_field if verdict else {}
    return {
        "typed": typed,
        "verdict": verdict,
        "swapped": swapped,
        "fields": [
            Shown(
                field=one,
                value=typed.values[one.name],
                size=size_of(typed.values[one.name]),
                problems=tuple(wrong.get(one.name, ())),
                chosen=frozenset(typed.values[one.name].split("\n")),
            )
            for one in FORMS[typed.kind]
        ],
        "body_size": size_of(typed.body),
        "body_most": MAX_BODY_BYTES if typed.kind is Kind.TOOL_SKILL else None,
        "body_problems": wrong.get("body", ()),
    }


def _form(
    request: HttpRequest, typed: Typed, verdict: Verdict | None, *, page_id: int = 0, refused: Refused | None = None
) -> HttpResponse:
    wrong = refused is not None or (request.method == "POST")
    context = {
        **_context(typed, verdict),
        "section": "skills",
        "page_id": page_id,
        "refused": refused,
        "dialects": [(kind.value, words, kind is typed.kind) for kind, words in DIALECTS.items()],
        "dialect": DIALECTS[typed.kind],
    }
    return render(request, "skills/form.html", context, status=(refused.status if refused else 400) if wrong else 200)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
