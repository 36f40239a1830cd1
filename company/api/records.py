"""`events` and `audit` at the REST door."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.listing import LISTING_PARAMETERS, answer_listing, check_parameters, listing_of, window_of
from company.api.renderers import CSVRenderer
from company.api.shapes import AuditEntrySerializer, EventSerializer
from company.reads.records import (
    WINDOW_WIDTH,
    AuditFilter,
    AuditRow,
    EventRow,
    export_audit,
    list_audit,
    list_events,
)
from company.rules.refusals import Code, Refused
from company.rules.windows import Window, parse_window

COLUMNS = (
    "id", "at", "actor", "actor_kind", "operator_id", "door", "verb", "target_kind", "target_id",
    "version_before", "version_after", "detail",
)  # fmt: skip
FILTERS = ("actor", "verb", "target", "since", "until")
_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_ROWS_A_PORTION = 500


class EventsView(APIView):
    """Stored events."""

    @extend_schema(
        parameters=[
            *LISTING_PARAMETERS,
            OpenApiParameter("type", str, description="Only events of this type, such as `page.saved`."),
        ],
        operation_id="events_list",
        responses={200: listing_of(EventSerializer)},
    )
    def get(self, request: Request) -> Response:
        """Events, oldest first: all for an administrator, its own for a seat. `after` also takes an event's id."""
        listing = list_events(
            actor=actor_of(request), window=_event_window(request), type_=request.query_params.get("type") or None
        )
        return Response(answer_listing(listing, shape_event))


class AuditView(APIView):
    """The audit trail."""

    renderer_classes = [JSONRenderer, CSVRenderer]

    @extend_schema(
        parameters=[
            *LISTING_PARAMETERS,
            OpenApiParameter("actor", str, description="An actor's name, or a credential such as `token:12`."),
            OpenApiParameter("verb", str, description="Such as `save_page`."),
            OpenApiParameter("target", str, description="A kind such as `page`, or one target such as `page:12`."),
            OpenApiParameter("since", OpenApiTypes.DATETIME, description="From this time on."),
            OpenApiParameter("until", OpenApiTypes.DATETIME, description="Before this time."),
        ],
        operation_id="audit_list",
        responses={
            (200, "application/json"): listing_of(AuditEntrySerializer),
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="Every entry that passes, not a window."),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Entries, newest first. As `text/csv`, all that pass the filters."""
        check_parameters(request, ("limit", "after", *FILTERS))
        which = AuditFilter(
            actor=request.query_params.get("actor") or None,
            verb=request.query_params.get("verb") or None,
            target=request.query_params.get("target") or None,
            since=_time(request, "since"),
            until=_time(request, "until"),
        )
        actor = actor_of(request)
        if isinstance(request.accepted_renderer, CSVRenderer):
            portions = _csv(export_audit(actor=actor, which=which))
            later = isinstance(request._request, ASGIRequest)  # noqa: SLF001 (DRF's way to the request)
            return StreamingHttpResponse(
                _asynchronously(portions) if later else portions,
                content_type="text/csv; charset=utf-8",
                headers={"Content-Disposition": 'attachment; filename="audit.csv"'},
            )
        window = window_of(request, width=WINDOW_WIDTH, filters=FILTERS)
        return Response(answer_listing(list_audit(actor=actor, window=window, which=which), shape_entry))


def shape_event(row: EventRow) -> dict[str, Any]:
    """An event in a list."""
    return {"id": row.id, "type": row.type, "at": row.at, "payload": row.payload}


def shape_entry(row: AuditRow) -> dict[str, Any]:
    """An entry of the audit trail in a list."""
    return {
        "id": row.id,
        "at": row.at,
        "actor": row.actor.as_dict(),
        "operator_id": row.operator_id,
        "door": row.door,
        "verb": row.verb,
        "target": {"kind": row.target_kind, "id": row.target_id},
        "version_before": row.version_before,
        "version_after": row.version_after,
        "detail": row.detail,
    }


def _event_window(request: Request) -> Window:
    """The window of a listing of events. Who follows events keeps the last one's id, and may give that as `after`."""
    after = request.query_params.get("after", "")
    if not (after.isascii() and after.isdecimal() and len(after) < 19):
        return window_of(request, width=WINDOW_WIDTH, filters=("type",))
    check_parameters(request, ("limit", "after", "type"))
    limit = parse_window(request.query_params.get("limit"), None, width=WINDOW_WIDTH).limit
    return Window(limit=limit, after=(int(after),))


def _time(request: Request, name: str) -> datetime | None:
    word = request.query_params.get(name)
    if not word:
        return None
    try:
        # An unencoded '+' of the offset arrives as a blank.
        moment = parse_datetime(word.replace(" ", "+") if word.count(" ") == 1 and "T" in word else word)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Refused(
            Code.INVALID, f"'{name}' is a time with its offset, such as 2026-03-01T09:00:00+02:00.", attr=name
        )
    return moment


def _csv(rows: Iterator[AuditRow]) -> Iterator[str]:
    """CSV in portions. A cell that a spreadsheet would run as a formula is marked as text with an apostrophe."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for number, row in enumerate(rows, start=1):
        detail = json.dumps(row.detail, ensure_ascii=False)
        cells = (
            row.id, row.at.isoformat(), row.actor.name, row.actor.kind.value, row.operator_id, row.door, row.verb,
            row.target_kind, row.target_id, row.version_before, row.version_after, detail,
        )  # fmt: skip
        writer.writerow([_cell(cell) for cell in cells])
        if number % _ROWS_A_PORTION == 0:
            yield _taken(buffer)
    yield _taken(buffer)


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_BEGINS_A_FORMULA) else value


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


async def _asynchronously(portions: Iterator[str]) -> AsyncIterator[str]:
    """The portions for an asynchronous server, each read from the database in the thread that may."""
    while (portion := await sync_to_async(_next)(portions)) is not None:
        yield portion


def _next(portions: Iterator[str]) -> str | None:
    return next(portions, None)
