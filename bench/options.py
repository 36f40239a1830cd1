"""How long and how often to measure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Options:
    """`seconds` is one run over HTTP; `runs` are made, and the median of each figure is told."""

    runs: int = 5
    seconds: float = 5
    warm_up: float = 2
    concurrencies: tuple[int, ...] = (1, 8)
    skills: int = 1_000
