"""The shapes of this app's answers, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from company.rules.actors import ActorKind, Permission, Scope

SCOPES = [scope.value for scope in Scope]
PERMISSIONS = [permission.value for permission in Permission]


class AuthorSerializer(serializers.Serializer[Any]):
    """A name under a change, and what kind of name it is."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in ActorKind])


class RevisionRowSerializer(serializers.Serializer[Any]):
    """An activated document in a list."""

    id = serializers.IntegerField()
    summary = serializers.CharField()
    author = AuthorSerializer()
    created_at = serializers.DateTimeField()


class RevisionSerializer(RevisionRowSerializer):
    """An activated document, its literal secrets masked."""

    source = serializers.CharField()  # type: ignore[assignment]  # a field's name, not the serializer's own attribute
    document = serializers.JSONField()
    ignored = serializers.ListField(child=serializers.CharField())
    active = serializers.BooleanField()


class AppliedSerializer(RevisionRowSerializer):
    """The revision an apply made, and the paths of the document that are kept and not read."""

    ignored = serializers.ListField(child=serializers.CharField())


class LineSerializer(serializers.Serializer[Any]):
    """A line of a difference."""

    op = serializers.ChoiceField(choices=[" ", "+", "-"])
    text = serializers.CharField()


class HunkSerializer(serializers.Serializer[Any]):
    """Lines that changed, with some around them."""

    old_start = serializers.IntegerField()
    new_start = serializers.IntegerField()
    lines = LineSerializer(many=True)


class RevisionDiffSerializer(serializers.Serializer[Any]):
    """What changed from one revision to another."""

    hunks = HunkSerializer(many=True)
    to = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of the language, so the field is added by its name."""
        return {"from": serializers.IntegerField(allow_null=True), **super().get_fields()}


class TokenSerializer(serializers.Serializer[Any]):
    """A token without its secret."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    seat = serializers.CharField(allow_null=True)
    login = serializers.CharField(allow_null=True)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class NewTokenSerializer(TokenSerializer):
    """A token with its secret, which is shown this once."""

    secret = serializers.CharField()


class PersonSerializer(serializers.Serializer[Any]):
    """Somebody who signs in. `permissions` are those given to them; the seat's come on top."""

    id = serializers.IntegerField()
    login = serializers.CharField()
    name = serializers.CharField()
    seat = serializers.CharField(allow_null=True)
    permissions = serializers.ListField(child=serializers.ChoiceField(choices=PERMISSIONS))
    active = serializers.BooleanField()
    has_password = serializers.BooleanField()
    last_signed_in_at = serializers.DateTimeField(allow_null=True)


class SignInLinkSerializer(serializers.Serializer[Any]):
    """A link that signs a person in once."""

    url = serializers.CharField()


class MeSerializer(serializers.Serializer[Any]):
    """Who a credential is, and how far it reaches."""

    author = AuthorSerializer()
    seat = serializers.CharField(allow_null=True)
    login = serializers.CharField(allow_null=True)
    person_id = serializers.IntegerField(allow_null=True)
    credential = serializers.CharField()
    permissions = serializers.ListField(child=serializers.ChoiceField(choices=PERMISSIONS))
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))
    proven_until = serializers.DateTimeField(allow_null=True)


class ProofSerializer(serializers.Serializer[Any]):
    """Until when the credential counts as proven."""

    proven_until = serializers.DateTimeField()


class EventSerializer(serializers.Serializer[Any]):
    """Something that happened."""

    id = serializers.IntegerField()
    type = serializers.CharField()
    at = serializers.DateTimeField()
    payload = serializers.JSONField()


class TargetSerializer(serializers.Serializer[Any]):
    """What a write was done to."""

    kind = serializers.CharField()
    id = serializers.CharField()


class AuditEntrySerializer(serializers.Serializer[Any]):
    """Who did what to what, through which credential and door."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = AuthorSerializer()
    operator_id = serializers.CharField()
    door = serializers.CharField()
    verb = serializers.CharField()
    target = TargetSerializer()
    version_before = serializers.IntegerField(allow_null=True)
    version_after = serializers.IntegerField(allow_null=True)
    detail = serializers.JSONField()
