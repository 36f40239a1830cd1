"""`items` at the REST door: reading, listing, filing, changing and everything done to one item."""

from __future__ import annotations

from django.utils.datastructures import MultiValueDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.listing import LISTING_PARAMETERS, window_of
from company.api.preconditions import base_version_of, etag
from company.writes.idempotency import Answer
from knowledge.api.pages import body_of
from tracker.api import serializers as taken
from tracker.api.shapes import ItemShape, ItemsShape, PurgedItemShape
from tracker.reads.items import get_item
from tracker.reads.lists import CURSOR_WIDTH, list_items
from tracker.reads.shapes import ItemView
from tracker.rules.filters import FILTERS, Due, Filters, Sort, parse_filters
from tracker.rules.vocabulary import Priority, Status, Type
from tracker.writes.items import (
    create_item,
    move_item,
    purge_item,
    relate_item,
    restore_item,
    save_item,
    trash_item,
    unrelate_item,
    watch_item,
)

IF_MATCH = OpenApiParameter(
    name="If-Match", type=OpenApiTypes.STR, location=OpenApiParameter.HEADER, description="Stands for `base_version`."
)
FILTER_PARAMETERS = [
    OpenApiParameter(name="project", type=OpenApiTypes.STR),
    OpenApiParameter(
        name="status", type=OpenApiTypes.STR,
        description=f"Any of {', '.join(Status)}, divided by commas; `open` is what is still to be done.",
    ),
    OpenApiParameter(name="type", type=OpenApiTypes.STR, description=f"Any of {', '.join(Type)}."),
    OpenApiParameter(name="priority", type=OpenApiTypes.STR, description=f"Any of {', '.join(Priority)}."),
    OpenApiParameter(name="assignee", type=OpenApiTypes.STR, description="A handle, `me`, or `none`."),
    OpenApiParameter(name="author", type=OpenApiTypes.STR, description="Who filed it, or `me`."),
    OpenApiParameter(name="watcher", type=OpenApiTypes.STR, description="A handle, or `me`."),
    OpenApiParameter(name="label", type=OpenApiTypes.STR),
    OpenApiParameter(name="parent", type=OpenApiTypes.STR, description="The items right under this key."),
    OpenApiParameter(name="page", type=OpenApiTypes.INT, description="Items that link to this page."),
    OpenApiParameter(name="due", type=OpenApiTypes.STR, enum=[word.value for word in Due]),
    OpenApiParameter(name="q", type=OpenApiTypes.STR, description="Words of the title, or a key."),
    OpenApiParameter(name="sort", type=OpenApiTypes.STR, enum=[word.value for word in Sort]),
    OpenApiParameter(name="trashed", type=OpenApiTypes.BOOL, description="The trash: what you may restore of it."),
]  # fmt: skip


def filters_of(query: MultiValueDict[str, str]) -> Filters:
    """The filters a query asks for."""
    return parse_filters({name: query.getlist(name) for name in query})


def item_response(item: ItemView) -> Response:
    """An item with its ETag."""
    return Response(ItemShape(item).data, headers={"ETag": etag(item.version)})


def item_answer(item: ItemView, *, status: int) -> Answer:
    """An item as the answer that an idempotency key keeps."""
    return Answer(
        status=status, body=ItemShape(item).data, headers={"ETag": etag(item.version)}, about=f"item:{item.id}"
    )


class Items(APIView):
    """The listing, and new items."""

    @extend_schema(
        operation_id="list_items", parameters=[*FILTER_PARAMETERS, *LISTING_PARAMETERS], responses=ItemsShape
    )
    def get(self, request: Request) -> Response:
        """A window of the items that pass every filter."""
        window = window_of(request, width=CURSOR_WIDTH, filters=FILTERS)
        listing = list_items(actor=actor_of(request), filters=filters_of(request.query_params), window=window)
        return Response(ItemsShape(listing).data)

    @extend_schema(
        operation_id="create_item", parameters=[KEY_PARAMETER], request=taken.NewItem, responses={201: ItemShape}
    )
    def post(self, request: Request) -> Response:
        """A new item, under the next key of its project."""

        def create() -> Answer:
            values = body_of(request, taken.NewItem)
            item = create_item(
                actor=actor_of(request),
                project=values["project"],
                fields=taken.changes_of(values),
                watchers=values.get("watchers", ()),
                message=values.get("message"),
            )
            return item_answer(item, status=201)

        return respond(request, create)


class OneItem(APIView):
    """An item by its key."""

    @extend_schema(operation_id="get_item", responses=ItemShape)
    def get(self, request: Request, key: str) -> Response:
        """The item. Its ETag is its version, which watchers, comments and relations leave alone."""
        return item_response(get_item(actor=actor_of(request), key=key))

    @extend_schema(
        operation_id="save_item",
        parameters=[KEY_PARAMETER, IF_MATCH],
        request=taken.ItemChanges,
        responses=ItemShape,
    )
    def patch(self, request: Request, key: str) -> Response:
        """The item with what is given changed, as one version."""

        def save() -> Answer:
            values = body_of(request, taken.ItemChanges)
            item = save_item(
                actor=actor_of(request),
                key=key,
                changes=taken.changes_of(values),
                base_version=base_version_of(request, given=values.get("base_version")),
                message=values.get("message"),
            )
            return item_answer(item, status=200)

        return respond(request, save)


class ItemMove(APIView):
    """Filing an item elsewhere."""

    @extend_schema(operation_id="move_item", request=taken.ItemMove, responses=ItemShape)
    def post(self, request: Request, key: str) -> Response:
        """The item in another project, under the key it always had."""
        values = body_of(request, taken.ItemMove)
        return item_response(move_item(actor=actor_of(request), key=key, project=values["project"]))


class ItemTrash(APIView):
    """Trashing an item."""

    @extend_schema(operation_id="trash_item", request=taken.Nothing, responses=ItemShape)
    def post(self, request: Request, key: str) -> Response:
        """The item in the trash."""
        body_of(request, taken.Nothing)
        return item_response(trash_item(actor=actor_of(request), key=key))


class ItemRestore(APIView):
    """Bringing an item back from the trash."""

    @extend_schema(operation_id="restore_item", request=taken.Nothing, responses=ItemShape)
    def post(self, request: Request, key: str) -> Response:
        """The item as it was."""
        body_of(request, taken.Nothing)
        return item_response(restore_item(actor=actor_of(request), key=key))


class ItemPurge(APIView):
    """Removing an item for good."""

    @extend_schema(operation_id="purge_item", request=taken.ItemPurge, responses=PurgedItemShape)
    def post(self, request: Request, key: str) -> Response:
        """The key of the item that is gone; no other item gets it."""
        values = body_of(request, taken.ItemPurge)
        return Response({"purged": purge_item(actor=actor_of(request), key=key, reason=values["reason"])})


class ItemWatch(APIView):
    """Watching an item."""

    @extend_schema(operation_id="watch_item", request=taken.ItemWatch, responses=ItemShape)
    def post(self, request: Request, key: str) -> Response:
        """The item, watched or no longer."""
        values = body_of(request, taken.ItemWatch)
        return item_response(watch_item(actor=actor_of(request), key=key, on=values["on"]))


class ItemRelations(APIView):
    """Relations of an item."""

    @extend_schema(operation_id="relate_item", request=taken.ItemRelationGiven, responses=ItemShape)
    def put(self, request: Request, key: str) -> Response:
        """The item in a relation to another one or to a page; one that is there already is a success."""
        values = body_of(request, taken.ItemRelationGiven)
        item = relate_item(
            actor=actor_of(request),
            key=key,
            relation=values["relation"],
            other=values.get("key"),
            page_id=values.get("page_id"),
        )
        return item_response(item)

    @extend_schema(
        operation_id="unrelate_item",
        parameters=[
            OpenApiParameter(name="relation", type=OpenApiTypes.STR, required=True),
            OpenApiParameter(name="key", type=OpenApiTypes.STR, description="The other item."),
            OpenApiParameter(name="page_id", type=OpenApiTypes.INT, description="The page."),
        ],
        responses={204: None},
    )
    def delete(self, request: Request, key: str) -> Response:
        """Take a relation away; one that is not there is a success. It is named in the query, or in a body."""
        given = request.data or request.query_params.dict()
        serializer = taken.ItemRelationGiven(data=given)
        serializer.is_valid(raise_exception=True)
        values = serializer.validated_data
        unrelate_item(
            actor=actor_of(request),
            key=key,
            relation=values["relation"],
            other=values.get("key"),
            page_id=values.get("page_id"),
        )
        return Response(status=204)
