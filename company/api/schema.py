"""The OpenAPI document: what the code does, with the errors every operation may answer."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from company.rules.refusals import Code


class ErrorEntrySerializer(serializers.Serializer[Any]):
    """One thing wrong."""

    code = serializers.ChoiceField(choices=[code.value for code in Code])
    detail = serializers.CharField(help_text="A sentence that says what to do.")
    attr = serializers.CharField(allow_null=True, help_text="Where: a field's name or path.")


class ErrorSerializer(serializers.Serializer[Any]):
    """A refusal. The extras of its code stand beside `errors`."""

    type = serializers.ChoiceField(choices=["client_error", "validation_error", "server_error"])
    errors = ErrorEntrySerializer(many=True)  # type: ignore[assignment]  # a field, not the serializer's own attribute


class DoorSchema(AutoSchema):
    """Adds the refusals any operation may answer to what its view declares."""

    everywhere: ClassVar[tuple[str, ...]] = ("400", "401", "403", "404", "405", "406", "429", "503")
    with_a_body: ClassVar[tuple[str, ...]] = ("409", "412", "415", "422", "428")

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        declared = super()._get_response_bodies(direction)
        if direction != "response":
            return declared
        writes = self.method in ("POST", "PUT", "PATCH", "DELETE")
        codes = (*self.everywhere, *(self.with_a_body if writes else ()))
        added = {
            code: self._get_response_for_code(ErrorSerializer, code, ["application/json"])  # type: ignore[no-untyped-call]
            for code in codes
            if code not in declared
        }
        return {**declared, **added}
