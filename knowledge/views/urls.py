"""The addresses of the knowledge screens."""

from django.urls import path

from knowledge.views import arranging, attachments, browsing, editing, exporting, history, reading, trash

urlpatterns = [
    path("knowledge", browsing.home, name="knowledge"),
    path("knowledge/new", editing.new, name="page-new"),
    path("knowledge/preview", editing.preview, name="page-preview"),
    path("knowledge/trash", trash.trash, name="trash"),
    path("knowledge/outline/<int:page_id>", browsing.branch, name="outline-branch"),
    path("knowledge/pages/<int:page_id>", reading.page, name="page"),
    path("knowledge/pages/<int:page_id>/edit", editing.edit, name="page-edit"),
    path("knowledge/pages/<int:page_id>/rename", arranging.rename, name="page-rename"),
    path("knowledge/pages/<int:page_id>/move", arranging.move, name="page-move"),
    path("knowledge/pages/<int:page_id>/labels", arranging.labels, name="page-labels"),
    path("knowledge/pages/<int:page_id>/watch", arranging.watch, name="page-watch"),
    path("knowledge/pages/<int:page_id>/publish", arranging.publish, name="page-publish"),
    path("knowledge/pages/<int:page_id>/trash", arranging.trash, name="page-trash"),
    path("knowledge/pages/<int:page_id>/restore", trash.restore, name="page-restore"),
    path("knowledge/pages/<int:page_id>/purge", trash.purge, name="page-purge"),
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
    path("knowledge/<str:container>/trash", trash.trash, name="space-trash"),
]
