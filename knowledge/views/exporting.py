"""Addresses that hand pages over as a zip."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import IO

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from company.rules.actors import Actor
from company.streams import Streamed
from company.views.screens import screen
from knowledge.exchange.exporting import Exported, export_branch, export_spaces
from knowledge.files import Pieces
from knowledge.reads.pages import get_page
from knowledge.rules.file_names import safe_stem


@require_safe
@screen
def space(request: HttpRequest, actor: Actor, container: str) -> HttpResponseBase:
    """A space as a zip, as far as its reader sees it."""
    return _zip(request, container, lambda to: export_spaces(actor=actor, to=to, container=container))


@require_safe
@screen
def branch(request: HttpRequest, actor: Actor, page_id: int) -> HttpResponseBase:
    """A page and all beneath it as a zip."""
    title = get_page(actor=actor, page_id=page_id).title
    return _zip(request, safe_stem(title), lambda to: export_branch(actor=actor, to=to, page_id=page_id))


def _zip(request: HttpRequest, name: str, write: Callable[[IO[bytes]], Exported]) -> HttpResponseBase:
    """The zip that `write` makes. It is made whole before the first byte leaves, so that a failure is told as one."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the answer closes it)
    try:
        write(file)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    answer = Streamed(request, Pieces(file), content_type="application/zip")
    answer["Content-Length"] = str(size)
    answer["Content-Disposition"] = str(content_disposition_header(as_attachment=True, filename=f"{name}.zip"))
    answer["Cache-Control"] = "no-store"
    return answer
