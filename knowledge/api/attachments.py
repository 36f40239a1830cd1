"""Attachments at the REST door: files onto a page, the files of a page, the bytes of one, and taking one off."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.serializers import StrictSerializer
from company.writes.idempotency import Answer
from knowledge import files
from knowledge.api.pages import body_of
from knowledge.api.queries import WINDOW_PARAMETERS, window_of
from knowledge.downloads import file_answer
from knowledge.reads.attachments import CURSOR_WIDTH, list_attachments
from knowledge.rules.attachments import check_size
from knowledge.rules.limits import ATTACHMENT_BYTES
from knowledge.writes.attachments import attach_file, remove_file

FORM_BYTES = 64 * 1024
"""What a form may hold beside the file before its length alone tells that the file is too large."""


class NewAttachment(StrictSerializer):
    """The form of `POST pages/{id}/attachments`."""

    file = serializers.FileField(allow_empty_file=True, max_length=None)


class AttachmentShape(serializers.Serializer[Any]):
    """A file of a page."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    size = serializers.IntegerField()
    url = serializers.CharField()


class AttachmentsShape(serializers.Serializer[Any]):
    """A window of the files of a page."""

    results = AttachmentShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class WhateverIsAsked(DefaultContentNegotiation):
    """A file has the type it has, whatever a client would like best; a refusal is JSON."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: str | None = None) -> Any:
        """The first renderer there is."""
        first: BaseRenderer = renderers[0]
        return first, first.media_type


class PageAttachments(APIView):
    """The files of a page, and new ones."""

    parser_classes = [MultiPartParser]

    @extend_schema(operation_id="list_attachments", parameters=WINDOW_PARAMETERS, responses=AttachmentsShape)
    def get(self, request: Request, page_id: int) -> Response:
        """A window of the files, in the order they came."""
        window = window_of(request, width=CURSOR_WIDTH)
        return Response(
            AttachmentsShape(list_attachments(actor=actor_of(request), page_id=page_id, window=window)).data
        )

    @extend_schema(
        operation_id="attach_file",
        parameters=[KEY_PARAMETER],
        request={"multipart/form-data": NewAttachment},
        responses={201: AttachmentShape},
    )
    def post(self, request: Request, page_id: int) -> Response:
        """The file on the page. It is read a piece at a time and never whole."""
        length = request.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > ATTACHMENT_BYTES + FORM_BYTES:
            check_size(int(length))
        file = body_of(request, NewAttachment)["file"]
        asked = None
        if "Idempotency-Key" in request.headers:
            asked = {"name": file.name, "sha256": files.measure(file).sha256}

        def attach() -> Answer:
            made = attach_file(actor=actor_of(request), page_id=page_id, name=file.name, content=file)
            return Answer(status=201, body=AttachmentShape(made).data, about=f"page:{page_id}")

        return respond(request, attach, asked=asked)


class OneAttachment(APIView):
    """One file."""

    content_negotiation_class = WhateverIsAsked

    @extend_schema(operation_id="get_attachment", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, attachment_id: int) -> HttpResponseBase:
        """The bytes of the file."""
        return file_answer(request._request, actor_of(request), attachment_id)  # noqa: SLF001 (DRF's own way to it)

    @extend_schema(operation_id="remove_attachment", responses={204: None})
    def delete(self, request: Request, attachment_id: int) -> Response:
        """Takes the file off its page."""
        remove_file(actor=actor_of(request), attachment_id=attachment_id)
        return Response(status=204)
