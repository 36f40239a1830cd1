"""Paths into a document as a person reads them: items of one list are told once, with their number. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_INDEX = re.compile(r"(?<=\.)\d+(?=\.|$)")


def fold_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """`units.0.goal` and `units.3.goal` as one `units.*.goal (2 times)`, in the order they first come."""
    folded = Counter(_INDEX.sub("*", path) for path in paths)
    return tuple(path + (f" ({times} times)" if times > 1 else "") for path, times in folded.items())
