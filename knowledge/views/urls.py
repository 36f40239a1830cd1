"""The addresses of the knowledge screens."""

from django.urls import path

from knowledge.views import arranging, attachments, browsing, commenting, editing, exporting, history, inbox, reading

urlpatterns = [
    path("knowledge", browsing.home, name="knowledge"),
    path("knowledge/new", editing.new, name="page-new"),
    path("knowledge/preview", editing.preview, name="page-preview"),
    path("knowledge/outline/<int:page_id>", browsing.branch, name="outline-branch"),
    path("knowledge/pages/<int:page_id>", reading.page, name="page"),
    path("knowledge/pages/<int:page_id>/edit", editing.edit, name="page-edit"),
    path("knowledge/pages/<int:page_id>/rename", arranging.rename, name="page-rename"),
    path("knowledge/pages/<int:page_id>/move", arranging.move, name="page-move"),
    path("knowledge/pages/<int:page_id>/labels", arranging.labels, name="page-labels"),
    path("knowledge/pages/<int:page_id>/watch", arranging.watch, name="page-watch"),
    path("knowledge/pages/<int:page_id>/publish", arranging.publish, name="page-publish"),
    path("knowledge/pages/<int:page_id>/trash", arranging.trash, name="page-trash"),
    path("knowledge/pages/<int:page_id>/restore", arranging.restore, name="page-restore"),
    path("knowledge/pages/<int:page_id>/comments", commenting.comments, name="page-comments"),
    path("knowledge/comments/<int:comment_id>", commenting.comment, name="comment"),
    path("knowledge/comments/<int:comment_id>/edit", commenting.edit, name="comment-edit"),
    path("knowledge/comments/<int:comment_id>/remove", commenting.remove, name="comment-remove"),
    path("knowledge/seats", commenting.seats, name="seats"),
    path("knowledge/pages/<int:page_id>/activity", history.activity, name="page-activity"),
    path("notifications", inbox.notifications, name="notifications"),
    path("notifications/read", inbox.read, name="notifications-read"),
    path("notifications/unread", inbox.unread, name="notifications-unread"),
    path("knowledge/pages/<int:page_id>/history", history.revisions, name="page-history"),
    path("knowledge/pages/<int:page_id>/compare", history.compare, name="page-compare"),
    path("knowledge/pages/<int:page_id>/history/<int:version>", history.revision, name="page-revision"),
    path("knowledge/pages/<int:page_id>/history/<int:version>/restore", history.restore, name="revision-restore"),
    path("knowledge/pages/<int:page_id>/attachments", attachments.attach, name="page-attach"),
    path("knowledge/attachments/<int:attachment_id>/remove", attachments.remove, name="attachment-remove"),
    path("attachments/<int:attachment_id>", attachments.show, name="attachment"),
    path("knowledge/pages/<int:page_id>/export", exporting.branch, name="page-export"),
    path("knowledge/<str:container>/export", exporting.space, name="space-export"),
    path("knowledge/at/<str:container>/<path:title>", reading.at, name="page-at"),
    path("knowledge/<str:container>", browsing.space, name="space"),
    path("knowledge/<str:container>/trash", browsing.trash, name="space-trash"),
]
