"""The form that brings items in from a CSV file, and its report."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import screen
from tracker.rules.importing import COLUMNS, FILE_BYTES
from tracker.views.asking import choices
from tracker.writes.importing import import_items
from tracker.writes.items.creating import project_for

TOLD = 500
"""How many rows somebody has to look at are shown; the rest is counted."""


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def bring(request: HttpRequest, actor: Actor) -> HttpResponse:
    """GET gives the form; POST brings the file in, or says what that would do (`dry_run`), and shows the report."""
    project = request.POST.get("project", "") or live.current().project_of(actor.seat) or ""
    context: dict[str, object] = {
        "section": "tracker",
        "project": project,
        "choices": choices(),
        "columns": COLUMNS,
        "most": FILE_BYTES >> 20,
    }
    if request.method != "POST":
        project_for(actor=actor, company=live.current(), project=next(iter(live.current().project_by_key), None))
        return render(request, "tracker/import.html", context)
    try:
        file = request.FILES.get("file")
        if file is None:
            raise Refused(Code.REQUIRED, "Choose the file to bring in.", attr="file")
        with file.open("rb") as opened:
            data = opened.read(FILE_BYTES + 1)
        report = import_items(
            actor=actor,
            data=data,
            source=file.name or "items.csv",
            project=project,
            dry_run=request.POST.get("dry_run") == "1",
        )
    except Refused as refused:
        if refused.code in (Code.FORBIDDEN, Code.SCOPE_MISSING):
            raise
        return render(request, "tracker/import.html", {**context, "refused": refused}, status=refused.status)
    told = report.telling
    shown = {"report": report, "counts": report.counts(), "told": told[:TOLD], "untold": max(0, len(told) - TOLD)}
    return render(request, "tracker/import.html", {**context, **shown, "file_name": file.name})
