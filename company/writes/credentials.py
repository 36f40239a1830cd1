"""Writes to people and tokens."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from company.models.credentials import Token

USE_IS_NOTED_EVERY = timedelta(minutes=1)


def note_token_use(token: Token) -> None:
    """Keep when a token was last used, to the minute: a write a request would cost more than the answer."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= USE_IS_NOTED_EVERY:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
