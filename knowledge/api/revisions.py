"""The revisions of a page at the REST door."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.preconditions import base_version_of, etag
from company.rules.refusals import Code, Refused
from company.writes.idempotency import Answer
from knowledge.api import serializers as taken
from knowledge.api.pages import body_of
from knowledge.api.queries import WINDOW_PARAMETERS, version_of, window_of
from knowledge.api.shapes import DiffShape, RevisionShape, RevisionsShape, diff_body
from knowledge.models import RevisionState
from knowledge.reads.differences import diff_revisions
from knowledge.reads.pages import REVISIONS_CURSOR_WIDTH, get_revision, list_revisions
from knowledge.writes.pages import restore_revision


class Revisions(APIView):
    """The history of a page."""

    @extend_schema(operation_id="list_revisions", parameters=WINDOW_PARAMETERS, responses=RevisionsShape)
    def get(self, request: Request, page_id: int) -> Response:
        """A window of the revisions, newest first, without their bodies."""
        window = window_of(request, width=REVISIONS_CURSOR_WIDTH)
        listing = list_revisions(actor=actor_of(request), page_id=page_id, window=window)
        return Response(RevisionsShape(listing).data)


class OneRevision(APIView):
    """One revision."""

    @extend_schema(operation_id="get_revision", responses=RevisionShape)
    def get(self, request: Request, page_id: int, version: int) -> Response:
        """The revision with the body the page had."""
        revision = get_revision(actor=actor_of(request), page_id=page_id, version=version)
        return Response(RevisionShape(revision).data, headers={"ETag": etag(revision.version)})


class PageDiff(APIView):
    """What changed between two versions."""

    @extend_schema(
        operation_id="diff_page",
        parameters=[
            OpenApiParameter(name="from", type=OpenApiTypes.INT, required=True, description="The version to begin at."),
            OpenApiParameter(name="to", type=OpenApiTypes.INT, required=True, description="The version to arrive at."),
        ],
        responses=DiffShape,
    )
    def get(self, request: Request, page_id: int) -> Response:
        """The hunks that turn one version into the other; either may be the later one."""
        old, new = version_of(request, "from"), version_of(request, "to")
        found = diff_revisions(actor=actor_of(request), page_id=page_id, old=old, new=new)
        return Response(diff_body(old=old, new=new, difference=found.difference))


class RevisionRestore(APIView):
    """Going back to a revision."""

    @extend_schema(
        operation_id="restore_revision",
        parameters=[
            KEY_PARAMETER,
            OpenApiParameter(
                name="If-Match", type=OpenApiTypes.STR, location=OpenApiParameter.HEADER,
                description="Stands for `base_version`.",
            ),
        ],
        request=taken.RevisionRestore,
        responses={200: RevisionShape, 202: RevisionShape},
    )  # fmt: skip
    def post(self, request: Request, page_id: int, version: int) -> Response:
        """The revision that this makes (202 where it waits for review), or the current one where the page says the same
        already."""

        def restore() -> Answer:
            values = body_of(request, taken.RevisionRestore)
            base = base_version_of(request, given=values.get("base_version"))
            if base is None:
                raise Refused(
                    Code.REQUIRED, "Say in 'base_version' which version of the page you saw.", attr="base_version"
                )
            made = restore_revision(actor=actor_of(request), page_id=page_id, version=version, base_version=base)
            return Answer(
                status=202 if made.state is RevisionState.PENDING else 200,
                body=RevisionShape(made).data,
                headers={"ETag": etag(made.version)},
                about=f"page:{page_id}",
            )

        return respond(request, restore)
