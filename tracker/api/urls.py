"""The routes of projects and items under `/api/v1/`."""

from django.urls import path

from tracker.api import comments, histories, items, projects, search

app_name = "tracker-api"

urlpatterns = [
    path("search/items", search.SearchItems.as_view(), name="search-items"),
    path("projects", projects.Projects.as_view(), name="projects"),
    path("projects/<str:key>", projects.OneProject.as_view(), name="project"),
    path("item-views", projects.Views.as_view(), name="views"),
    path("item-views/<int:view_id>", projects.OneView.as_view(), name="view"),
    path("items", items.Items.as_view(), name="items"),
    path("items/<str:key>", items.OneItem.as_view(), name="item"),
    path("items/<str:key>/move", items.ItemMove.as_view(), name="item-move"),
    path("items/<str:key>/trash", items.ItemTrash.as_view(), name="item-trash"),
    path("items/<str:key>/restore", items.ItemRestore.as_view(), name="item-restore"),
    path("items/<str:key>/purge", items.ItemPurge.as_view(), name="item-purge"),
    path("items/<str:key>/watch", items.ItemWatch.as_view(), name="item-watch"),
    path("items/<str:key>/relations", items.ItemRelations.as_view(), name="item-relations"),
    path("items/<str:key>/comments", comments.ItemComments.as_view(), name="item-comments"),
    path("items/<str:key>/activity", histories.ItemActivity.as_view(), name="item-activity"),
    path("items/<str:key>/diff", histories.ItemDiff.as_view(), name="item-diff"),
    path("items/<str:key>/revisions", histories.ItemRevisions.as_view(), name="item-revisions"),
    path("items/<str:key>/revisions/<int:version>", histories.OneItemRevision.as_view(), name="item-revision"),
    path(
        "items/<str:key>/revisions/<int:version>/restore",
        histories.ItemRevisionRestore.as_view(),
        name="item-revision-restore",
    ),
]
