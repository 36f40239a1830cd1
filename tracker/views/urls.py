"""The addresses of the tracker's screens."""

from django.urls import path

from tracker.views import arranging, browsing, editing, importing, searching, showing, talk

urlpatterns = [
    path("tracker", browsing.items, name="tracker"),
    path("tracker/board", browsing.board, name="tracker-board"),
    path("tracker/mine", browsing.mine, name="tracker-mine"),
    path("tracker/search", searching.search, name="tracker-search"),
    path("tracker/import", importing.bring, name="tracker-import"),
    path("tracker/new", editing.new, name="item-new"),
    path("tracker/quick", editing.quick, name="item-quick"),
    path("tracker/trash", arranging.trashed, name="tracker-trash"),
    path("tracker/views", browsing.keep_view, name="view-keep"),
    path("tracker/views/<int:view_id>/drop", browsing.drop_view, name="view-drop"),
    path("tracker/items/<str:key>", showing.item, name="item"),
    path("tracker/items/<str:key>/edit", editing.edit, name="item-edit"),
    path("tracker/items/<str:key>/fields", showing.fields, name="item-fields"),
    path("tracker/items/<str:key>/status", showing.status, name="item-status"),
    path("tracker/items/<str:key>/watch", showing.watch, name="item-watch"),
    path("tracker/items/<str:key>/relations", showing.relations, name="item-relations"),
    path("tracker/items/<str:key>/move", arranging.move, name="item-move"),
    path("tracker/items/<str:key>/trash", arranging.trash, name="item-trash"),
    path("tracker/items/<str:key>/restore", arranging.restore, name="item-restore"),
    path("tracker/items/<str:key>/purge", arranging.purge, name="item-purge"),
    path("tracker/items/<str:key>/activity", arranging.happened, name="item-activity"),
    path("tracker/items/<str:key>/history", arranging.history, name="item-history"),
    path("tracker/items/<str:key>/history/<int:version>", arranging.revision, name="item-revision"),
    path("tracker/items/<str:key>/history/<int:version>/restore", arranging.bring_back, name="item-bring-back"),
    path("tracker/items/<str:key>/comments", talk.comments, name="item-comments"),
    path("tracker/comments/<int:comment_id>", talk.comment, name="item-comment"),
    path("tracker/comments/<int:comment_id>/edit", talk.edit, name="item-comment-edit"),
    path("tracker/comments/<int:comment_id>/remove", talk.remove, name="item-comment-remove"),
]
