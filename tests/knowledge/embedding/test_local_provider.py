"""The models that ship in packages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from company.rules.refusals import Code, Refused
from knowledge.embedding.providers import provider_of
from knowledge.embedding.providers.local import MINILM_TOKENIZER, STATIC_WEIGHTS, MiniLM, Static
from knowledge.embedding.providers.protocol import EmbeddingProvider, ProviderSettings, ProviderUnavailable
from knowledge.embedding.rules.vectors import Unusable, Usable, judged

TEXTS = ["The ferry is late.", "The boat is delayed.", "Bananas grow in warm countries."]


@pytest.fixture(scope="module", params=["minilm", "static"])
def provider(request: pytest.FixtureRequest) -> EmbeddingProvider:
    return provider_of(ProviderSettings(model=request.param))


@pytest.mark.covers("EM-01")
def test_texts_of_one_meaning_are_nearer_than_others(provider: EmbeddingProvider) -> None:
    late, delayed, bananas = np.asarray(provider.embed(TEXTS))
    assert late @ delayed > late @ bananas + 0.1
    assert late.shape == (provider.dimensions,)
    assert np.linalg.norm(late) == pytest.approx(1.0)


@pytest.mark.covers("EM-01")
def test_a_text_has_the_same_vector_alone_and_among_others(provider: EmbeddingProvider) -> None:
    together = np.asarray(provider.embed([*TEXTS, "long " * 400]))
    for text, vector in zip(TEXTS, together, strict=False):
        assert np.asarray(provider.embed([text]))[0] @ vector == pytest.approx(1.0, abs=1e-3)


@pytest.mark.covers("EM-01", "EM-07")
@pytest.mark.parametrize("text", ["", " ", "数据库", "\U0001f6a2", "x" * 8_192, "\x01"])
def test_any_text_has_a_vector_or_one_that_is_not_kept(provider: EmbeddingProvider, text: str) -> None:
    assert isinstance(judged(provider.embed([text])[0]), Usable | Unusable)


@pytest.mark.covers("EM-01")
def test_minilm_is_the_default_and_no_text_has_no_vector() -> None:
    default = provider_of(ProviderSettings())
    assert isinstance(default, MiniLM)
    assert len(default.embed([])) == 0


@pytest.mark.covers("EM-01")
@pytest.mark.parametrize("declared", [ProviderSettings(model="bert"), ProviderSettings(dimensions=128)])
def test_another_model_or_width_is_refused(declared: ProviderSettings) -> None:
    with pytest.raises(Refused) as refusal:
        provider_of(declared)
    assert refusal.value.code is Code.CONFIG_INVALID


@pytest.mark.covers("EM-01")
def test_a_file_that_is_another_or_missing_is_never_used() -> None:
    with pytest.raises(ProviderUnavailable, match="not the file"):
        replace(STATIC_WEIGHTS, sha256="0" * 64).located()
    with pytest.raises(ProviderUnavailable, match="not installed"):
        replace(MINILM_TOKENIZER, package="no_such_package").located()


@pytest.mark.covers("EM-06")
def test_two_models_are_two_configurations() -> None:
    assert MiniLM.configuration != Static.configuration
