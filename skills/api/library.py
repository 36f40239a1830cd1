"""REST: the library of skill folders: what it holds, one folder, its zip, the manifest for a harness, and imports."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.http import HttpResponse
from django.utils.http import content_disposition_header, parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.listing import answer_listing
from company.api.serializers import StrictSerializer
from company.rules.windows import parse_window
from company.writes.idempotency import Answer
from knowledge.api.attachments import WhateverIsAsked
from knowledge.api.search import OutcomeShape
from knowledge.search.rules.outcome import parse_mode
from skills.api.serializers import ProblemAnswer
from skills.api.skills import SEARCH, WINDOW
from skills.folders.codes import SKILL_FILE
from skills.folders.importing import Verdict
from skills.reads.library import (
    CURSOR_WIDTH,
    LibrarySkill,
    get_library_skill,
    library_manifest,
    list_library,
    zip_of,
)
from skills.reads.search import search_library
from skills.writes.library import MAX_UPLOAD_BYTES, check_upload_size, import_upload, trash_library_skill

FORM_BYTES = 64 * 1024


class LibraryFileAnswer(serializers.Serializer[Any]):
    """A file of a skill; `url` is null for SKILL.md, whose text stands in the answer."""

    path = serializers.CharField()
    size = serializers.IntegerField()
    executable = serializers.BooleanField()
    sha256 = serializers.CharField()
    url = serializers.CharField(allow_null=True)


class LibraryRowAnswer(serializers.Serializer[Any]):
    """A skill folder in the list."""

    name = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField()
    digest = serializers.CharField()
    size = serializers.IntegerField()
    page_id = serializers.IntegerField()


class LibrarySkillAnswer(LibraryRowAnswer):
    """One skill folder whole: the text of SKILL.md, its front matter as it is read, and every file."""

    body = serializers.CharField()
    frontmatter = serializers.DictField()
    warnings = ProblemAnswer(many=True)
    files = LibraryFileAnswer(many=True)


class LibraryAnswer(serializers.Serializer[Any]):
    """A window of the library."""

    results = LibraryRowAnswer(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)
    outcome = OutcomeShape(required=False, help_text="Of a search alone: what it did, as of one of pages.")


class ManifestEntryAnswer(serializers.Serializer[Any]):
    """What a harness compares."""

    name = serializers.CharField()
    version = serializers.IntegerField()
    digest = serializers.CharField()
    size = serializers.IntegerField()


class ManifestAnswer(serializers.Serializer[Any]):
    """Every skill folder."""

    skills = ManifestEntryAnswer(many=True)


class ImportUpload(StrictSerializer):
    """The form of `POST library-import`."""

    file = serializers.FileField(allow_empty_file=True, max_length=None, help_text="A zip, or one SKILL.md.")


class ImportedFileAnswer(serializers.Serializer[Any]):
    """What became of one SKILL.md."""

    path = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    verdict = serializers.ChoiceField([verdict.value for verdict in Verdict])
    repairs = serializers.ListField(child=serializers.CharField())
    problems = ProblemAnswer(many=True)


class ImportAnswer(serializers.Serializer[Any]):
    """Every SKILL.md of an import."""

    files = ImportedFileAnswer(many=True)


def _row(skill: LibrarySkill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "description": skill.served.skill.description,
        "version": skill.version,
        "digest": skill.digest,
        "size": skill.size,
        "page_id": skill.served.page.page_id,
    }


class Library(APIView):
    """`GET library`."""

    @extend_schema(operation_id="library_list", parameters=[*WINDOW, *SEARCH], responses=LibraryAnswer)
    def get(self, request: Request) -> Response:
        """The skill folders, by name; with `q` those that answer it, best first, and an `outcome`."""
        asked = request.query_params
        window = parse_window(asked.get("limit"), asked.get("after"), width=CURSOR_WIDTH)
        if "q" not in asked:
            return Response(answer_listing(list_library(actor=actor_of(request), window=window), _row))
        found = search_library(
            actor=actor_of(request), text=asked["q"], mode=parse_mode(asked.get("mode")), window=window
        )
        return Response({**answer_listing(found.listing, _row), "outcome": OutcomeShape(found.outcome).data})


class LibraryManifest(APIView):
    """`GET library-manifest`."""

    @extend_schema(operation_id="library_manifest", responses={200: ManifestAnswer, 304: None})
    def get(self, request: Request) -> Response:
        """Name, version, digest and size of every skill folder, with an ETag to ask by the next time."""
        skills = [
            {"name": skill.name, "version": skill.version, "digest": skill.digest, "size": skill.size}
            for skill in library_manifest(actor=actor_of(request))
        ]
        headers = {"ETag": f'"{hashlib.sha256(json.dumps(skills).encode()).hexdigest()}"'}
        if _has(request, headers["ETag"]):
            return Response(status=304, headers=headers)
        return Response({"skills": skills}, headers=headers)


class LibraryOne(APIView):
    """`GET` and `DELETE library/{name}`."""

    @extend_schema(operation_id="library_read", responses=LibrarySkillAnswer)
    def get(self, request: Request, name: str) -> Response:
        """One skill folder with the text of its SKILL.md and the list of its files."""
        detail = get_library_skill(actor=actor_of(request), name=name)
        skill = detail.skill
        answer = {
            **_row(skill),
            "body": detail.text,
            "frontmatter": dict(skill.served.skill.frontmatter),
            "warnings": [warning.as_dict() for warning in skill.served.warnings],
            "files": LibraryFileAnswer(skill.files, many=True).data,
        }
        return Response(answer, headers={"ETag": f'"{skill.digest}"'})

    @extend_schema(operation_id="library_trash", responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Put the skill's page into the trash."""
        trash_library_skill(actor=actor_of(request), name=name)
        return Response(status=204)


class LibraryZip(APIView):
    """`GET library/{name}.zip`."""

    content_negotiation_class = WhateverIsAsked

    @extend_schema(operation_id="library_zip", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, name: str) -> HttpResponse:
        """The skill folder as a zip: its files byte for byte, with their modes."""
        packed = zip_of(actor=actor_of(request), name=name)
        etag = f'"{packed.digest}"'
        answer = (
            HttpResponse(status=304)
            if _has(request, etag)
            else HttpResponse(packed.data, content_type="application/zip")
        )
        answer["ETag"] = etag
        answer["Cache-Control"] = "private, no-cache"
        answer["Content-Disposition"] = str(content_disposition_header(True, f"{packed.name}.zip"))
        answer["X-Content-Type-Options"] = "nosniff"
        return answer


class LibraryImport(APIView):
    """`POST library-import`."""

    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="library_import",
        parameters=[KEY_PARAMETER],
        request={"multipart/form-data": ImportUpload},
        responses=ImportAnswer,
    )
    def post(self, request: Request) -> Response:
        """Take in a zip of skill folders, or one SKILL.md; every SKILL.md in it is answered with one verdict."""
        length = request.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > MAX_UPLOAD_BYTES + FORM_BYTES:
            check_upload_size(int(length))
        form = ImportUpload(data=request.data)
        form.is_valid(raise_exception=True)
        file = form.validated_data["file"]
        check_upload_size(file.size)
        data, name = file.read(), file.name or SKILL_FILE

        def answer() -> Answer:
            imported = import_upload(actor=actor_of(request), name=name, data=data)
            return Answer(status=200, body={"files": [one.report.as_dict() for one in imported]})

        return respond(request, answer, asked={"name": name, "sha256": hashlib.sha256(data).hexdigest()})


def _has(request: Request, etag: str) -> bool:
    asked = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in asked or etag in (tag.removeprefix("W/") for tag in asked)
