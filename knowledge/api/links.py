"""What links to a page, at the REST door."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from knowledge.addresses import base_urls
from knowledge.api.queries import WINDOW_PARAMETERS, window_of
from knowledge.api.shapes import BacklinksShape
from knowledge.reads.links import CURSOR_WIDTH, list_backlinks


class Backlinks(APIView):
    """What links to a page."""

    @extend_schema(operation_id="list_backlinks", parameters=WINDOW_PARAMETERS, responses=BacklinksShape)
    def get(self, request: Request, page_id: int) -> Response:
        """A window of what links to the page. An absolute link counts where it leads to the dashboard's address or
        to the host this request came to."""
        listing = list_backlinks(
            actor=actor_of(request),
            page_id=page_id,
            origins=base_urls(request),
            window=window_of(request, width=CURSOR_WIDTH),
        )
        return Response(BacklinksShape(listing).data)
