"""Tables of the tracker."""

from tracker.models.items import STATUSES, Item, ItemRevision, PurgedItem
from tracker.models.links import ItemLink, ItemRelation
from tracker.models.projects import Project
from tracker.models.sources import ItemSource
from tracker.models.views import SavedView

__all__ = [
    "STATUSES",
    "Item",
    "ItemLink",
    "ItemRelation",
    "ItemRevision",
    "ItemSource",
    "Project",
    "PurgedItem",
    "SavedView",
]
