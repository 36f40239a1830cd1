"""Comments of a page, and what happened to it, at the REST door."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.writes.idempotency import Answer
from knowledge.api import serializers as taken
from knowledge.api.pages import body_of
from knowledge.api.queries import WINDOW_PARAMETERS, window_of
from knowledge.api.shapes import ActivityShape, CommentShape, CommentsShape
from knowledge.reads import activity
from knowledge.reads.comments import CURSOR_WIDTH, list_comments
from knowledge.writes.comments import add_comment, edit_comment, remove_comment
from knowledge.writes.kept_answers import comment_key


class Comments(APIView):
    """The comments of a page."""

    @extend_schema(operation_id="list_comments", parameters=WINDOW_PARAMETERS, responses=CommentsShape)
    def get(self, request: Request, page_id: int) -> Response:
        """A window of the comments, flat, oldest first."""
        window = window_of(request, width=CURSOR_WIDTH)
        return Response(CommentsShape(list_comments(actor=actor_of(request), page_id=page_id, window=window)).data)

    @extend_schema(
        operation_id="add_comment", parameters=[KEY_PARAMETER], request=taken.NewComment, responses={201: CommentShape}
    )
    def post(self, request: Request, page_id: int) -> Response:
        """A new comment, or a reply. A reply to a reply joins the thread it stands in, so `reply_to` is answered as
        the first comment of the thread."""

        def add() -> Answer:
            values = body_of(request, taken.NewComment)
            comment = add_comment(
                actor=actor_of(request), page_id=page_id, body=values["body"], reply_to=values.get("reply_to")
            )
            return Answer(status=201, body=CommentShape(comment).data, about=comment_key(comment.id))

        return respond(request, add)


class OneComment(APIView):
    """One comment."""

    @extend_schema(operation_id="edit_comment", request=taken.CommentChanges, responses=CommentShape)
    def patch(self, request: Request, comment_id: int) -> Response:
        """The comment with another text. Its author's alone."""
        values = body_of(request, taken.CommentChanges)
        return Response(
            CommentShape(edit_comment(actor=actor_of(request), comment_id=comment_id, body=values["body"])).data
        )

    @extend_schema(operation_id="remove_comment", responses={204: None})
    def delete(self, request: Request, comment_id: int) -> Response:
        """Remove a comment; replies to it stay. Its author's or an administrator's."""
        remove_comment(actor=actor_of(request), comment_id=comment_id)
        return Response(status=204)


class PageActivity(APIView):
    """What happened to a page."""

    @extend_schema(operation_id="list_page_activity", parameters=WINDOW_PARAMETERS, responses=ActivityShape)
    def get(self, request: Request, page_id: int) -> Response:
        """A window of what happened to the page, newest first."""
        window = window_of(request, width=activity.CURSOR_WIDTH)
        listing = activity.list_activity(actor=actor_of(request), page_id=page_id, window=window)
        return Response(ActivityShape(listing).data)
