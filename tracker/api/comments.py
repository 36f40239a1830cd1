"""The comments of an item at the REST door. One comment is changed and removed at `comments/{id}`, like any other."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.writes.idempotency import Answer
from knowledge.api.pages import body_of
from knowledge.api.queries import WINDOW_PARAMETERS, window_of
from knowledge.api.serializers import NewComment
from knowledge.api.shapes import CommentShape, CommentsShape
from knowledge.reads.comments import CURSOR_WIDTH, comments_about
from knowledge.writes.kept_answers import comment_key
from tracker.reads.items import get_item
from tracker.reads.subjects import KIND
from tracker.writes.comments import comment_item


class ItemComments(APIView):
    """The comments of an item."""

    @extend_schema(operation_id="list_item_comments", parameters=WINDOW_PARAMETERS, responses=CommentsShape)
    def get(self, request: Request, key: str) -> Response:
        """A window of the comments, flat, oldest first."""
        window = window_of(request, width=CURSOR_WIDTH)
        item = get_item(actor=actor_of(request), key=key)
        return Response(CommentsShape(comments_about(KIND, item.id, window=window)).data)

    @extend_schema(
        operation_id="comment_item", parameters=[KEY_PARAMETER], request=NewComment, responses={201: CommentShape}
    )
    def post(self, request: Request, key: str) -> Response:
        """A new comment, or a reply, which joins the thread it stands in."""

        def add() -> Answer:
            values = body_of(request, NewComment)
            comment = comment_item(
                actor=actor_of(request), key=key, body=values["body"], reply_to=values.get("reply_to")
            )
            return Answer(status=201, body=CommentShape(comment).data, about=comment_key(comment.id))

        return respond(request, add)
