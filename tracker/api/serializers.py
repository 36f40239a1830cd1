"""What the REST door of items takes. Only shapes are judged here: types, and fields that are not there or not known."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from company.api.serializers import ExactText, StrictSerializer
from knowledge.api.serializers import EditOfBody, edit_of
from tracker.rules.changes import Changes
from tracker.rules.views import Layout


class _Fields(StrictSerializer):
    title = ExactText(required=False)
    description = ExactText(required=False)
    type = ExactText(required=False)
    status = ExactText(required=False)
    priority = ExactText(required=False)
    assignee = ExactText(required=False, allow_null=True)
    labels = serializers.ListField(child=ExactText(), required=False)
    parent = ExactText(required=False, allow_null=True)  # type: ignore[assignment]  # a field's name
    due = ExactText(required=False, allow_null=True)
    message = ExactText(required=False, allow_null=True)


class NewItem(_Fields):
    """The body of `POST items`."""

    project = ExactText()
    title = ExactText()
    watchers = serializers.ListField(child=ExactText(), required=False)


class ItemChanges(_Fields):
    """The body of `PATCH items/{key}`. `null` takes an assignee, a parent or a due day away."""

    base_version = serializers.IntegerField(required=False, min_value=1)
    edit = EditOfBody(required=False)


_NULLABLE = ("assignee", "parent", "due")
_PLAIN = ("title", "description", "type", "status", "priority", "labels")


def changes_of(values: dict[str, Any]) -> Changes:
    """What a validated body asks for; raises as `edit_of` does."""
    asked: dict[str, Any] = {name: values[name] for name in _PLAIN if name in values}
    asked |= {name: values[name] or "" for name in _NULLABLE if name in values}
    return Changes(**asked, edit=edit_of(values.get("edit")))


class ItemMove(StrictSerializer):
    """The body of `POST items/{key}/move`."""

    project = ExactText()


class ItemPurge(StrictSerializer):
    """The body of `POST items/{key}/purge`."""

    reason = ExactText()


class ItemWatch(StrictSerializer):
    """The body of `POST items/{key}/watch`."""

    on = serializers.BooleanField()


class ItemRelationGiven(StrictSerializer):
    """The body of `PUT` and `DELETE items/{key}/relations`: a relation, and the item or the page it leads to."""

    relation = ExactText()
    key = ExactText(required=False, allow_null=True)
    page_id = serializers.IntegerField(required=False, allow_null=True, max_value=2**63 - 1)


class DescriptionRestore(StrictSerializer):
    """The body of `POST items/{key}/revisions/{n}/restore`."""

    base_version = serializers.IntegerField(required=False, min_value=1)


class NewView(StrictSerializer):
    """The body of `POST item-views`: a name, and what the list asks for as the query of an address."""

    name = ExactText()
    query = ExactText(required=False)
    layout = serializers.ChoiceField(choices=[layout.value for layout in Layout], required=False)
    shared = serializers.BooleanField(required=False)


class Nothing(StrictSerializer):
    """The body of a POST that takes none."""
