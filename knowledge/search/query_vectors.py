"""The vectors of questions: the last 1 024 of this process, emptied when the model changes, two seconds each.

A question is embedded once while it waits in other requests too, and a provider that does not answer in time fails
that search's semantic half and nothing else.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime

import structlog

from knowledge.embedding.providers.protocol import (
    QUERY_SECONDS,
    EmbeddingProvider,
    InputNotAccepted,
    ProviderUnavailable,
)
from knowledge.embedding.rules.vectors import Unusable, Vector, judged
from knowledge.embedding.rules.window import opening

#: How many questions' vectors a process keeps.
KEPT = 1_024

log = structlog.get_logger(__name__)


class QueryVectors:
    """Embeds questions through the provider that is current, and keeps their vectors. Safe from several threads."""

    def __init__(self, *, seconds: float = QUERY_SECONDS, threads: int = 4) -> None:
        self._seconds = seconds
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="query-vector")
        self._lock = threading.Lock()
        self._configuration = ""
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._asked: dict[tuple[str, str], Future[Vector]] = {}

    def vector_of(self, question: str, *, provider: EmbeddingProvider) -> Vector | None:
        """The question's vector, None when the provider has none in time; why stands in the log."""
        text = opening(title="", body=question, bound=provider.limits.input_bytes)
        with self._lock:
            if self._configuration != provider.configuration:
                self._kept.clear()
                self._configuration = provider.configuration
            kept = self._kept.get(text)
            if kept is not None:
                self._kept.move_to_end(text)
                return kept
            name = (provider.configuration, text)
            asked = self._asked.get(name)
            is_ours = asked is None
            if asked is None:
                asked = self._asked[name] = self._pool.submit(self._embed, text, provider)
        if is_ours:
            # Outside of the lock, which the callback takes: of a future that is done it is called here and now.
            asked.add_done_callback(self._forgetting(name))
        try:
            return asked.result(timeout=self._seconds)
        except OutOfTime:
            log.warning("query_embedding_late", model=provider.model, seconds=self._seconds)
        except (InputNotAccepted, ProviderUnavailable) as error:
            log.warning("query_embedding_failed", model=provider.model, error=str(error))
        return None

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)

    def close(self) -> None:
        """Stop; questions under way are not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _embed(self, text: str, provider: EmbeddingProvider) -> Vector:
        verdict = judged(provider.embed([text], timeout=self._seconds)[0])
        if isinstance(verdict, Unusable):
            raise ProviderUnavailable(f"the vector of the question cannot be used: {verdict.reason}")
        with self._lock:
            if self._configuration == provider.configuration:
                self._kept[text] = verdict.vector
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return verdict.vector

    def _forgetting(self, name: tuple[str, str]) -> Callable[[Future[Vector]], None]:
        def forget(_: Future[Vector]) -> None:
            with self._lock:
                self._asked.pop(name, None)

        return forget
