"""`pages` at the REST door: reading, listing, creating, saving and everything done to one page."""

from __future__ import annotations

from typing import Any, TypeVar

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.occasions import OCCASION_PARAMETERS, occasion_in
from company.api.preconditions import base_version_of, etag
from company.api.serializers import StrictSerializer
from company.writes.idempotency import Answer
from knowledge.api import serializers as taken
from knowledge.api.queries import WINDOW_PARAMETERS, choice_of, flag_of, id_of, window_of
from knowledge.api.shapes import PageShape, PagesShape, PurgedShape, RestoredPageShape
from knowledge.models import PageStatus
from knowledge.reads.levels import CURSOR_WIDTH
from knowledge.reads.pages import list_pages
from knowledge.reads.shapes import MovedTo, PageView
from knowledge.writes.pages import (
    create_page,
    move_page,
    purge_page,
    restore_page,
    save_page,
    trash_page,
    watch_page,
)
from knowledge.writes.reading import open_page, open_page_at

Body = TypeVar("Body", bound=StrictSerializer)


def body_of(request: Request, shape: type[Body]) -> dict[str, Any]:
    """The validated body of a request; raises a validation error that names every fault."""
    serializer = shape(data=request.data)
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values


def page_response(page: PageView) -> Response:
    """A page with its ETag."""
    return Response(PageShape(page).data, headers={"ETag": etag(page.version)})


def _page_answer(page: PageView, *, status: int) -> Answer:
    return Answer(
        status=status,
        body=PageShape(page).data,
        headers={"ETag": etag(page.version)},
        about=f"page:{page.id}",
    )


class Pages(APIView):
    """The listing, and new pages."""

    @extend_schema(
        operation_id="list_pages",
        parameters=[
            OpenApiParameter(name="container", type=OpenApiTypes.STR),
            OpenApiParameter(name="roots", type=OpenApiTypes.BOOL, description="The tops of the spaces alone."),
            OpenApiParameter(name="parent", type=OpenApiTypes.INT, description="The children of one page."),
            OpenApiParameter(name="label", type=OpenApiTypes.STR),
            OpenApiParameter(name="title", type=OpenApiTypes.STR, description="Compared without case or spacing."),
            OpenApiParameter(name="status", type=OpenApiTypes.STR, enum=[status.value for status in PageStatus]),
            *WINDOW_PARAMETERS,
        ],
        responses=PagesShape,
    )
    def get(self, request: Request) -> Response:
        """A window of the pages that pass every filter."""
        asked = request.query_params
        listing = list_pages(
            actor=actor_of(request),
            window=window_of(request, width=CURSOR_WIDTH),
            container=asked.get("container"),
            roots=flag_of(request, "roots"),
            parent=id_of(request, "parent"),
            label=asked.get("label"),
            title=asked.get("title"),
            status=choice_of(request, "status", PageStatus),
        )
        return Response(PagesShape(listing).data)

    @extend_schema(
        operation_id="create_page", parameters=[KEY_PARAMETER], request=taken.NewPage, responses={201: PageShape}
    )
    def post(self, request: Request) -> Response:
        """A new page."""

        def create() -> Answer:
            values = body_of(request, taken.NewPage)
            page = create_page(
                actor=actor_of(request),
                title=values["title"],
                body=values["body"],
                container=values.get("container"),
                parent_id=values.get("parent_id"),
                labels=values.get("labels", ()),
                message=values.get("message"),
                watchers=values.get("watchers", ()),
                status=PageStatus(values.get("status", PageStatus.PUBLISHED)),
            )
            return _page_answer(page, status=201)

        return respond(request, create)


class PageAt(APIView):
    """A page by its address."""

    @extend_schema(operation_id="get_page_at", parameters=OCCASION_PARAMETERS, responses={200: PageShape, 308: None})
    def get(self, request: Request, container: str, title: str) -> Response:
        """The page, or where the page that has left this address is; that holds until somebody claims it."""
        found = open_page_at(
            actor=actor_of(request), container=container, title=title, occasion=occasion_in(request.headers)
        )
        if isinstance(found, MovedTo):
            location = reverse("knowledge-api:page", kwargs={"page_id": found.page_id})
            return Response(status=308, headers={"Location": location, "Cache-Control": "no-store"})
        return page_response(found)


class OnePage(APIView):
    """A page by its id."""

    @extend_schema(operation_id="get_page", parameters=OCCASION_PARAMETERS, responses=PageShape)
    def get(self, request: Request, page_id: int) -> Response:
        """The page. Its ETag is its version, which labels and watchers leave alone, so it is no cache's validator."""
        page = open_page(actor=actor_of(request), page_id=page_id, occasion=occasion_in(request.headers))
        return page_response(page)

    @extend_schema(
        operation_id="save_page",
        parameters=[
            KEY_PARAMETER,
            OpenApiParameter(
                name="If-Match", type=OpenApiTypes.STR, location=OpenApiParameter.HEADER,
                description="Stands for `base_version`.",
            ),
        ],
        request=taken.PageChanges,
        responses={200: PageShape, 202: PageShape},
    )  # fmt: skip
    def patch(self, request: Request, page_id: int) -> Response:
        """The page with what is given changed; 202 with the page as it would be, where that waits for review."""

        def save() -> Answer:
            values = body_of(request, taken.PageChanges)
            status = values.get("status")
            page = save_page(
                actor=actor_of(request),
                page_id=page_id,
                base_version=base_version_of(request, given=values.get("base_version")),
                body=values.get("body"),
                edit=taken.edit_of(values.get("edit")),
                title=values.get("title"),
                labels=values.get("labels"),
                message=values.get("message"),
                status=PageStatus(status) if status is not None else None,
            )
            return _page_answer(page, status=202 if page.waits else 200)

        return respond(request, save)


class PageMove(APIView):
    """Moving a page."""

    @extend_schema(operation_id="move_page", request=taken.PageMove, responses=PageShape)
    def post(self, request: Request, page_id: int) -> Response:
        """The page where it was moved to."""
        values = body_of(request, taken.PageMove)
        page = move_page(
            actor=actor_of(request),
            page_id=page_id,
            parent_id=values["parent_id"],
            container=values.get("container"),
            before=values.get("before"),
        )
        return page_response(page)


class PageTrash(APIView):
    """Trashing a page."""

    @extend_schema(operation_id="trash_page", request=taken.Nothing, responses=PageShape)
    def post(self, request: Request, page_id: int) -> Response:
        """The page in the trash."""
        body_of(request, taken.Nothing)
        return page_response(trash_page(actor=actor_of(request), page_id=page_id))


class PageRestore(APIView):
    """Bringing a page back from the trash."""

    @extend_schema(operation_id="restore_page", request=taken.PageRestore, responses=RestoredPageShape)
    def post(self, request: Request, page_id: int) -> Response:
        """The page, and what came back with it and where."""
        values = body_of(request, taken.PageRestore)
        restored = restore_page(actor=actor_of(request), page_id=page_id, title=values.get("title"))
        body = {
            **PageShape(restored.page).data,
            "restored": {"pages": restored.pages, "parent_id": restored.parent_id, "moved": restored.moved},
            "left": list(restored.left),
        }
        return Response(body, headers={"ETag": etag(restored.page.version)})


class PagePurge(APIView):
    """Removing a page for good."""

    @extend_schema(operation_id="purge_page", request=taken.PagePurge, responses=PurgedShape)
    def post(self, request: Request, page_id: int) -> Response:
        """The id of the page that is gone."""
        values = body_of(request, taken.PagePurge)
        gone = purge_page(actor=actor_of(request), page_id=page_id, reason=values["reason"])
        return Response({"purged": gone})


class PageWatch(APIView):
    """Watching a page."""

    @extend_schema(operation_id="watch_page", request=taken.PageWatch, responses=PageShape)
    def post(self, request: Request, page_id: int) -> Response:
        """The page, watched or no longer."""
        values = body_of(request, taken.PageWatch)
        return page_response(watch_page(actor=actor_of(request), page_id=page_id, on=values["on"]))
