"""Packing: how many texts one request may carry. Pure.

A model bounds its input and its request in tokens. Bytes are counted instead, which no tokenizer exceeds, so every
request formed here is one the model accepts for its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.embedding.rules.window import WINDOW_BYTES

#: The most texts a request carries, whatever the model admits.
REQUEST_SOURCES = 128


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a model takes: tokens an input, tokens a request (None: no bound of its own), inputs a request."""

    input_tokens: int = WINDOW_BYTES
    request_tokens: int | None = None
    inputs: int = REQUEST_SOURCES

    @property
    def input_bytes(self) -> int:
        """The most bytes of one text: an input must fit its window, the model, and a request of its own."""
        return max(1, min(WINDOW_BYTES, self.input_tokens, self.request_tokens or WINDOW_BYTES))

    @property
    def request_inputs(self) -> int:
        """The most texts of one request."""
        return max(1, min(REQUEST_SOURCES, self.inputs))


def how_many(sizes: Sequence[int], limits: Limits) -> int:
    """How many of the first texts, given by their sizes in bytes, one request carries; at least one of any at all."""
    total = 0
    for number, size in enumerate(sizes[: limits.request_inputs]):
        total += size
        if number > 0 and limits.request_tokens is not None and total > limits.request_tokens:
            return number
    return min(len(sizes), limits.request_inputs)
