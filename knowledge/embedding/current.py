"""The embeddings provider of the company in force, one object a process for each configuration.

An apply is followed by the next question and the next tick: both ask here, and get another provider once the document
says another one. A model stays loaded for as long as its configuration is asked for.
"""

from __future__ import annotations

import threading
from functools import lru_cache

from company.rules.chart import Backend, Company, ProviderSettings
from knowledge.embedding.providers import provider_of
from knowledge.embedding.providers.protocol import EmbeddingProvider

_lock = threading.Lock()


def provider_for(company: Company) -> EmbeddingProvider | None:
    """Who embeds the company's documents and questions; None where it has no search by meaning.

    Raises `Refused` (`config_invalid`) for settings that no provider can serve; an apply refuses those before.
    """
    if company.backend is not Backend.NATIVE or not company.vectors or company.embeddings is None:
        return None
    with _lock:  # two threads at once would load a model twice
        return _made(company.embeddings)


@lru_cache(maxsize=1)
def _made(settings: ProviderSettings) -> EmbeddingProvider:
    return provider_of(settings)
