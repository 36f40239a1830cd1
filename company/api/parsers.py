"""Reads bodies within bounds: a body is neither read past its limit nor nested past what a reader survives."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser

from company.rules.document.text import MAX_BYTES
from company.rules.refusals import Code, Refused


def read_bounded(stream: IO[bytes], limit: int) -> bytes:
    """The whole body; raises `too_long` (with `limit`) for more than `limit` bytes."""
    body = stream.read(limit + 1)
    if len(body) > limit:
        raise too_big(limit)
    return body


def too_big(limit: int) -> Refused:
    """The refusal of a body of more than `limit` bytes (`too_long`)."""
    return Refused(Code.TOO_LONG, f"A body is at most {limit} bytes here. Send less at once.", extras={"limit": limit})


class BoundedJSONParser(JSONParser):
    """JSON of at most `DATA_UPLOAD_MAX_MEMORY_SIZE` bytes."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The data; a parse error for what is no JSON or nested too deeply."""
        body = read_bounded(stream, settings.DATA_UPLOAD_MAX_MEMORY_SIZE or MAX_BYTES)
        try:
            return super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
        except ParseError as error:
            why = str(error.detail).removeprefix("JSON parse error - ")
            raise ParseError(f"The body is no JSON ({why}). Send one JSON object in UTF-8.") from error


class DocumentParser(BaseParser):
    """A company document as its text, whatever it holds: the document's own reader judges it."""

    def parse(  # type: ignore[override]  # a body may be a text; only the stubs say otherwise
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> str:
        """The text; a parse error for what is no UTF-8."""
        try:
            return read_bounded(stream, MAX_BYTES).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ParseError("The document is text in UTF-8.") from error


class YAMLDocumentParser(DocumentParser):
    """`application/yaml`."""

    media_type = "application/yaml"


class TextYAMLDocumentParser(DocumentParser):
    """`text/yaml`, which older clients send."""

    media_type = "text/yaml"


class XYAMLDocumentParser(DocumentParser):
    """`application/x-yaml`, which older clients send."""

    media_type = "application/x-yaml"


class JSONDocumentParser(DocumentParser):
    """`application/json`."""

    media_type = "application/json"
