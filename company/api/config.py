"""`config` at the REST door: the company document, its revisions, their differences, and going back."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.etags import IF_MATCH, NO_VERSION, etag_of, if_match_of
from company.api.listing import LISTING_PARAMETERS, answer_listing, check_parameters, listing_of, window_of
from company.api.parsers import (
    JSONDocumentParser,
    TextYAMLDocumentParser,
    XYAMLDocumentParser,
    YAMLDocumentParser,
)
from company.api.renderers import TextRenderer, TextYAMLRenderer, YAMLRenderer
from company.api.serializers import StrictSerializer
from company.api.shapes import AppliedSerializer, RevisionDiffSerializer, RevisionRowSerializer, RevisionSerializer
from company.models.revisions import Revision
from company.reads.documents import (
    WINDOW_WIDTH,
    RevisionRow,
    active_document,
    diff_revisions,
    get_revision,
    list_revisions,
    row_of,
)
from company.reads.revisions import latest_id
from company.rules.document import json_schema
from company.rules.refusals import Code, Refused
from company.writes.document import apply_document, revert_document

YAML = "application/yaml"
SUMMARY = OpenApiParameter(
    "X-Summary",
    str,
    location=OpenApiParameter.HEADER,
    description="One line on what changed, at most 256 characters; percent-encoded where it is not ASCII.",
)
RENDERERS = [JSONRenderer, YAMLRenderer, TextYAMLRenderer]


class ConfigView(APIView):
    """The document in force."""

    renderer_classes = RENDERERS
    parser_classes = [JSONDocumentParser, YAMLDocumentParser, TextYAMLDocumentParser, XYAMLDocumentParser]

    @extend_schema(
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, YAML): OpenApiResponse(OpenApiTypes.STR, description="The text as it was written."),
        },
    )
    def get(self, request: Request) -> Response:
        """The document itself, as JSON or as the YAML it was written in, with literal secrets as `***`."""
        check_parameters(request, ())
        view = active_document(actor=actor_of(request))
        body = view.source if wants_text(request) else view.document
        return Response(body, headers={"ETag": etag_of(view.row.id)})

    @extend_schema(
        parameters=[IF_MATCH, SUMMARY],
        request={"application/json": OpenApiTypes.OBJECT, YAML: OpenApiTypes.STR},
        responses={200: AppliedSerializer},
    )
    def put(self, request: Request) -> Response:
        """Validate the document and put it in force as a new revision. `If-Match` may be left out only for the first.

        A `***` keeps the secret stored at that place.
        """
        check_parameters(request, ())
        current = latest_id()
        base = if_match_of(request, current=current or NO_VERSION)
        revision = apply_document(
            actor=actor_of(request), source=text_of(request), summary=summary_of(request), if_match=base
        )
        return _applied(revision)


class ConfigSchemaView(APIView):
    """The JSON Schema of the document."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        """The JSON Schema of the company document, for editors."""
        check_parameters(request, ())
        return Response(json_schema())


class RevisionsView(APIView):
    """The revisions."""

    @extend_schema(
        parameters=LISTING_PARAMETERS,
        operation_id="config_revisions_list",
        responses={200: listing_of(RevisionRowSerializer)},
    )
    def get(self, request: Request) -> Response:
        """The revisions, newest first."""
        listing = list_revisions(actor=actor_of(request), window=window_of(request, width=WINDOW_WIDTH))
        return Response(answer_listing(listing, shape_row))


class RevisionView(APIView):
    """One revision."""

    renderer_classes = RENDERERS

    @extend_schema(
        responses={
            (200, "application/json"): RevisionSerializer,
            (200, YAML): OpenApiResponse(OpenApiTypes.STR, description="The text as it was written."),
        },
    )
    def get(self, request: Request, revision_id: int) -> Response:
        """One revision: as JSON with what is known of it, or its document's text as YAML."""
        check_parameters(request, ())
        view = get_revision(actor=actor_of(request), revision_id=revision_id)
        body: Any = view.source
        if not wants_text(request):
            body = {
                **shape_row(view.row),
                "source": view.source,
                "document": view.document,
                "ignored": list(view.ignored),
                "active": view.active,
            }
        return Response(body, headers={"ETag": etag_of(view.row.id)})


class RevisionDiffView(APIView):
    """What a revision changed."""

    @extend_schema(
        parameters=[OpenApiParameter("against", int, description="The revision to compare with; the one before.")],
        responses={200: RevisionDiffSerializer},
    )
    def get(self, request: Request, revision_id: int) -> Response:
        """The lines of YAML that differ from another revision, by default from the one before."""
        check_parameters(request, ("against",))
        diff = diff_revisions(actor=actor_of(request), revision_id=revision_id, against=_against(request))
        hunks = [
            {
                "old_start": hunk.old_start,
                "new_start": hunk.new_start,
                "lines": [{"op": line.op, "text": line.text} for line in hunk.lines],
            }
            for hunk in diff.hunks
        ]
        return Response({"from": diff.from_id, "to": diff.to_id, "hunks": hunks})


class NothingSerializer(StrictSerializer):
    """A body without fields."""


class RevertView(APIView):
    """Going back to a revision."""

    @extend_schema(parameters=[IF_MATCH, SUMMARY], request=NothingSerializer, responses={200: AppliedSerializer})
    def post(self, request: Request, revision_id: int) -> Response:
        """Put an earlier revision's document in force again, as a new revision."""
        check_parameters(request, ())
        if request.content_type == "application/json":  # a form without fields, as some clients send, is nothing too
            NothingSerializer(data=request.data).is_valid(raise_exception=True)
        revision = revert_document(
            actor=actor_of(request),
            revision_id=revision_id,
            summary=summary_of(request),
            if_match=if_match_of(request, current=latest_id() or NO_VERSION),
        )
        return _applied(revision)


def wants_text(request: Request) -> bool:
    """Whether the request asked for YAML."""
    return isinstance(request.accepted_renderer, TextRenderer)


def text_of(request: Request) -> str:
    """The document's text, as `DocumentParser` read it; empty where there was no body."""
    given: object = request.data  # the stubs know only mappings and lists
    return given if isinstance(given, str) else ""


def summary_of(request: Request) -> str:
    """The header `X-Summary`, its percent-encoding taken off."""
    return unquote(request.headers.get("X-Summary", ""))


def shape_row(row: RevisionRow) -> dict[str, Any]:
    """A revision in a list."""
    return {"id": row.id, "summary": row.summary, "author": row.author.as_dict(), "created_at": row.created_at}


def _applied(revision: Revision) -> Response:
    body = {**shape_row(row_of(revision)), "ignored": revision.ignored}
    return Response(body, headers={"ETag": etag_of(revision.pk)})


def _against(request: Request) -> int | None:
    word = request.query_params.get("against")
    if word in (None, ""):
        return None
    if not word.isascii() or not word.isdecimal() or len(word) > 18:
        raise Refused(Code.INVALID, "'against' is the number of a revision.", attr="against")
    return int(word)
