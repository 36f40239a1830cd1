"""What the REST door of items answers, in the names of the public contract."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from company.api.serializers import AuthorShape
from company.rules.chart import SpaceKind
from tracker.reads.activity import Happened
from tracker.reads.shapes import ItemRow, Related
from tracker.rules.views import Layout
from tracker.rules.vocabulary import Priority, Relation, Status, Type


class ProjectShape(serializers.Serializer[Any]):
    """A project. `open` counts what is still to be done; one that is not `declared` any more takes no new item."""

    key = serializers.CharField()
    name = serializers.CharField()
    purpose = serializers.CharField()
    kind = serializers.ChoiceField(choices=[SpaceKind.UNIT.value, SpaceKind.SEAT.value])
    lead = serializers.CharField(source="led_by", allow_null=True)
    declared = serializers.BooleanField()
    items = serializers.IntegerField()
    open = serializers.IntegerField()


class ProjectsShape(serializers.Serializer[Any]):
    """Every project."""

    results = ProjectShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class ItemRowShape(serializers.Serializer[Any]):
    """An item in a listing. `children` counts the items right under it, `finished` those of them that are."""

    id = serializers.IntegerField()
    key = serializers.CharField()
    project = serializers.CharField()
    title = serializers.CharField()
    type = serializers.ChoiceField(choices=[word.value for word in Type])
    status = serializers.ChoiceField(choices=[word.value for word in Status])
    priority = serializers.ChoiceField(choices=[word.value for word in Priority])
    assignee = serializers.SerializerMethodField()
    labels = serializers.ListField(child=serializers.CharField())
    watchers = serializers.ListField(child=serializers.CharField())
    parent = serializers.CharField(source="parent.key", default=None, allow_null=True)  # type: ignore[assignment]
    due = serializers.DateField(allow_null=True)
    version = serializers.IntegerField()
    author = AuthorShape()
    created_at = serializers.DateTimeField()
    saved_by = AuthorShape()
    saved_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    trashed_at = serializers.DateTimeField(allow_null=True)
    children = serializers.IntegerField()
    finished = serializers.IntegerField()
    is_blocked = serializers.BooleanField()
    url = serializers.CharField()

    def get_assignee(self, item: ItemRow) -> str | None:
        """The seat it is given to; null for nobody."""
        return item.assignee or None


class ItemsShape(serializers.Serializer[Any]):
    """A window of a listing of items."""

    results = ItemRowShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class RelationShape(serializers.Serializer[Any]):
    """A relation from the item's own end. `outgoing` is false where another item duplicates this one."""

    relation = serializers.ChoiceField(choices=[word.value for word in Relation], source="reads")
    outgoing = serializers.BooleanField()
    key = serializers.CharField(source="item.key", default=None, allow_null=True)
    title = serializers.SerializerMethodField()
    status = serializers.CharField(source="item.status", default=None, allow_null=True)
    page_id = serializers.IntegerField(allow_null=True)

    def get_title(self, related: Related) -> str:
        """What is at the other end."""
        return related.item.title if related.item is not None else related.page_title


class ItemShape(ItemRowShape):
    """An item."""

    description = serializers.CharField()
    relations = RelationShape(many=True)


class PurgedItemShape(serializers.Serializer[Any]):
    """The key of an item that is gone for good."""

    purged = serializers.CharField()


class ItemRevisionRowShape(serializers.Serializer[Any]):
    """A version that changed the words of an item."""

    version = serializers.IntegerField()
    title = serializers.CharField()
    message = serializers.CharField()
    author = AuthorShape()
    created_at = serializers.DateTimeField()


class ItemRevisionShape(ItemRevisionRowShape):
    """The words an item had from a version on."""

    description = serializers.CharField()


class ItemRevisionsShape(serializers.Serializer[Any]):
    """A window of the history of an item's words, newest first."""

    results = ItemRevisionRowShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class ItemActivityRowShape(serializers.Serializer[Any]):
    """One thing that happened to an item."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in Happened])
    at = serializers.DateTimeField()
    author = AuthorShape()
    version = serializers.IntegerField()
    message = serializers.CharField()
    detail = serializers.DictField()


class ItemActivityShape(serializers.Serializer[Any]):
    """A window of what happened to an item, newest first."""

    results = ItemActivityRowShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class ViewShape(serializers.Serializer[Any]):
    """A saved view; `query` is what `GET items` takes."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    query = serializers.CharField()
    layout = serializers.ChoiceField(choices=[layout.value for layout in Layout])
    shared = serializers.BooleanField()
    owner = AuthorShape()


class ViewsShape(serializers.Serializer[Any]):
    """Every saved view of the reader's own, and the shared ones."""

    results = ViewShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)
