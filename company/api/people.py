"""`people` and `me` at the REST door."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.contrib.auth import update_session_auth_hash
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.listing import LISTING_PARAMETERS, answer_listing, check_parameters, listing_of, window_of
from company.api.serializers import StrictSerializer
from company.api.shapes import PERMISSIONS, MeSerializer, PersonSerializer, SignInLinkSerializer
from company.reads.people import WINDOW_WIDTH, PersonRow, get_person, list_people, person_of, person_row
from company.writes.idempotency import Answer
from company.writes.people import Given, change_person, create_person, create_sign_in_link, set_password

SIGN_IN_ONCE = "/sign-in/once/"


class PersonBody(StrictSerializer):
    """Somebody to give a login."""

    login = serializers.CharField(max_length=150)
    name = serializers.CharField(max_length=255, required=False, allow_blank=True)
    seat = serializers.CharField(max_length=150, required=False, allow_null=True)
    permissions = serializers.ListField(child=serializers.ChoiceField(choices=PERMISSIONS), required=False)
    password = serializers.CharField(max_length=4096, trim_whitespace=False, required=False, write_only=True)


class PersonChangeBody(StrictSerializer):
    """What to change; the rest stays."""

    name = serializers.CharField(max_length=255, required=False, allow_blank=True)
    seat = serializers.CharField(max_length=150, required=False, allow_null=True)
    permissions = serializers.ListField(child=serializers.ChoiceField(choices=PERMISSIONS), required=False)
    active = serializers.BooleanField(required=False)


class PasswordBody(StrictSerializer):
    """A new password; whoever changes their own gives the current one too."""

    password = serializers.CharField(max_length=4096, trim_whitespace=False)
    current = serializers.CharField(max_length=4096, trim_whitespace=False, required=False)


class PeopleView(APIView):
    """Everybody who has a login, and new ones."""

    @extend_schema(
        parameters=LISTING_PARAMETERS, operation_id="people_list", responses={200: listing_of(PersonSerializer)}
    )
    def get(self, request: Request) -> Response:
        """Everybody who has a login, for administrators."""
        listing = list_people(actor=actor_of(request), window=window_of(request, width=WINDOW_WIDTH))
        return Response(answer_listing(listing, shape_person))

    @extend_schema(parameters=[KEY_PARAMETER], request=PersonBody, responses={201: PersonSerializer})
    def post(self, request: Request) -> Response:
        """Give somebody a login."""
        check_parameters(request, ())
        body = PersonBody(data=request.data)
        body.is_valid(raise_exception=True)

        def make() -> Answer:
            person = create_person(actor=actor_of(request), **body.validated_data)
            return Answer(status=201, body=shape_person(person_row(person)))

        return respond(request, make)


class PersonView(APIView):
    """One person."""

    @extend_schema(responses={200: PersonSerializer})
    def get(self, request: Request, person_id: int) -> Response:
        """One person, for administrators."""
        check_parameters(request, ())
        return Response(shape_person(get_person(actor=actor_of(request), person_id=person_id)))

    @extend_schema(request=PersonChangeBody, responses={200: PersonSerializer})
    def patch(self, request: Request, person_id: int) -> Response:
        """Change a person. `active: false` ends their sessions, tokens and links."""
        check_parameters(request, ())
        body = PersonChangeBody(data=request.data)
        body.is_valid(raise_exception=True)
        asked = dict(body.validated_data)
        seat = Given(value=asked.pop("seat")) if "seat" in asked else None
        person = change_person(actor=actor_of(request), person_id=person_id, seat=seat, **asked)
        return Response(shape_person(person_row(person)))


class PasswordView(APIView):
    """A person's password."""

    @extend_schema(request=PasswordBody, responses={200: PersonSerializer})
    def post(self, request: Request, person_id: int) -> Response:
        """Set a password: one's own with the current one, anybody's as an administrator. Their other sessions end."""
        check_parameters(request, ())
        body = PasswordBody(data=request.data)
        body.is_valid(raise_exception=True)
        actor = actor_of(request)
        person = set_password(actor=actor, person_id=person_id, **body.validated_data)
        browser = request._request  # noqa: SLF001 (DRF's way to the session)
        if actor.credential == f"login:{person.login}":
            browser.user = person  # DRF put the actor there, and Django compares people
            update_session_auth_hash(browser, person)  # the session that asked goes on
        return Response(shape_person(person_row(person)))


class SignInLinkView(APIView):
    """A way in for whoever has no password, or lost it."""

    @extend_schema(request=None, responses={201: SignInLinkSerializer})
    def post(self, request: Request, person_id: int) -> Response:
        """Make a link that signs the person in once within a day. Earlier ones stop working."""
        check_parameters(request, ())
        secret = create_sign_in_link(actor=actor_of(request), person_id=person_id)
        return Response({"url": request.build_absolute_uri(SIGN_IN_ONCE + secret)}, status=201)


class MeView(APIView):
    """Who asks."""

    @extend_schema(responses={200: MeSerializer})
    def get(self, request: Request) -> Response:
        """Who the credential is, and how far it reaches."""
        check_parameters(request, ())
        actor = actor_of(request)
        person = person_of(actor)
        return Response(
            {
                "author": actor.author.as_dict(),
                "seat": actor.seat,
                "login": actor.login,
                "person_id": person.pk if person is not None else None,
                "credential": actor.credential,
                "permissions": sorted(permission.value for permission in actor.permissions),
                "scopes": sorted(scope.value for scope in actor.scopes),
                "proven_until": actor.proven_until,
            }
        )


def shape_person(row: PersonRow) -> dict[str, Any]:
    """A person in a list. Times as text, because an answer to an Idempotency-Key is kept as JSON."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in asdict(row).items()}
