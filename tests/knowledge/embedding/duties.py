"""What the tests of the duty share: Harbour with the server of the tests as its provider, and ticks of the duty."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from company.rules.chart import Company, ProviderSettings
from knowledge.embedding.duty import Ticked, embed_sources
from knowledge.models import SignCode
from tests.factories import install_company
from tests.knowledge.embedding.server import DIMENSIONS, EmbeddingServer, Misbehaviour, Reply, well_behaved

LATER = timedelta(hours=1, minutes=1)


def harbour_embedding_with(server: EmbeddingServer, **changes: Any) -> Company:
    """Harbour, its documents embedded by the server."""
    return install_company(vectors=True, embeddings=settings_of(server, **changes))


def settings_of(server: EmbeddingServer, **changes: Any) -> ProviderSettings:
    made: dict[str, Any] = {"model": "tests", "dimensions": DIMENSIONS, "base_url": server.base_url, **changes}
    return ProviderSettings(type="openai", **made)


def tick(*, after: timedelta = timedelta(0)) -> Ticked:
    """One tick of the duty, as if that much time had passed."""
    (ticked,) = embed_sources(now=timezone.now() + after)
    return ticked


def embedded() -> set[int]:
    """The documents that have a vector."""
    return set(SignCode.objects.values_list("object_id", flat=True))


def refusing(*words: str, status: int = 400) -> Misbehaviour:
    """A provider that refuses every request with one of these words in a text of it."""

    def behave(asked: dict[str, Any]) -> Reply:
        if any(word in text for word in words for text in asked["input"]):
            return Reply({"error": {"message": "too long for us", "code": "context_length_exceeded"}}, status=status)
        return well_behaved(asked)

    return behave


def sizes(server: EmbeddingServer) -> list[int]:
    """How many texts each request carried."""
    return [len(asked["input"]) for asked in server.requests]
