"""Forms and addresses of a page's files."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_POST, require_safe

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.views.screens import go, say, screen
from knowledge.downloads import file_answer
from knowledge.reads.attachments import get_attachment
from knowledge.writes.attachments import attach_file, remove_file


@require_safe
@screen
def show(request: HttpRequest, actor: Actor, attachment_id: int) -> HttpResponseBase:
    """The bytes of a file, at the short address a body may name it by."""
    return file_answer(request, actor, attachment_id)


@require_POST
@screen
def attach(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponse:
    """Put the files of the form on the page."""
    given = request.FILES.getlist("file")
    if not given:
        raise Refused(Code.REQUIRED, "Choose a file first.", attr="file")
    for file in given:
        attach_file(actor=actor, page_id=page_id, name=file.name or "", content=file)
    say(request, f"“{given[0].name}” is on the page." if len(given) == 1 else f"{len(given)} files are on the page.")
    return go(f"/knowledge/pages/{page_id}#files")


@require_POST
@screen
def remove(request: HttpRequest, actor: Actor, attachment_id: int) -> HttpResponse:
    """Take a file off its page."""
    file = get_attachment(actor=actor, attachment_id=attachment_id)
    remove_file(actor=actor, attachment_id=attachment_id)
    say(request, f"“{file.name}” is no longer on the page.")
    return go(f"/knowledge/pages/{file.page_id}#files")
