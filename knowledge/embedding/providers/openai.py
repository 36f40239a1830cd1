"""Embeddings from a service that speaks OpenAI's embeddings API: theirs, a gateway, or a server of one's own.

Nothing the service says is believed before it maps onto what was sent; nothing of the key is ever repeated.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx

from company.rules.refusals import Code, Refused
from knowledge.embedding.providers.protocol import (
    REQUEST_SECONDS,
    InputNotAccepted,
    ProviderSettings,
    ProviderUnavailable,
    configuration_of,
)
from knowledge.embedding.rules.answers import AnswerRefused, vectors_in_order
from knowledge.embedding.rules.packing import REQUEST_SOURCES, Limits
from knowledge.embedding.rules.vectors import MOST_DIMENSIONS
from knowledge.embedding.rules.window import WINDOW_BYTES

DEFAULT_BASE_URL = "https://api.openai.com/v1"

#: The statuses that speak of the request's content.
_INPUT_REFUSED = frozenset({400, 413, 422})

#: The longest answer that is read: 128 vectors of 4 096 dimensions as text, twice over.
_LONGEST_ANSWER = 32 * 1024 * 1024

#: How much of an error message is repeated in the log.
_LONGEST_MESSAGE = 500


@dataclass(frozen=True, slots=True)
class _Known:
    """What is published about a model: its width, and tokens an input and a request."""

    dimensions: int
    input_tokens: int = 8_192
    request_tokens: int | None = 300_000
    inputs: int = 2_048


_MODELS = {
    "text-embedding-3-large": _Known(3_072),
    "text-embedding-3-small": _Known(1_536),
    "text-embedding-ada-002": _Known(1_536),
}


class OpenAIProvider:
    """A service behind an address. Raises `config_invalid` where the settings do not say the model, or its width."""

    is_metered = True

    def __init__(self, settings: ProviderSettings, *, transport: httpx.BaseTransport | None = None) -> None:
        if not settings.model:
            raise Refused(
                Code.CONFIG_INVALID,
                "An embeddings provider of type openai needs a 'model'.",
                attr="providers.embeddings.model",
            )
        known = _MODELS.get(settings.model)
        dimensions = settings.dimensions or (known.dimensions if known else None)
        if dimensions is None:
            raise Refused(
                Code.CONFIG_INVALID,
                f"The width of '{settings.model}' is not known here. Say it in 'dimensions'.",
                attr="providers.embeddings.dimensions",
            )
        if dimensions > MOST_DIMENSIONS:
            raise Refused(
                Code.CONFIG_INVALID,
                f"Vectors of {dimensions} dimensions are too wide to keep. Ask for at most {MOST_DIMENSIONS}.",
                attr="providers.embeddings.dimensions",
            )
        self.model = settings.model
        self.dimensions = dimensions
        self.limits = Limits(
            input_tokens=settings.max_input_tokens or (known.input_tokens if known else WINDOW_BYTES),
            request_tokens=settings.max_batch_tokens or (known.request_tokens if known else None),
            inputs=settings.max_batch_inputs or (known.inputs if known else REQUEST_SOURCES),
        )
        base_url = (settings.base_url or DEFAULT_BASE_URL).rstrip("/")
        self.configuration = configuration_of(
            model=self.model,
            dimensions=dimensions,
            asked_dimensions=settings.dimensions,
            limits=[self.limits.input_tokens, self.limits.request_tokens, self.limits.inputs],
            endpoint=base_url,
        )
        self._asked_dimensions = settings.dimensions
        self._key = settings.api_key or ""
        self._url = f"{base_url}/embeddings"
        self._client = httpx.Client(transport=transport, follow_redirects=False)

    def embed(self, texts: Sequence[str], *, timeout: float = REQUEST_SECONDS) -> list[list[float]]:
        """One vector a text, in order; the whole exchange takes at most `timeout` seconds, and a read beyond it."""
        if not texts:
            return []
        asked: dict[str, object] = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        if self._asked_dimensions is not None:
            asked["dimensions"] = self._asked_dimensions
        answer, content = self._exchange(asked, timeout=timeout)
        status = answer.status_code
        if status in _INPUT_REFUSED:
            raise InputNotAccepted(f"{status}: {self._message(content)}")
        if status != httpx.codes.OK:
            raise ProviderUnavailable(f"{status}: {self._message(content)}", retry_after=_retry_after(answer))
        try:
            return vectors_in_order(json.loads(content), inputs=len(texts), dimensions=self.dimensions)
        except (ValueError, RecursionError) as error:
            raise ProviderUnavailable(f"the answer is no JSON: {self._redacted(str(error))}") from error
        except AnswerRefused as error:
            raise ProviderUnavailable(f"the answer was refused: {self._redacted(str(error))}") from error

    def _exchange(self, asked: Mapping[str, object], *, timeout: float) -> tuple[httpx.Response, bytes]:
        """The answer and its content, within the time allowed over all its parts."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        until = time.monotonic() + timeout
        content = bytearray()
        try:
            with self._client.stream("POST", self._url, json=asked, headers=headers, timeout=timeout) as answer:
                for part in answer.iter_bytes():
                    content += part
                    if time.monotonic() > until:
                        raise ProviderUnavailable(f"no whole answer within {timeout:g} seconds")
                    if len(content) > _LONGEST_ANSWER:
                        raise ProviderUnavailable(f"the answer is longer than {_LONGEST_ANSWER} bytes")
                return answer, bytes(content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ProviderUnavailable(self._redacted(f"{type(error).__name__}: {error}")) from error

    def _message(self, content: bytes) -> str:
        """What the service says is wrong, with its codes."""
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            return self._redacted(content.decode("utf-8", "replace"))
        error = answer.get("error", answer) if isinstance(answer, dict) else answer
        if not isinstance(error, dict):
            return self._redacted(str(error))
        codes = [f"{name} {error[name]}" for name in ("code", "type", "param") if error.get(name)]
        said = error.get("message") or error.get("detail") or "no message"
        return self._redacted(f"{said} ({', '.join(codes)})" if codes else str(said))

    def _redacted(self, text: str) -> str:
        """On one line, without the key, and not endlessly long."""
        plain = " ".join(text.split())
        if self._key:
            plain = plain.replace(self._key, "***")
        return plain if len(plain) <= _LONGEST_MESSAGE else plain[: _LONGEST_MESSAGE - 1] + "…"


def _retry_after(answer: httpx.Response) -> float | None:
    """How many seconds the service asks to be left alone for; a date is not read, since clocks disagree."""
    said = answer.headers.get("Retry-After", "")
    return float(said) if said.isascii() and said.isdigit() and len(said) < 7 else None
