"""`projects` and saved views at the REST door."""

from __future__ import annotations

from django.http import QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.listing import check_parameters
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing
from company.writes.idempotency import Answer
from knowledge.api.pages import body_of
from tracker.api import serializers as taken
from tracker.api.items import filters_of
from tracker.api.shapes import ProjectShape, ProjectsShape, ViewShape, ViewsShape
from tracker.reads.projects import get_project, list_projects
from tracker.reads.views import list_views
from tracker.rules.filters import FILTERS
from tracker.rules.views import Layout
from tracker.writes.views import remove_view, save_view


class Projects(APIView):
    """Every project."""

    @extend_schema(operation_id="list_projects", responses=ProjectsShape)
    def get(self, request: Request) -> Response:
        """The projects in the company document's order, all in one window: a company has a few dozen."""
        check_parameters(request, ())
        found = list_projects(actor=actor_of(request))
        return Response(ProjectsShape(Listing(results=found, total=len(found))).data)


class OneProject(APIView):
    """One project."""

    @extend_schema(operation_id="get_project", responses=ProjectShape)
    def get(self, request: Request, key: str) -> Response:
        """The project, or `not_found`."""
        return Response(ProjectShape(get_project(actor=actor_of(request), key=key)).data)


class Views(APIView):
    """Saved views."""

    @extend_schema(operation_id="list_item_views", responses=ViewsShape)
    def get(self, request: Request) -> Response:
        """One's own views and the shared ones, by name."""
        check_parameters(request, ())
        found = list_views(actor=actor_of(request))
        return Response(ViewsShape(Listing(results=found, total=len(found))).data)

    @extend_schema(
        operation_id="save_item_view", parameters=[KEY_PARAMETER], request=taken.NewView, responses={201: ViewShape}
    )
    def post(self, request: Request) -> Response:
        """A view, made or replaced by its name."""

        def save() -> Answer:
            values = body_of(request, taken.NewView)
            asked = QueryDict(values.get("query", "").removeprefix("?"))
            for name in asked:
                if name not in FILTERS:
                    raise Refused(Code.UNKNOWN_FIELD, f"A list takes no '{name}'.", attr="query")
            view = save_view(
                actor=actor_of(request),
                name=values["name"],
                filters=filters_of(asked),
                layout=Layout(values.get("layout", Layout.LIST)),
                shared=values.get("shared", False),
            )
            return Answer(status=201, body=ViewShape(view).data)

        return respond(request, save)


class OneView(APIView):
    """One saved view."""

    @extend_schema(operation_id="remove_item_view", responses={204: None})
    def delete(self, request: Request, view_id: int) -> Response:
        """Drop a view."""
        remove_view(actor=actor_of(request), view_id=view_id)
        return Response(status=204)
