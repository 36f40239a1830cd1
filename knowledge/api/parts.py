"""What hosts of one deployment ask one another: a part of a divided search of words. Asked by no one else."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from company.rules.refusals import Code, Refused
from knowledge.search.lexical.reader import local_reader
from knowledge.search.lexical.schema import folder_of
from knowledge.search.parts import SIGNATURE, is_signed, read_part, written_answer


@extend_schema(exclude=True)
class SearchPart(APIView):
    """This host's part of a search, for a request that the deployment's secret key has signed."""

    authentication_classes = ()
    permission_classes = ()

    def post(self, request: Request) -> HttpResponse:
        """The best documents of some buckets, and how far the index here is. No row is read."""
        body = request.body
        if not is_signed(body, request.headers.get(SIGNATURE, "")):
            raise Refused(Code.NOT_AUTHENTICATED, "Only hosts of this deployment ask here, and sign what they ask.")
        try:
            part = read_part(body)
        except ValueError as error:
            raise Refused(Code.INVALID, f"This is no part of a search: {error}") from None
        root = settings.INDEX_DIR
        if part.build != folder_of(root).name:
            raise Refused(Code.NOT_READY, f"This host's index is {folder_of(root).name}, not {part.build}.")
        answer = local_reader(root).search(part.tokens, filters=part.filters, limit=part.limit)
        return HttpResponse(written_answer(answer), content_type="application/json")
