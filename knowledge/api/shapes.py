"""What the REST door of pages answers, in the names of the public contract."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from company.api.serializers import AuthorShape
from company.rules.chart import SpaceKind
from knowledge.models import PageStatus, RevisionState
from knowledge.reads.activity import Happened
from knowledge.reads.extras import extras_of
from knowledge.rules.diff import Difference, Level, Line, Op


class ContainerShape(serializers.Serializer[Any]):
    """A container of pages."""

    key = serializers.CharField()
    name = serializers.CharField()
    purpose = serializers.CharField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in SpaceKind])
    reserved = serializers.BooleanField()
    pages = serializers.IntegerField()


class ContainersShape(serializers.Serializer[Any]):
    """Every container."""

    results = ContainerShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class AncestorShape(serializers.Serializer[Any]):
    """A page above another one."""

    id = serializers.IntegerField()
    title = serializers.CharField()


class _PageFacts(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    container = serializers.CharField()
    title = serializers.CharField()
    address = serializers.CharField()
    parent_id = serializers.IntegerField(allow_null=True)
    ancestors = AncestorShape(many=True)
    status = serializers.ChoiceField(choices=[status.value for status in PageStatus])
    labels = serializers.ListField(child=serializers.CharField())
    watchers = serializers.ListField(child=serializers.CharField())
    version = serializers.IntegerField()
    is_folder = serializers.BooleanField()
    author = AuthorShape()
    created_at = serializers.DateTimeField()
    saved_by = AuthorShape()
    saved_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    trashed_at = serializers.DateTimeField(allow_null=True)
    children = serializers.IntegerField()
    url = serializers.CharField()


class PageRowShape(_PageFacts):
    """A page in a listing."""

    excerpt = serializers.CharField()


class PagesShape(serializers.Serializer[Any]):
    """A window of a listing of pages."""

    results = PageRowShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class SkillReachShape(serializers.Serializer[Any]):
    """A seat that a page's skill reached over 30 days."""

    handle = serializers.CharField()
    loaded = serializers.IntegerField()
    offered = serializers.IntegerField()
    last_at = serializers.DateTimeField(allow_null=True)


class PageShape(_PageFacts):
    """A page, with what other apps add to it (`knowledge.reads.extras`): pages of the skills container say whom their
    skill reached."""

    body = serializers.CharField()
    pending_version = serializers.IntegerField(
        required=False,
        help_text="The version that waits for review, for those who may save the page. Where it is `version` too, the "
        "page is shown as that version has it.",
    )
    skill_loaded_by = SkillReachShape(many=True, required=False)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """The page's own fields and what is added; no `pending_version` where nothing waits."""
        shown = super().to_representation(instance)
        if shown.get("pending_version") is None:
            shown.pop("pending_version", None)
        return {**shown, **extras_of(page_id=instance.id, container=instance.container)}


class RestoredShape(serializers.Serializer[Any]):
    """What a restore brought back and where."""

    pages = serializers.IntegerField()
    parent_id = serializers.IntegerField(allow_null=True)
    moved = serializers.BooleanField()


class RestoredPageShape(PageShape):
    """A page brought back from the trash."""

    restored = RestoredShape()
    left = serializers.ListField(child=serializers.IntegerField())


class PurgedShape(serializers.Serializer[Any]):
    """The id of a page that is gone for good."""

    purged = serializers.IntegerField()


class ReviewShape(serializers.Serializer[Any]):
    """What became of a revision that was held back: it waits, was approved, replaced, or sent back with a word."""

    state = serializers.ChoiceField(choices=[state.value for state in RevisionState])
    by = AuthorShape(allow_null=True)
    at = serializers.DateTimeField(allow_null=True)
    message = serializers.CharField()


class RevisionRowShape(serializers.Serializer[Any]):
    """A revision in a history. `review` is there for one that was held back."""

    version = serializers.IntegerField()
    title = serializers.CharField()
    message = serializers.CharField()
    author = AuthorShape()
    created_at = serializers.DateTimeField()
    review = ReviewShape(required=False)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """The fields, with what became of a revision that was held back."""
        shown = super().to_representation(instance)
        decision = instance.decision
        if instance.state is not RevisionState.PUBLISHED or decision is not None:
            shown["review"] = ReviewShape(
                {
                    "state": instance.state.value,
                    "by": decision.by if decision else None,
                    "at": decision.at if decision else None,
                    "message": decision.word if decision else "",
                }
            ).data
        return shown


class WaitingShape(serializers.Serializer[Any]):
    """A version that waits for review. `new`: the page was never approved."""

    page_id = serializers.IntegerField()
    container = serializers.CharField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    author = AuthorShape()
    asked_at = serializers.DateTimeField()
    message = serializers.CharField()
    new = serializers.BooleanField()


class ReviewsShape(serializers.Serializer[Any]):
    """A window of what waits for review, longest first."""

    results = WaitingShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class RevisionsShape(serializers.Serializer[Any]):
    """A window of a history, newest first."""

    results = RevisionRowShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class CommentShape(serializers.Serializer[Any]):
    """A comment. `reply_to` is the first comment of its thread, which may have been removed."""

    id = serializers.IntegerField()
    body = serializers.CharField()
    author = AuthorShape()
    created_at = serializers.DateTimeField()
    reply_to = serializers.IntegerField(allow_null=True)
    edited_at = serializers.DateTimeField(allow_null=True)


class CommentsShape(serializers.Serializer[Any]):
    """A window of the comments of a page, oldest first."""

    results = CommentShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class ActivityRowShape(serializers.Serializer[Any]):
    """One thing that happened to a page."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in Happened])
    at = serializers.DateTimeField()
    author = AuthorShape()
    version = serializers.IntegerField()
    title = serializers.CharField()
    message = serializers.CharField()
    detail = serializers.DictField()


class ActivityShape(serializers.Serializer[Any]):
    """A window of what happened to a page, newest first."""

    results = ActivityRowShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)


class NotificationShape(serializers.Serializer[Any]):
    """What others did within an hour to a page, or to something of another app, which has a `kind` and a `key`."""

    id = serializers.IntegerField()
    page_id = serializers.IntegerField(allow_null=True)
    kind = serializers.CharField(required=False)
    key = serializers.CharField(required=False)
    title = serializers.CharField()
    count = serializers.IntegerField()
    actors = AuthorShape(many=True)
    last_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """A page is named by its id alone."""
        shown = super().to_representation(instance)
        if instance.page_id is not None:
            del shown["kind"], shown["key"]
        return shown


class NotificationsShape(serializers.Serializer[Any]):
    """A window of a seat's notifications, latest first, and how many it has not read."""

    results = NotificationShape(many=True, source="listing.results")
    total = serializers.IntegerField(source="listing.total")
    after = serializers.CharField(allow_null=True, source="listing.after")
    unread = serializers.IntegerField()


class MarkedShape(serializers.Serializer[Any]):
    """How many were marked read now, and how many are left."""

    read = serializers.IntegerField()
    unread = serializers.IntegerField()


class RevisionShape(RevisionRowShape):
    """A revision with its body."""

    body = serializers.CharField()


class DiffLineShape(serializers.Serializer[Any]):
    """A line of a hunk, without its line end; one that was removed or added carries `marks`."""

    op = serializers.ChoiceField(choices=[op.value for op in Op])
    text = serializers.CharField()
    marks = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        required=False,
        help_text="Stretches [from, to] that its counterpart lacks, in characters (code points) from 0, `to` excluded.",
    )


class DiffHunkShape(serializers.Serializer[Any]):
    """Changed lines with those around them. Lines count from 1; a side without lines has the line before."""

    old_start = serializers.IntegerField()
    new_start = serializers.IntegerField()
    lines = DiffLineShape(many=True)


class DiffShape(serializers.Serializer[Any]):
    """What changed from one version of a page to another."""

    level = serializers.ChoiceField(
        choices=[level.value for level in Level],
        help_text="`line` where some changed lines carry no marks, because comparing their words would cost too much.",
    )
    hunks = DiffHunkShape(many=True)

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of the language, so it cannot be an attribute."""
        return {"from": serializers.IntegerField(), "to": serializers.IntegerField(), **super().get_fields()}


def diff_body(*, old: int, new: int, difference: Difference) -> dict[str, Any]:
    """A difference as `DiffShape` describes it, written out by hand: it may have hundreds of thousands of lines."""
    return {
        "from": old,
        "to": new,
        "level": difference.level.value,
        "hunks": [
            {
                "old_start": hunk.old_start,
                "new_start": hunk.new_start,
                "lines": [_diff_line(line) for line in hunk.lines],
            }
            for hunk in difference.hunks
        ],
    }


def _diff_line(line: Line) -> dict[str, Any]:
    if line.op is Op.SAME:
        return {"op": line.op.value, "text": line.text}
    return {"op": line.op.value, "text": line.text, "marks": [list(mark) for mark in line.marks]}


class BacklinkShape(serializers.Serializer[Any]):
    """Something that links to a page. `key` is an item's."""

    kind = serializers.ChoiceField(choices=["page", "item"])
    id = serializers.IntegerField()
    key = serializers.CharField(required=False)
    title = serializers.CharField()
    container = serializers.CharField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """The fields, without a key where there is none."""
        shown = super().to_representation(instance)
        return {name: value for name, value in shown.items() if name != "key" or value is not None}


class BacklinksShape(serializers.Serializer[Any]):
    """A window of what links to a page: pages by container and title, then items."""

    results = BacklinkShape(many=True)
    total = serializers.IntegerField()
    after = serializers.CharField(allow_null=True)
