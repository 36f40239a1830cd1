"""The provider over HTTP, against a server that misbehaves."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from company.rules.refusals import Code, Refused
from knowledge.embedding.providers import provider_of
from knowledge.embedding.providers.openai import OpenAIProvider
from knowledge.embedding.providers.protocol import InputNotAccepted, ProviderSettings, ProviderUnavailable
from tests.knowledge.embedding.server import DIMENSIONS, EmbeddingServer, Reply, result, vector_of

TEXTS = ["a", "bb", "ccc"]
KEY = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


def provider(server: EmbeddingServer, **settings: Any) -> OpenAIProvider:
    return OpenAIProvider(
        ProviderSettings(
            type="openai",
            model="some-model",
            base_url=server.base_url + "/",
            api_key=KEY,
            dimensions=DIMENSIONS,
            **settings,
        )
    )


@pytest.mark.covers("EM-01")
def test_texts_come_back_as_vectors_in_one_request(server: EmbeddingServer) -> None:
    assert provider(server).embed(TEXTS) == [vector_of(text) for text in TEXTS]
    assert server.requests == [
        {"model": "some-model", "input": TEXTS, "encoding_format": "float", "dimensions": DIMENSIONS}
    ]
    assert server.authorizations == [f"Bearer {KEY}"]


@pytest.mark.covers("EM-01")
def test_no_text_asks_nothing(server: EmbeddingServer) -> None:
    assert provider(server).embed([]) == []
    assert server.requests == []


@pytest.mark.covers("EM-08")
def test_results_in_another_order_are_filed_by_their_index(server: EmbeddingServer) -> None:
    server.behave = lambda asked: Reply({"data": [result(n, asked["input"][n]) for n in (2, 0, 1)]})
    assert provider(server).embed(TEXTS) == [vector_of(text) for text in TEXTS]


@pytest.mark.covers("EM-08")
@pytest.mark.parametrize("indices", [[0, 0, 1], [0, 1, 3], [0, 1, None], [None, None, None], [0, 1, "absent"]])
def test_an_answer_with_wrong_indices_is_refused_whole(server: EmbeddingServer, indices: list[Any]) -> None:
    data = [{"embedding": vector_of("x"), **({} if index == "absent" else {"index": index})} for index in indices]
    server.behave = lambda asked: Reply({"data": data})
    with pytest.raises(ProviderUnavailable, match="the answer was refused"):
        provider(server).embed(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.covers("EM-06")
@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refusal_of_the_input_carries_the_services_own_words(server: EmbeddingServer, status: int) -> None:
    said = {"error": {"message": f"too long for {KEY}", "type": "invalid_request", "code": "context_length_exceeded"}}
    server.behave = lambda asked: Reply(said, status=status)
    with pytest.raises(InputNotAccepted) as refusal:
        provider(server).embed(TEXTS)
    assert "too long for ***" in str(refusal.value)
    assert "code context_length_exceeded" in str(refusal.value)
    assert KEY not in str(refusal.value)


@pytest.mark.covers("EM-07")
@pytest.mark.parametrize(
    "reply",
    [
        Reply({"error": {"message": "slow down"}}, status=429),
        Reply({"error": "bad key sk-very-secret"}, status=401),
        Reply(b"<html>Bad gateway</html>", status=502),
        Reply(b"not json"),
        Reply(b"[" * 100_000),
        Reply({"data": None}),
        Reply({}, status=302),
        Reply({"data": []}, is_cut_off=True),
    ],
)
def test_any_other_failure_is_about_the_provider_and_tells_no_key(server: EmbeddingServer, reply: Reply) -> None:
    server.behave = lambda asked: reply
    with pytest.raises(ProviderUnavailable) as failure:
        provider(server).embed(TEXTS)
    assert KEY not in str(failure.value)
    assert len(server.requests) == 1


@pytest.mark.covers("EM-07")
def test_a_server_that_drips_is_cut_off_in_time(server: EmbeddingServer) -> None:
    server.behave = lambda asked: Reply({"data": [result(0, "a")] * 40}, seconds_a_byte=0.02)
    began = time.monotonic()
    with pytest.raises(ProviderUnavailable, match=r"0\.2 seconds|Timeout"):
        provider(server).embed(["a"], timeout=0.2)
    assert time.monotonic() - began < 2


@pytest.mark.covers("EM-07")
def test_a_server_that_is_not_there_is_unavailable() -> None:
    with EmbeddingServer() as gone:
        asked = provider(gone)
    with pytest.raises(ProviderUnavailable, match="Connect"):
        asked.embed(TEXTS)


@pytest.mark.covers("EM-07")
def test_numbers_that_are_none_come_through_for_the_judgement_of_each_vector(server: EmbeddingServer) -> None:
    server.behave = lambda asked: Reply(b'{"data": [{"index": 0, "embedding": [NaN, 1, 2, 3]}]}')
    assert len(provider(server).embed(["a"])) == 1


@pytest.mark.covers("EM-02")
def test_the_limits_are_the_models_own_unless_the_document_says_otherwise(server: EmbeddingServer) -> None:
    large = OpenAIProvider(ProviderSettings(type="openai", model="text-embedding-3-large"))
    assert (large.dimensions, large.limits.request_tokens, large.limits.input_bytes) == (3_072, 300_000, 8_192)
    own = provider(server, max_input_tokens=512, max_batch_tokens=2_000, max_batch_inputs=16)
    assert (own.limits.input_bytes, own.limits.request_tokens, own.limits.request_inputs) == (512, 2_000, 16)


@pytest.mark.covers("EM-06")
def test_a_configuration_changes_with_limits_and_endpoint_and_not_with_the_key(server: EmbeddingServer) -> None:
    def configuration(**settings: Any) -> str:
        base = {"type": "openai", "model": "text-embedding-3-small", "base_url": "https://a.example/v1", "api_key": "x"}
        return provider_of(ProviderSettings(**{**base, **settings})).configuration

    assert configuration() == configuration(api_key="another")
    assert len({configuration(), configuration(max_input_tokens=9), configuration(base_url="https://b.example")}) == 3


@pytest.mark.covers("EM-01")
@pytest.mark.parametrize("declared", [{}, {"model": "unknown"}])
def test_a_model_that_is_not_said_or_not_known_is_refused(declared: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refusal:
        provider_of(ProviderSettings(type="openai", **declared))
    assert refusal.value.code is Code.CONFIG_INVALID


@pytest.mark.covers("EM-01")
def test_a_key_never_shows_in_the_settings() -> None:
    assert KEY not in repr(ProviderSettings(type="openai", api_key=KEY))
