"""What every serializer of the REST door shares: a field nobody knows is refused, never ignored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from company.rules.actors import ActorKind


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer of a request's body that names each field it does not know (`unknown_field`)."""

    default_error_messages = {"invalid": "This is a {datatype}. Send one JSON object: names with values, in braces."}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The validated values; raises a validation error naming unknown fields beside whatever else is wrong."""
        errors: dict[str, Any] = {}
        if isinstance(data, Mapping):
            known = ", ".join(sorted(self.fields))
            for name in data:
                if name not in self.fields:
                    errors[str(name)] = [
                        serializers.ErrorDetail(f"There is no such field. The fields are: {known}.", "unknown_field")
                    ]
        try:
            values: dict[str, Any] = super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **errors}) from error  # type: ignore[dict-item]
        if errors:
            raise serializers.ValidationError(errors)
        return values


@extend_schema_field(OpenApiTypes.STR)
class ExactText(serializers.Field):  # type: ignore[type-arg]  # DRF's runtime class takes no parameters
    """A text as it was sent, to the byte: nothing is trimmed, and a number is no text."""

    default_error_messages = {"invalid": "This is a text, in quotes."}

    def to_internal_value(self, data: Any) -> str:
        """The text itself."""
        if not isinstance(data, str):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> str:
        """The text itself."""
        return str(value)


class AuthorShape(serializers.Serializer[Any]):
    """An author in every answer: `{name, kind}`."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in ActorKind])
