"""A seat's own notifications at the REST door."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from knowledge.api import serializers as taken
from knowledge.api.pages import body_of
from knowledge.api.queries import WINDOW_PARAMETERS, flag_of, window_of
from knowledge.api.shapes import MarkedShape, NotificationsShape
from knowledge.reads.notifications import CURSOR_WIDTH, list_notifications
from knowledge.writes.notifications import mark_read


class Notifications(APIView):
    """The notifications of the seat that asks."""

    @extend_schema(
        operation_id="list_notifications",
        parameters=[
            OpenApiParameter(name="unread", type=OpenApiTypes.BOOL, description="Those alone that are not read."),
            *WINDOW_PARAMETERS,
        ],
        responses=NotificationsShape,
    )
    def get(self, request: Request) -> Response:
        """A window of them, latest first, and how many are unread. A credential without a seat has none."""
        window = window_of(request, width=CURSOR_WIDTH)
        inbox = list_notifications(actor=actor_of(request), window=window, unread=flag_of(request, "unread"))
        return Response(NotificationsShape(inbox).data)


class NotificationsRead(APIView):
    """Marking notifications read."""

    @extend_schema(operation_id="read_notifications", request=taken.NotificationsRead, responses=MarkedShape)
    def post(self, request: Request) -> Response:
        """How many were marked read now, and how many are left."""
        values = body_of(request, taken.NotificationsRead)
        marked = mark_read(actor=actor_of(request), ids=values.get("ids"), everything=values.get("all", False))
        return Response(MarkedShape(marked).data)
