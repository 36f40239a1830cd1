"""The form that brings items in from a CSV file, how far it is while it does, and its report."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.streams import Streamed
from company.views.screens import is_fragment, screen
from tracker.rules.importing import COLUMNS, FILE_BYTES, Report
from tracker.views.asking import choices
from tracker.writes.importing import import_steps
from tracker.writes.items.creating import project_for

TOLD = 500
"""How many rows somebody has to look at are shown; the rest is counted."""
STEPS = "application/x-ndjson"


@require_http_methods(["GET", "HEAD", "POST"])
@screen
def bring(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """GET gives the form; POST brings the file in, or says what that would do (`dry_run`), and shows the report.

    A script's request (a fragment's) is answered by lines of JSON while rows come in: `{"done", "total"}` after each
    batch, and at the end `{"html"}`, the report or the note of what stopped it.
    """
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
        steps = _steps(request, actor, file, project=project)
        report = next(steps)
        context["file_name"] = file.name
        if is_fragment(request):
            return _tell(request, report, steps, context)
        deque(steps, maxlen=0)
    except Refused as refused:
        if refused.code in (Code.FORBIDDEN, Code.SCOPE_MISSING):
            raise
        template = "tracker/import.html#refused" if is_fragment(request) else "tracker/import.html"
        return render(request, template, {**context, "refused": refused}, status=refused.status)
    return render(request, "tracker/import.html", {**context, **_shown(report)})


def _steps(request: HttpRequest, actor: Actor, file: UploadedFile[Any], *, project: str) -> Iterator[Report]:
    with file.open("rb") as opened:
        data = opened.read(FILE_BYTES + 1)
    return import_steps(
        actor=actor,
        data=data,
        source=file.name or "items.csv",
        project=project,
        dry_run=request.POST.get("dry_run") == "1",
    )


def _shown(report: Report) -> dict[str, Any]:
    told = report.telling
    return {"report": report, "counts": report.counts(), "told": told[:TOLD], "untold": max(0, len(told) - TOLD)}


def _tell(
    request: HttpRequest, report: Report, steps: Iterator[Report], context: dict[str, object]
) -> HttpResponseBase:
    def part(name: str, more: dict[str, Any]) -> dict[str, str]:
        return {"html": render_to_string(f"tracker/import.html#{name}", {**context, **more}, request=request)}

    def lines(report: Report) -> Iterator[dict[str, Any]]:
        yield {"done": 0, "total": report.total}
        try:
            for step in steps:
                yield {"done": len(step.lines), "total": step.total}
        except Refused as refused:
            yield part("stopped", {**_shown(report), "refused": refused})
        else:
            yield part("report", _shown(report))

    answer = Streamed(request, _Lines(lines(report)), content_type=STEPS)
    answer["Cache-Control"] = "no-store"
    answer["X-Accel-Buffering"] = "no"
    return answer


class _Lines:
    """Lines of JSON a piece at a time. Closed while a batch is under way (its reader left), it ends with that batch."""

    def __init__(self, lines: Iterator[dict[str, Any]]) -> None:
        self._lines = lines
        self._is_left = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._is_left:
            raise StopIteration
        return json.dumps(next(self._lines)).encode() + b"\n"

    def close(self) -> None:
        """Ask for nothing more."""
        self._is_left = True
