"""`search` at the REST door."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.listing import check_parameters
from company.api.occasions import OCCASION_PARAMETERS, occasion_in
from company.rules.windows import parse_window
from knowledge.search.asking import search_pages
from knowledge.search.rules.outcome import Degraded, Mode, parse_mode
from knowledge.search.rules.queries import MAX_BYTES
from knowledge.search.seam import DEFAULT_LIMIT, MAX_LIMIT


class HitShape(serializers.Serializer[Any]):
    """A page found; `ancestors` are titles from the top down."""

    title = serializers.CharField()
    url = serializers.CharField()
    container = serializers.CharField()
    page_id = serializers.IntegerField()
    snippet = serializers.CharField()
    ancestors = serializers.ListField(child=serializers.CharField())
    score = serializers.FloatField()
    rank = serializers.IntegerField()


class CoverageShape(serializers.Serializer[Any]):
    """How much of the corpus was searched."""

    nodes = serializers.IntegerField()
    complete = serializers.BooleanField()
    buckets_missing = serializers.ListField(child=serializers.IntegerField())


class OutcomeShape(serializers.Serializer[Any]):
    """What the search did; `served_mode` null means that nothing was searched."""

    served_mode = serializers.ChoiceField(choices=[mode.value for mode in Mode], allow_null=True)
    modes = serializers.ListField(child=serializers.ChoiceField(choices=[mode.value for mode in Mode]))
    coverage = CoverageShape()
    degraded = serializers.ListField(child=serializers.ChoiceField(choices=[reason.value for reason in Degraded]))


class FoundShape(serializers.Serializer[Any]):
    """Hits, best first, and what the search was worth."""

    hits = HitShape(many=True)
    outcome = OutcomeShape()


class SearchPages(APIView):
    """Search of the pages."""

    @extend_schema(
        operation_id="search_pages",
        parameters=[
            OpenApiParameter(
                name="q", type=OpenApiTypes.STR, required=True,
                description=f"Words, a name or a question; at most {MAX_BYTES} bytes. There is no syntax.",
            ),
            OpenApiParameter(name="mode", type=OpenApiTypes.STR, enum=[mode.value for mode in Mode]),
            OpenApiParameter(name="container", type=OpenApiTypes.STR, description="Look in one space alone."),
            OpenApiParameter(
                name="limit", type=OpenApiTypes.INT,
                description=f"Hits, 1 to {MAX_LIMIT}; {DEFAULT_LIMIT} without it.",
            ),
            *OCCASION_PARAMETERS,
        ],
        responses=FoundShape,
    )  # fmt: skip
    def get(self, request: Request) -> Response:
        """The pages that answer a question."""
        check_parameters(request, ("q", "mode", "container", "limit"))
        asked = request.query_params
        limit = parse_window(asked.get("limit") or str(DEFAULT_LIMIT), None, width=1, maximum=MAX_LIMIT).limit
        found = search_pages(
            actor=actor_of(request),
            text=asked.get("q", ""),
            mode=parse_mode(asked.get("mode")),
            container=asked.get("container") or None,
            limit=limit,
            occasion=occasion_in(request.headers),
        )
        return Response(FoundShape(found).data)
