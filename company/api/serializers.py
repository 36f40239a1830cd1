"""What every serializer of the REST door shares: a field nobody knows is refused, never ignored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer of a request's body that names each field it does not know (`unknown_field`)."""

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
