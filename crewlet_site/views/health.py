"""What operators and load balancers ask: whether the process lives, and whether it can do its work.

Both are public and tell nothing about the company.
"""

from __future__ import annotations

from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from company import live
from company.reads.revisions import latest_id
from company.rules.refusals import STATUS, Code
from crewlet_site import preparation


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """200 while the process serves requests at all."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """200 when the database answers, its migrations are applied and the newest document is in force here.

    Otherwise 503 `not_ready` with one entry for each thing that is missing. A deployment without a document is ready:
    somebody has to be able to sign in and apply the first one.
    """
    missing = _missing()
    if not missing:
        return JsonResponse({"status": "ready"})
    errors = [{"code": Code.NOT_READY.value, "detail": detail, "attr": what} for what, detail in missing]
    return JsonResponse({"type": "server_error", "errors": errors}, status=STATUS[Code.NOT_READY])


def _missing() -> list[tuple[str, str]]:
    try:
        pending = preparation.pending_migrations()
        if pending:
            return [("migrations", f"{len(pending)} migrations are not applied: {', '.join(pending)}.")]
        newest = latest_id()
    except Error:
        return [("database", "The database cannot be reached.")]
    if live.current().revision != newest:
        return [("company", f"Revision {newest} of the company document is not in force in this process yet.")]
    return []
