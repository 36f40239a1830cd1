"""`tokens` and `proof` at the REST door."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from datetime import datetime
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from company.api.authentication import actor_of
from company.api.idempotency import KEY_PARAMETER, respond
from company.api.listing import LISTING_PARAMETERS, answer_listing, check_parameters, listing_of, window_of
from company.api.serializers import StrictSerializer
from company.api.shapes import SCOPES, NewTokenSerializer, ProofSerializer, TokenSerializer
from company.reads.people import WINDOW_WIDTH, TokenRow, list_tokens, token_row
from company.rules.proofs import SESSION_KEY
from company.writes.idempotency import Answer
from company.writes.proofs import prove_identity
from company.writes.tokens import create_token, revoke_token, secret_of


class TokenBody(StrictSerializer):
    """A token to make: a seat's, a person's (`login`), a service's, or the caller's own."""

    name = serializers.CharField(max_length=150)
    seat = serializers.CharField(max_length=150, required=False, allow_null=True)
    login = serializers.CharField(max_length=150, required=False, allow_null=True)
    service = serializers.BooleanField(default=False)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES), allow_empty=False)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)


class TokensView(APIView):
    """The tokens one may see, and new ones."""

    @extend_schema(
        parameters=LISTING_PARAMETERS, operation_id="tokens_list", responses={200: listing_of(TokenSerializer)}
    )
    def get(self, request: Request) -> Response:
        """The tokens that were not revoked: one's own, or every one for an administrator."""
        listing = list_tokens(actor=actor_of(request), window=window_of(request, width=WINDOW_WIDTH))
        return Response(answer_listing(listing, shape_token))

    @extend_schema(parameters=[KEY_PARAMETER], request=TokenBody, responses={201: NewTokenSerializer})
    def post(self, request: Request) -> Response:
        """Make a token. Its secret is in this answer and nowhere else."""
        check_parameters(request, ())
        body = TokenBody(data=request.data)
        body.is_valid(raise_exception=True)
        asked: dict[str, Any] = body.validated_data

        def make() -> Answer:
            salt = secrets.token_urlsafe(32)
            token, _ = create_token(actor=actor_of(request), salt=salt, **asked)
            return Answer(status=201, body={**shape_token(token_row(token)), "salt": salt})

        response = respond(request, make)
        kept = dict(response.data)
        response.data = {**kept, "secret": secret_of(kept.pop("salt"))}
        response.data.pop("salt")
        return response


class TokenView(APIView):
    """One token."""

    @extend_schema(responses={204: OpenApiResponse(description="It is revoked.")})
    def delete(self, request: Request, token_id: int) -> Response:
        """Revoke a token; it ends at once."""
        check_parameters(request, ())
        revoke_token(actor=actor_of(request), token_id=token_id)
        return Response(status=204)


class ProofBody(StrictSerializer):
    """The password again."""

    password = serializers.CharField(trim_whitespace=False, max_length=4096)


class ProofView(APIView):
    """Proof of identity."""

    @extend_schema(request=ProofBody, responses={200: ProofSerializer})
    def post(self, request: Request) -> Response:
        """Prove who one is: the credential counts as proven for 15 minutes."""
        check_parameters(request, ())
        body = ProofBody(data=request.data)
        body.is_valid(raise_exception=True)
        actor = actor_of(request)
        until = prove_identity(actor=actor, password=body.validated_data["password"])
        if actor.credential.startswith("login:"):
            request._request.session[SESSION_KEY] = until.isoformat()  # noqa: SLF001 (DRF's way to the session)
        return Response({"proven_until": until})


def shape_token(row: TokenRow) -> dict[str, Any]:
    """A token in a list. Times as text, because an answer to an Idempotency-Key is kept as JSON."""
    shaped = asdict(row)
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in shaped.items()}
