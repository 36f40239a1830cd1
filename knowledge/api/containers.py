"""`containers` at the REST door."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.rules.windows import Listing
from knowledge.api.shapes import ContainerShape, ContainersShape
from knowledge.reads.containers import get_container, list_containers


class Containers(APIView):
    """Every space."""

    @extend_schema(operation_id="list_containers", responses=ContainersShape)
    def get(self, request: Request) -> Response:
        """The spaces by key, all in one window: a company has a few dozen."""
        found = list_containers(actor=actor_of(request))
        return Response(ContainersShape(Listing(results=found, total=len(found))).data)


class OneContainer(APIView):
    """One space."""

    @extend_schema(operation_id="get_container", responses=ContainerShape)
    def get(self, request: Request, key: str) -> Response:
        """The space, or `not_found`."""
        return Response(ContainerShape(get_container(actor=actor_of(request), key=key)).data)
