"""The vectors of questions are kept, bounded in time, and never mixed between models."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from knowledge.embedding.providers.protocol import REQUEST_SECONDS, ProviderUnavailable
from knowledge.embedding.rules.packing import Limits
from knowledge.search.query_vectors import KEPT, QueryVectors


class Counting:
    """A provider that counts what it is asked, and does as it is told first."""

    dimensions = 2
    limits = Limits()
    is_metered = False

    def __init__(self, model: str = "m", *, first: Callable[[], object] = lambda: None) -> None:
        self.model = model
        self.configuration = model
        self.asked: list[str] = []
        self._first = first

    def embed(self, texts: Sequence[str], *, timeout: float = REQUEST_SECONDS) -> list[list[float]]:
        self.asked += texts
        self._first()
        return [[float(len(text)), 1.0] for text in texts]


@pytest.fixture
def vectors() -> Iterator[QueryVectors]:
    kept = QueryVectors(seconds=0.3)
    yield kept
    kept.close()


@pytest.mark.covers("SE-11")
def test_a_question_is_embedded_once(vectors: QueryVectors) -> None:
    provider = Counting()
    first = vectors.vector_of("when does  the ferry leave", provider=provider)
    second = vectors.vector_of("when does the ferry leave", provider=provider)
    assert first is not None
    assert second is first
    assert provider.asked == ["when does the ferry leave"]


@pytest.mark.covers("SE-11")
def test_the_last_1024_are_kept(vectors: QueryVectors) -> None:
    provider = Counting()
    for number in range(KEPT + 1):
        vectors.vector_of(f"q{number}", provider=provider)
    assert len(vectors) == 1_024
    vectors.vector_of("q1", provider=provider)
    assert len(provider.asked) == KEPT + 1
    vectors.vector_of("q0", provider=provider)
    assert len(provider.asked) == KEPT + 2


@pytest.mark.covers("SE-11")
def test_another_model_empties_it(vectors: QueryVectors) -> None:
    vectors.vector_of("ferry", provider=Counting("one"))
    other = Counting("two")
    vectors.vector_of("ferry", provider=other)
    assert other.asked == ["ferry"]
    assert len(vectors) == 1


@pytest.mark.covers("SE-11", "SE-07")
def test_a_provider_that_does_not_answer_in_time_has_no_vector(vectors: QueryVectors) -> None:
    release = threading.Event()
    slow = Counting(first=lambda: release.wait(5))
    began = time.monotonic()
    assert vectors.vector_of("ferry", provider=slow) is None
    assert time.monotonic() - began < 2
    release.set()


@pytest.mark.covers("SE-07")
def test_a_provider_that_fails_has_no_vector_and_is_asked_again(vectors: QueryVectors) -> None:
    def fail() -> None:
        raise ProviderUnavailable("429")

    provider = Counting(first=fail)
    assert vectors.vector_of("ferry", provider=provider) is None
    assert vectors.vector_of("ferry", provider=provider) is None
    assert len(provider.asked) == 2


@pytest.mark.covers("SE-11")
def test_one_question_asked_at_once_by_many_is_embedded_once(vectors: QueryVectors) -> None:
    gate = threading.Event()
    provider = Counting(first=lambda: gate.wait(0.2))
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(vectors.vector_of("ferry", provider=provider))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(vector is not None for vector in found)
    assert provider.asked == ["ferry"]
