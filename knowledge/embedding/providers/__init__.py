"""Who computes vectors. `protocol` says what a provider is; `local` computes on this machine, `openai` asks a service.

`provider_of` chooses by the company document's `providers.embeddings`. Models are loaded when they are first asked.
"""

from __future__ import annotations

from knowledge.embedding.providers.protocol import EmbeddingProvider, ProviderSettings


def provider_of(settings: ProviderSettings) -> EmbeddingProvider:
    """The provider that the settings describe; raises `Refused` (`config_invalid`) for a model it cannot serve."""
    if settings.type == "openai":
        from knowledge.embedding.providers.openai import OpenAIProvider  # only where it is used: it loads httpx

        return OpenAIProvider(settings)
    from knowledge.embedding.providers.local import local_provider  # only where it is used: it loads numpy

    return local_provider(settings)
