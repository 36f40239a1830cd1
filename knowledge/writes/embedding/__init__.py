"""Writes of the embedding duty beside the vectors themselves: its memory, what it holds back, what it tells of itself.

`retrying` is the one that a person asks for.
"""

from __future__ import annotations

from knowledge.writes.embedding.holding import forget_held, hold_source, keep_held, release_sources
from knowledge.writes.embedding.memory import begin_tick, count_embedded, end_tick, forget_passes, open_state
from knowledge.writes.embedding.retrying import retry_held

__all__ = [
    "begin_tick",
    "count_embedded",
    "end_tick",
    "forget_held",
    "forget_passes",
    "hold_source",
    "keep_held",
    "open_state",
    "release_sources",
    "retry_held",
]
