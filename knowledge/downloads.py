"""How the bytes of a file leave: never as anything a browser would run.

Pictures of the closed list are shown in place, everything else is a download of no particular type. Either way the
browser may not guess another type, and may run nothing in it.
"""

from __future__ import annotations

import structlog
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header, parse_etags

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.streams import Streamed
from knowledge import files
from knowledge.reads.attachments import get_attachment

log = structlog.get_logger(__name__)

_INERT = "default-src 'none'; sandbox; frame-ancestors 'none'"


def file_answer(request: HttpRequest, actor: Actor, attachment_id: int) -> HttpResponseBase:
    """The bytes of an attachment, or 304 where the client has them; refuses as `get_attachment` does."""
    file = get_attachment(actor=actor, attachment_id=attachment_id)
    etag = f'"{file.sha256}"'
    asked = parse_etags(request.headers.get("If-None-Match", ""))
    answer: HttpResponseBase
    if "*" in asked or etag in (tag.removeprefix("W/") for tag in asked):
        answer = HttpResponse(status=304)
    else:
        answer = Streamed(request, _bytes_of(file.sha256, attachment_id), content_type=file.media_type)
        answer["Content-Length"] = str(file.size)
    answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"  # the permission is asked every time, the bytes are sent once
    answer["Content-Disposition"] = str(content_disposition_header(not file.is_picture, file.name))
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Content-Security-Policy"] = _INERT
    answer["Cross-Origin-Resource-Policy"] = "same-origin"
    return answer


def _bytes_of(sha256: str, attachment_id: int) -> files.Pieces:
    try:
        return files.read(sha256)
    except FileNotFoundError as error:
        log.error("attachment_bytes_missing", attachment=attachment_id, sha256=sha256)
        raise Refused(
            Code.NOT_FOUND,
            "The storage of attachments no longer holds this file. An administrator can bring it back from a backup.",
        ) from error
