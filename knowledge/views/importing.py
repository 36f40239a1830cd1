"""Screens that bring pages in: the form for a zip, how far a run is, and what became of every file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import go, is_fragment, screen
from knowledge.models import ImportState
from knowledge.reads.containers import get_container
from knowledge.reads.import_runs import ORDER, ImportView, LinesView, get_import, lines_of, list_imports
from knowledge.rules.importing.report import Verdict
from knowledge.rules.limits import IMPORT_BYTES, IMPORT_FILES
from knowledge.views.arranging import parent_named
from knowledge.writes.import_runs import begin_import
from knowledge.writes.importing import require_importer

LINES = 50
"""Files of a verdict that are shown at a time."""
LATEST = 8


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def begin(request: HttpRequest, actor: Actor, container: str) -> HttpResponse:
    """GET gives the form. POST begins an import and goes on to its screen."""
    require_importer(actor=actor, container=container, parent_id=None)
    if request.method != "POST":
        return _form(request, actor, container)
    file = request.FILES.get("file")
    try:
        if file is None:
            raise Refused(Code.REQUIRED, "Choose a zip first.", attr="file")
        made = begin_import(
            actor=actor,
            container=container,
            parent_id=parent_named(request.POST.get("parent", ""), container=container, actor=actor),
            name=file.name or "",
            content=file,
            source=request.POST.get("source", "").strip(),
            dry_run=request.POST.get("dry_run") == "1",
        )
    except Refused as refused:
        return _form(request, actor, container, refused=refused)
    return go(f"/knowledge/imports/{made.id}")


@require_safe
@screen
def run(request: HttpRequest, actor: Actor, run_id: int) -> HttpResponse:
    """How far a run is; once it is done, what became of every file. `verdict` with `from` continues one group of it."""
    verdict = _verdict(request)
    found = get_import(actor=actor, run_id=run_id, with_report=True)
    groups = _groups(request, found, verdict)
    context = {
        "section": "knowledge",
        "space": found.container,
        "run": found,
        "groups": groups,
        "counts": [(one, found.counts.get(one.value, 0)) for one in ORDER if found.counts.get(one.value)],
        "only": verdict,
        "words": _words(found),
    }
    part = ""
    if is_fragment(request):
        part = "#lines" if verdict is not None else "#news"
        context["group"] = groups[0] if groups else None
    return render(request, f"knowledge/import_run.html{part}", context)


def _form(request: HttpRequest, actor: Actor, container: str, *, refused: Refused | None = None) -> HttpResponse:
    typed = {name: request.POST.get(name, "") for name in ("parent", "source", "dry_run")}
    context = {
        "section": "knowledge",
        "space": container,
        "container": get_container(actor=actor, key=container),
        "latest": list_imports(actor=actor, container=container, limit=LATEST),
        "typed": typed,
        "attr": refused.problems[0].attr if refused else None,
        "refused": refused,
        "most": IMPORT_BYTES // 1024 // 1024,
        "most_files": IMPORT_FILES,
    }
    return render(request, "knowledge/import.html", context, status=refused.status if refused else 200)


def _groups(request: HttpRequest, found: ImportView, verdict: Verdict | None) -> list[LinesView]:
    if found.report is None:
        return []
    if verdict is not None:
        return [lines_of(found.report, verdict=verdict, start=_start(request), limit=LINES)]
    groups = [lines_of(found.report, verdict=one, start=0, limit=LINES) for one in ORDER]
    return [group for group in groups if group.total]


def _verdict(request: HttpRequest) -> Verdict | None:
    given = request.GET.get("verdict")
    if given is None:
        return None
    try:
        return Verdict(given)
    except ValueError as error:
        raise Refused(Code.INVALID, "There is no such verdict in a report.", attr="verdict") from error


def _start(request: HttpRequest) -> int:
    given = request.GET.get("from", "0")
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise Refused(Code.INVALID, "'from' is a number.", attr="from")
    return int(given)


def _words(found: ImportView) -> str:
    """How far it is, in one sentence."""
    if found.state is ImportState.WAITING:
        return "It waits for its turn. Imports into one space follow one another."
    if found.state is ImportState.FAILED:
        return "It ended early. What was brought in until then stays."
    if found.state is ImportState.DONE:
        files = sum(found.counts.get(verdict.value, 0) for verdict in Verdict)
        counted = f"{files:,} file{'' if files == 1 else 's'}"
        return f"Looked through {counted}; nothing was written." if found.dry_run else f"Done with {counted}."
    if not found.total:
        return "The zip is opened."
    of = f"{found.done:,} of {found.total:,}"
    if found.what == "file":
        return f"Reading the files: {of}."
    return f"Working out the pages: {of}." if found.dry_run else f"Writing the pages: {of}."
