"""What the REST door of pages takes. Only shapes are judged here: types, and fields that are not there or not known."""

from __future__ import annotations

from rest_framework import serializers

from company.api.serializers import ExactText, StrictSerializer
from knowledge.models import PageStatus
from knowledge.rules.edits import Edit, make_edit


class NewPage(StrictSerializer):
    """The body of `POST pages`."""

    container = ExactText(required=False, allow_null=True)
    title = ExactText()
    body = ExactText()
    parent_id = serializers.IntegerField(required=False, allow_null=True)
    labels = serializers.ListField(child=ExactText(), required=False)
    message = ExactText(required=False, allow_null=True)
    watchers = serializers.ListField(child=ExactText(), required=False)
    status = serializers.ChoiceField(choices=[PageStatus.DRAFT.value, PageStatus.PUBLISHED.value], required=False)


class EditOfBody(StrictSerializer):
    """An edit inside the body of `PATCH pages/{id}`; its mode is judged by the rule, which has a code for it."""

    mode = ExactText()
    text = ExactText()
    find = ExactText(required=False, allow_null=True)


class PageChanges(StrictSerializer):
    """The body of `PATCH pages/{id}`."""

    base_version = serializers.IntegerField(required=False, min_value=1)
    body = ExactText(required=False)
    edit = EditOfBody(required=False)
    title = ExactText(required=False)
    labels = serializers.ListField(child=ExactText(), required=False)
    message = ExactText(required=False, allow_null=True)
    status = serializers.ChoiceField(choices=[PageStatus.PUBLISHED.value], required=False)


def edit_of(values: dict[str, str | None] | None) -> Edit | None:
    """The edit of a validated body, if it has one; raises `unknown_mode`, `required` or `invalid`."""
    if values is None:
        return None
    return make_edit(mode=values["mode"] or "", text=values["text"] or "", find=values.get("find"))


class PageMove(StrictSerializer):
    """The body of `POST pages/{id}/move`."""

    parent_id = serializers.IntegerField(allow_null=True)
    container = ExactText(required=False, allow_null=True)
    before = serializers.IntegerField(required=False, allow_null=True)


class PageRestore(StrictSerializer):
    """The body of `POST pages/{id}/restore`."""

    title = ExactText(required=False, allow_null=True)


class PagePurge(StrictSerializer):
    """The body of `POST pages/{id}/purge`."""

    reason = ExactText()


class PageWatch(StrictSerializer):
    """The body of `POST pages/{id}/watch`."""

    on = serializers.BooleanField()


class PageApproval(StrictSerializer):
    """The body of `POST pages/{id}/approve`."""

    version = serializers.IntegerField(min_value=1)


class PageSentBack(StrictSerializer):
    """The body of `POST pages/{id}/send-back`."""

    version = serializers.IntegerField(min_value=1)
    message = ExactText(required=False, allow_null=True)


class RevisionRestore(StrictSerializer):
    """The body of `POST pages/{id}/revisions/{n}/restore`."""

    base_version = serializers.IntegerField(required=False, min_value=1)


class NewComment(StrictSerializer):
    """The body of `POST pages/{id}/comments`."""

    body = ExactText()
    reply_to = serializers.IntegerField(required=False, allow_null=True)


class CommentChanges(StrictSerializer):
    """The body of `PATCH comments/{id}`."""

    body = ExactText()


class NotificationsRead(StrictSerializer):
    """The body of `POST notifications/read`: the ones that were read, or all of them."""

    ids = serializers.ListField(child=serializers.IntegerField(max_value=2**63 - 1), required=False)

    def get_fields(self) -> dict[str, serializers.Field]:  # type: ignore[type-arg]  # DRF's runtime class takes none
        """`all` is a word of the language, so the field is added by its name."""
        return {**super().get_fields(), "all": serializers.BooleanField(required=False)}


class Nothing(StrictSerializer):
    """The body of a POST that takes none."""
