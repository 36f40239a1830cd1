"""`search/items` at the REST door."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.listing import check_parameters
from company.rules.windows import parse_window
from knowledge.api.search import FoundShape, HitShape
from knowledge.search.rules.outcome import Mode, parse_mode
from knowledge.search.rules.queries import MAX_BYTES
from knowledge.search.seam import DEFAULT_LIMIT, MAX_LIMIT
from tracker.rules.vocabulary import Status
from tracker.search.asking import search_items


class ItemHitShape(HitShape):
    """An item found: `container` is its project, `page_id` null and `ancestors` empty."""

    key = serializers.CharField()
    status = serializers.ChoiceField(choices=[status.value for status in Status])
    page_id = serializers.IntegerField(allow_null=True)


class FoundItemsShape(FoundShape):
    """Hits, best first, and what the search was worth."""

    hits = ItemHitShape(many=True)


class SearchItems(APIView):
    """Search of the items."""

    @extend_schema(
        operation_id="search_items",
        parameters=[
            OpenApiParameter(
                name="q", type=OpenApiTypes.STR, required=True,
                description=f"Words, a key or a question; at most {MAX_BYTES} bytes. There is no syntax.",
            ),
            OpenApiParameter(name="mode", type=OpenApiTypes.STR, enum=[mode.value for mode in Mode]),
            OpenApiParameter(name="project", type=OpenApiTypes.STR, description="Look in one project alone."),
            OpenApiParameter(
                name="limit", type=OpenApiTypes.INT,
                description=f"Hits, 1 to {MAX_LIMIT}; {DEFAULT_LIMIT} without it.",
            ),
        ],
        responses=FoundItemsShape,
    )  # fmt: skip
    def get(self, request: Request) -> Response:
        """The items that answer a question."""
        check_parameters(request, ("q", "mode", "project", "limit"))
        asked = request.query_params
        limit = parse_window(asked.get("limit") or str(DEFAULT_LIMIT), None, width=1, maximum=MAX_LIMIT).limit
        found = search_items(
            actor=actor_of(request),
            text=asked.get("q", ""),
            mode=parse_mode(asked.get("mode")),
            project=asked.get("project") or None,
            limit=limit,
        )
        return Response(FoundItemsShape(found).data)
