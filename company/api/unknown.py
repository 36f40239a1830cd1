"""Addresses under `/api/` that lead nowhere: answered as the REST door answers, not with a screen."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from company.rules.refusals import Code, Refused


@extend_schema(exclude=True)
class NoSuchRoute(APIView):
    """Whatever is asked of it, `not_found`."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse, after somebody unknown was told to sign in, whatever the method."""
        super().initial(request, *args, **kwargs)
        raise Refused(Code.NOT_FOUND, "There is no such route. The routes are listed at /api/docs/.")
