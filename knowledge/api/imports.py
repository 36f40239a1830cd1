"""Imports at the REST door: a zip of markdown to bring in, and how far that is."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.serializers import AuthorShape, ExactText, StrictSerializer
from company.writes.idempotency import Answer
from knowledge import files
from knowledge.api.pages import body_of
from knowledge.models import ImportState
from knowledge.reads.import_runs import get_import
from knowledge.rules.importing.report import Verdict
from knowledge.rules.importing.uploads import check_upload_size
from knowledge.rules.limits import IMPORT_BYTES
from knowledge.writes.import_runs import begin_import

FORM_BYTES = 64 * 1024
"""What a form may hold beside the file before its length alone tells that the file is too large."""


class NewImport(StrictSerializer):
    """The form of `POST pages/import`."""

    file = serializers.FileField(
        allow_empty_file=True, max_length=None,
        help_text="A zip of markdown files, of an Obsidian vault, or as an export makes it; at most 256 MiB.",
    )  # fmt: skip
    container = ExactText(help_text="The space the pages go to.")
    parent_id = serializers.IntegerField(
        required=False, allow_null=True, help_text="A page of that space to put everything under."
    )
    source = ExactText(  # type: ignore[assignment]  # a field of this name, beside DRF's own attribute
        required=False, help_text="What the files are known by the next time; the name of the file without it."
    )
    dry_run = serializers.BooleanField(
        required=False, default=False, help_text="Only report what would become of each file."
    )


class ReportLineShape(serializers.Serializer[Any]):
    """What became of one file."""

    path = serializers.CharField()
    verdict = serializers.ChoiceField(choices=[verdict.value for verdict in Verdict])
    page_id = serializers.IntegerField(allow_null=True)
    title = serializers.CharField()
    reason = serializers.CharField()
    repairs = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField())


class ReportShape(serializers.Serializer[Any]):
    """What became of every file, and how many had each verdict; the report of `./crewlet pages import`."""

    dry_run = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.IntegerField())
    files = ReportLineShape(many=True)


class ImportShape(serializers.Serializer[Any]):
    """A run of an import. `what` is what `done` and `total` count: files that are read, then pages that are written."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ImportState.values)
    container = serializers.CharField()
    parent_id = serializers.IntegerField(allow_null=True)
    file_name = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # as above
    dry_run = serializers.BooleanField()
    author = AuthorShape()
    what = serializers.ChoiceField(choices=["", "file", "page"])
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    reason = serializers.CharField(help_text="Why it failed; empty otherwise.")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    report = ReportShape(allow_null=True)


class PageImport(APIView):
    """Uploads to import."""

    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="import_pages",
        parameters=[KEY_PARAMETER],
        request={"multipart/form-data": NewImport},
        responses={202: ImportShape},
    )
    def post(self, request: Request) -> Response:
        """Begin an import; `GET pages/imports/{id}`, which is in `Location`, tells how far it is."""
        length = request.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > IMPORT_BYTES + FORM_BYTES:
            check_upload_size(int(length))
        given = body_of(request, NewImport)
        file = given.pop("file")
        asked = None
        if "Idempotency-Key" in request.headers:
            asked = {**given, "name": file.name, "sha256": files.measure(file, check=check_upload_size).sha256}

        def begin() -> Answer:
            run = begin_import(
                actor=actor_of(request),
                container=given["container"],
                parent_id=given.get("parent_id"),
                name=file.name,
                content=file,
                source=given.get("source", ""),
                dry_run=given["dry_run"],
            )
            address = f"/api/v1/pages/imports/{run.id}"
            return Answer(status=202, body=ImportShape(run).data, headers={"Location": address})

        return respond(request, begin, asked=asked)


class OneImport(APIView):
    """One run."""

    @extend_schema(operation_id="get_import", responses=ImportShape)
    def get(self, request: Request, run_id: int) -> Response:
        """How far a run is, and once it is done what became of every file."""
        return Response(ImportShape(get_import(actor=actor_of(request), run_id=run_id, with_report=True)).data)
