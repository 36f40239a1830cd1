"""What an item's words used to be and what happened to it, at the REST door."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.preconditions import base_version_of
from company.rules.refusals import Code, Refused
from company.writes.idempotency import Answer
from knowledge.api.pages import body_of
from knowledge.api.queries import WINDOW_PARAMETERS, version_of, window_of
from knowledge.api.shapes import DiffShape, diff_body
from tracker.api import serializers as taken
from tracker.api.items import IF_MATCH, item_answer
from tracker.api.shapes import ItemActivityShape, ItemRevisionShape, ItemRevisionsShape, ItemShape
from tracker.reads import activity, revisions
from tracker.writes.items import restore_description


class ItemRevisions(APIView):
    """The history of an item's words."""

    @extend_schema(operation_id="list_item_revisions", parameters=WINDOW_PARAMETERS, responses=ItemRevisionsShape)
    def get(self, request: Request, key: str) -> Response:
        """A window of the versions that changed title or description, newest first."""
        window = window_of(request, width=revisions.CURSOR_WIDTH)
        listing = revisions.list_words(actor=actor_of(request), key=key, window=window)
        return Response(ItemRevisionsShape(listing).data)


class OneItemRevision(APIView):
    """An item's words at a version."""

    @extend_schema(operation_id="get_item_revision", responses=ItemRevisionShape)
    def get(self, request: Request, key: str, version: int) -> Response:
        """The words the item had at a version, and the version that gave them to it."""
        return Response(ItemRevisionShape(revisions.words_at(actor=actor_of(request), key=key, version=version)).data)


class ItemRevisionRestore(APIView):
    """Going back to an earlier description."""

    @extend_schema(
        operation_id="restore_item_revision",
        parameters=[KEY_PARAMETER, IF_MATCH],
        request=taken.DescriptionRestore,
        responses=ItemShape,
    )
    def post(self, request: Request, key: str, version: int) -> Response:
        """The item with the description it had at that version."""

        def restore() -> Answer:
            values = body_of(request, taken.DescriptionRestore)
            base = base_version_of(request, given=values.get("base_version"))
            if base is None:
                raise Refused(
                    Code.REQUIRED, "Say in 'base_version' which version of the item you saw.", attr="base_version"
                )
            item = restore_description(actor=actor_of(request), key=key, version=version, base_version=base)
            return item_answer(item, status=200)

        return respond(request, restore)


class ItemDiff(APIView):
    """What changed between two versions."""

    @extend_schema(
        operation_id="diff_item",
        parameters=[
            OpenApiParameter(name="from", type=OpenApiTypes.INT, required=True, description="The version to begin at."),
            OpenApiParameter(name="to", type=OpenApiTypes.INT, required=True, description="The version to arrive at."),
        ],
        responses=DiffShape,
    )
    def get(self, request: Request, key: str) -> Response:
        """The hunks that turn one description into the other; either may be the later one."""
        old, new = version_of(request, "from"), version_of(request, "to")
        found = revisions.diff_words(actor=actor_of(request), key=key, old=old, new=new)
        return Response(diff_body(old=old, new=new, difference=found.difference))


class ItemActivity(APIView):
    """What happened to an item."""

    @extend_schema(operation_id="list_item_activity", parameters=WINDOW_PARAMETERS, responses=ItemActivityShape)
    def get(self, request: Request, key: str) -> Response:
        """A window of what happened to the item, newest first."""
        window = window_of(request, width=activity.CURSOR_WIDTH)
        return Response(ItemActivityShape(activity.list_activity(actor=actor_of(request), key=key, window=window)).data)
