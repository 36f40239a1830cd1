"""What a provider of embeddings is, and the two ways in which it may not answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from company.rules.chart import ProviderSettings
from knowledge.embedding.rules.packing import Limits

__all__ = [
    "QUERY_SECONDS",
    "REQUEST_SECONDS",
    "SINGLE_SECONDS",
    "EmbeddingProvider",
    "InputNotAccepted",
    "ProviderSettings",
    "ProviderUnavailable",
    "Vectors",
    "configuration_of",
]

#: How long one request may take, a single text, and the question of a search.
REQUEST_SECONDS = 60.0
SINGLE_SECONDS = 15.0
QUERY_SECONDS = 2.0

Vectors = NDArray[np.float64] | Sequence[Sequence[float]]


class InputNotAccepted(Exception):
    """The provider refused the request for what is in it (400, 413, 422). Says so in the provider's own words."""


class ProviderUnavailable(Exception):
    """Anything else: a rate limit, a timeout, a server down, a key refused, an answer that cannot be trusted.

    `retry_after` is how many seconds the provider asked to be left alone for, None where it did not.
    """

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class EmbeddingProvider(Protocol):
    """Turns texts into vectors. Safe to ask from several threads."""

    @property
    def model(self) -> str:
        """The model's name; with the width, it names the space its vectors live in."""

    @property
    def dimensions(self) -> int:
        """How many components a vector has."""

    @property
    def limits(self) -> Limits:
        """What one request may carry."""

    @property
    def is_metered(self) -> bool:
        """Whether asking costs somebody money or a share of a limit, so that a tick a minute is enough."""

    @property
    def configuration(self) -> str:
        """What tells this configuration from another: model, width, limits, endpoint. Not the key."""

    def embed(self, texts: Sequence[str], *, timeout: float = REQUEST_SECONDS) -> Vectors:
        """One vector a text, in order, as the provider made them: whether each can be kept is for the caller to judge.

        Raises `InputNotAccepted` or `ProviderUnavailable`; answers no text with no vector.
        """


def configuration_of(**parts: Any) -> str:
    """A fingerprint of the parts of a configuration."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
