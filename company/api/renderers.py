"""Answers that are not JSON: the company document as YAML, the audit trail as CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer


class TextRenderer(BaseRenderer):
    """Text as it is. A refusal has no shape of its own in these formats and is told in JSON."""

    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """The text, or the JSON of a refusal, whose content type says so."""
        if data is None:
            return b""
        if isinstance(data, str):
            return data.encode()
        response = (renderer_context or {}).get("response")
        if response is not None:
            response.headers["Content-Type"] = "application/json"
        return json.dumps(data).encode()


class YAMLRenderer(TextRenderer):
    """`application/yaml`."""

    media_type = "application/yaml"
    format = "yaml"


class TextYAMLRenderer(TextRenderer):
    """`text/yaml`, which older clients ask for."""

    media_type = "text/yaml"
    format = "text-yaml"


class CSVRenderer(TextRenderer):
    """`text/csv`."""

    media_type = "text/csv"
    format = "csv"
