"""`/api/docs/`: the OpenAPI document as a page without a script, which the site's content policy would refuse."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "put", "patch", "delete")


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, body and answers, grouped by the first word of its path."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                group = path.removeprefix("/api/v1/").strip("/").split("/")[0]
                groups.setdefault(group, []).append(_operation(path, method, operations[method]))
    context = {"title": document["info"]["title"], "groups": sorted(groups.items()), "shapes": _shapes(document)}
    return render(request, "company/api_docs.html", context)


def _operation(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "text": operation.get("description", ""),
        "parameters": operation.get("parameters", []),
        "bodies": [{"type": kind, "shape": _shape_name(media)} for kind, media in content.items()],
        "answers": [
            {"status": status, "text": answer.get("description", ""), "shapes": _answer_shapes(answer)}
            for status, answer in sorted(operation["responses"].items())
        ],
    }


def _answer_shapes(answer: dict[str, Any]) -> list[str]:
    names = (_shape_name(media) for media in answer.get("content", {}).values())
    return [name for name in dict.fromkeys(names) if name]


def _shape_name(media: dict[str, Any]) -> str:
    return str(media.get("schema", {}).get("$ref", "")).rpartition("/")[2]


def _shapes(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The named shapes, each with its fields and their types in a word."""
    return [
        {
            "name": name,
            "text": shape.get("description", ""),
            "fields": [
                {"name": field, "type": _type_word(schema), "required": field in shape.get("required", ())}
                for field, schema in shape.get("properties", {}).items()
            ],
        }
        for name, shape in document.get("components", {}).get("schemas", {}).items()
    ]


def _type_word(schema: dict[str, Any]) -> str:
    reference = schema.get("$ref") or next((part["$ref"] for part in schema.get("allOf", ()) if "$ref" in part), "")
    if reference:
        return str(reference).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_type_word(schema.get('items', {}))}"
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(schema.get("format") or kind)
