"""What a provider of embeddings is, and the two ways in which it may not answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from knowledge.embedding.rules.packing import Limits

#: How long one request may take, a single text, and the question of a search.
REQUEST_SECONDS = 60.0
SINGLE_SECONDS = 15.0
QUERY_SECONDS = 2.0

Vectors = NDArray[np.float64] | Sequence[Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class ProviderSettings:
    """The company document's `providers.embeddings`, its references resolved. The key never shows in a repr."""

    type: Literal["local", "openai"] = "local"
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    max_input_tokens: int | None = None
    max_batch_tokens: int | None = None
    max_batch_inputs: int | None = None


class InputNotAccepted(Exception):
    """The provider refused the request for what is in it (400, 413, 422). Says so in the provider's own words."""


class ProviderUnavailable(Exception):
    """Anything else: a rate limit, a timeout, a server down, a key refused, an answer that cannot be trusted."""


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
    def configuration(self) -> str:
        """What tells this configuration from another: model, width, limits, endpoint. Not the key."""

    def embed(self, texts: Sequence[str], *, timeout: float = REQUEST_SECONDS) -> Vectors:
        """One vector a text, in order, as the provider made them: whether each can be kept is for the caller to judge.

        Raises `InputNotAccepted` or `ProviderUnavailable`; answers no text with no vector.
        """


def configuration_of(**parts: Any) -> str:
    """A fingerprint of the parts of a configuration."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
