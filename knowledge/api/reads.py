"""Who read a page, at the REST door."""

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
from company.rules.days import parse_days
from knowledge.reads.readers import READERS_DAYS, readers_of
from knowledge.writes.reading import Via


class ReaderShape(serializers.Serializer[Any]):
    """A seat, and one way in which the page reached it."""

    handle = serializers.CharField()
    role = serializers.CharField(help_text="The seat's name.")
    via = serializers.ChoiceField(choices=[via.value for via in Via])
    count = serializers.IntegerField()
    last_at = serializers.DateTimeField()
    last_turn_id = serializers.CharField(allow_null=True)
    last_query = serializers.CharField(help_text="What was searched for, where the page came by a search.")


class ReadersShape(serializers.Serializer[Any]):
    """Who read a page between two company days, both included, latest first."""

    since = serializers.DateField()
    until = serializers.DateField()
    days = serializers.IntegerField()
    readers = ReaderShape(many=True)
    readers_total = serializers.IntegerField()


class PageReads(APIView):
    """`GET pages/{id}/reads`."""

    @extend_schema(
        operation_id="page_reads",
        parameters=[
            OpenApiParameter(
                name="days", type=OpenApiTypes.INT,
                description=f"How many company days, 1 to {READERS_DAYS}; {READERS_DAYS} without it.",
            )
        ],
        responses=ReadersShape,
    )  # fmt: skip
    def get(self, request: Request, page_id: int) -> Response:
        """The agents' seats that were shown the page lately, by the way it reached them."""
        check_parameters(request, ("days",))
        days = parse_days(request.query_params.get("days"), default=READERS_DAYS, maximum=READERS_DAYS)
        return Response(ReadersShape(readers_of(actor=actor_of(request), page_id=page_id, days=days)).data)
