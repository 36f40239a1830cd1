"""How long and how often to measure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Options:
    """`seconds` is one run over HTTP; `runs` are made, and the median of each figure is told.

    `agents` is how many of 'agents' work at once. `data` are the retrieval sets of 'search', `pages` how many documents
    its speed is measured on (none: it is not), `model` the local model of its semantic half (none: words alone).
    """

    runs: int = 5
    seconds: float = 5
    warm_up: float = 2
    concurrencies: tuple[int, ...] = (1, 8)
    skills: int = 1_000
    agents: int = 200
    data: tuple[Path, ...] = ()
    pages: int = 0
    model: str = ""
