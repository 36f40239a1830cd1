"""The routes of pages and containers under `/api/v1/`."""

from django.urls import path

from knowledge.api import (
    attachments,
    comments,
    containers,
    imports,
    links,
    notifications,
    pages,
    reads,
    reviews,
    revisions,
    search,
)

app_name = "knowledge-api"

urlpatterns = [
    path("search/pages", search.SearchPages.as_view(), name="search-pages"),
    path("containers", containers.Containers.as_view(), name="containers"),
    path("containers/<str:key>", containers.OneContainer.as_view(), name="container"),
    path("pages", pages.Pages.as_view(), name="pages"),
    path("pages/import", imports.PageImport.as_view(), name="page-import"),
    path("pages/imports/<int:run_id>", imports.OneImport.as_view(), name="import-run"),
    path("pages/at/<str:container>/<path:title>", pages.PageAt.as_view(), name="page-at"),
    path("pages/<int:page_id>", pages.OnePage.as_view(), name="page"),
    path("pages/<int:page_id>/move", pages.PageMove.as_view(), name="page-move"),
    path("pages/<int:page_id>/trash", pages.PageTrash.as_view(), name="page-trash"),
    path("pages/<int:page_id>/restore", pages.PageRestore.as_view(), name="page-restore"),
    path("pages/<int:page_id>/purge", pages.PagePurge.as_view(), name="page-purge"),
    path("pages/<int:page_id>/watch", pages.PageWatch.as_view(), name="page-watch"),
    path("pages/<int:page_id>/approve", reviews.PageApprove.as_view(), name="page-approve"),
    path("pages/<int:page_id>/send-back", reviews.PageSendBack.as_view(), name="page-send-back"),
    path("reviews", reviews.Reviews.as_view(), name="reviews"),
    path("pages/<int:page_id>/comments", comments.Comments.as_view(), name="comments"),
    path("pages/<int:page_id>/activity", comments.PageActivity.as_view(), name="page-activity"),
    path("comments/<int:comment_id>", comments.OneComment.as_view(), name="comment"),
    path("notifications", notifications.Notifications.as_view(), name="notifications"),
    path("notifications/read", notifications.NotificationsRead.as_view(), name="notifications-read"),
    path("pages/<int:page_id>/attachments", attachments.PageAttachments.as_view(), name="attachments"),
    path("attachments/<int:attachment_id>", attachments.OneAttachment.as_view(), name="attachment"),
    path("pages/<int:page_id>/backlinks", links.Backlinks.as_view(), name="backlinks"),
    path("pages/<int:page_id>/reads", reads.PageReads.as_view(), name="page-reads"),
    path("pages/<int:page_id>/diff", revisions.PageDiff.as_view(), name="page-diff"),
    path("pages/<int:page_id>/revisions", revisions.Revisions.as_view(), name="revisions"),
    path("pages/<int:page_id>/revisions/<int:version>", revisions.OneRevision.as_view(), name="revision"),
    path(
        "pages/<int:page_id>/revisions/<int:version>/restore",
        revisions.RevisionRestore.as_view(),
        name="revision-restore",
    ),
]
