"""What monitoring scrapes."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.rules.actors import Scope
from company.rules.permissions import require_scope
from company.rules.refusals import Code, Refused
from crewlet_site import metrics


class Metrics(APIView):
    """`GET /metrics`: figures in Prometheus' text format, for any token or session that is not an agent's."""

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        """The figures; nothing in them names a page, a person or a word of one."""
        actor = actor_of(request)
        require_scope(actor, Scope.READ)
        if actor.is_agent:
            raise Refused(Code.FORBIDDEN, "Metrics are for those who operate the deployment. Use a token of a service.")
        body, media_type = metrics.exposition()
        return HttpResponse(body, content_type=media_type)
