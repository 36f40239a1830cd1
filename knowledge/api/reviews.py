"""What waits for review at the REST door: the list of it, approving a version, sending one back."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from knowledge.api import serializers as taken
from knowledge.api.pages import body_of, page_response
from knowledge.api.queries import WINDOW_PARAMETERS, window_of
from knowledge.api.shapes import PageShape, ReviewsShape
from knowledge.reads.reviewing import CURSOR_WIDTH, list_waiting
from knowledge.writes.pages import approve_page, send_back_page


class Reviews(APIView):
    """The list of what waits."""

    @extend_schema(operation_id="list_reviews", parameters=WINDOW_PARAMETERS, responses=ReviewsShape)
    def get(self, request: Request) -> Response:
        """A window of the versions that wait for review, longest first, of pages you may save."""
        listing = list_waiting(actor=actor_of(request), window=window_of(request, width=CURSOR_WIDTH))
        return Response(ReviewsShape(listing).data)


class PageApprove(APIView):
    """Approving a version."""

    @extend_schema(operation_id="approve_page", request=taken.PageApproval, responses=PageShape)
    def post(self, request: Request, page_id: int) -> Response:
        """The page, which says from now on what the version that waited says. Not for whoever wrote it."""
        values = body_of(request, taken.PageApproval)
        return page_response(approve_page(actor=actor_of(request), page_id=page_id, version=values["version"]))


class PageSendBack(APIView):
    """Sending a version back, or withdrawing one's own."""

    @extend_schema(operation_id="send_back_page", request=taken.PageSentBack, responses=PageShape)
    def post(self, request: Request, page_id: int) -> Response:
        """The page as it was; the version that waited stands in its history with `message`."""
        values = body_of(request, taken.PageSentBack)
        page = send_back_page(
            actor=actor_of(request), page_id=page_id, version=values["version"], word=values.get("message")
        )
        return page_response(page)
