"""Vectors: which ones may be kept, and the sign codes by which they are looked for. Pure.

A component that is not finite would score a perfect match in every search, and a vector of zeros would be found by
none, so neither is kept. Kept vectors have length one: cosine is then a product, and no component overflows the half
precision they are stored in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The widest vector that is kept: a row of it has to fit a page of the database (8 KB at half precision), since out of
#: line it would be read twice.
MOST_DIMENSIONS = 4_000

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Usable:
    """A vector of length one."""

    vector: Vector


@dataclass(frozen=True, slots=True)
class Unusable:
    """A vector that must not be kept, and why."""

    reason: str


def judged(components: Sequence[float] | NDArray[Any]) -> Usable | Unusable:
    """A provider's vector, scaled to length one, or why it cannot be kept."""
    wide = np.asarray(components, dtype=np.float64)
    if wide.ndim != 1 or wide.size == 0:
        return Unusable("it holds no components")
    broken = int(np.count_nonzero(~np.isfinite(wide)))
    if broken:
        return Unusable(f"{broken} of its {wide.size} components are not finite")
    largest = float(np.max(np.abs(wide)))
    if largest == 0.0:
        return Unusable("every component is zero")
    wide = wide / largest
    return Usable((wide / np.linalg.norm(wide)).astype(np.float32))


def sign_code(vector: NDArray[Any]) -> str:
    """One bit a dimension, as Postgres reads a bit string: set where the component is above zero."""
    bits: NDArray[np.uint8] = (np.asarray(vector) > 0).astype(np.uint8) + ord("0")
    return bits.tobytes().decode("ascii")


def hamming(first: str, second: str) -> int:
    """In how many bits two codes differ; raises ValueError for codes of different lengths."""
    return sum(one != other for one, other in zip(first, second, strict=True))
