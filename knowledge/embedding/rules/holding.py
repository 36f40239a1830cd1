"""Holding back: what becomes of a source that the provider refused. Pure.

A refused source costs no request for an hour, then is offered again alone, at most two of a corpus a tick, the longest
refused first. A rewritten source is a new text and is not held; a change of the provider's configuration, which may be
the cure, forgets every refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType

HELD_FOR = timedelta(hours=1)

#: How many held sources of a corpus one tick offers again.
OFFERED_A_TICK = 2


@dataclass(frozen=True, slots=True)
class Held:
    """One source held back: which text was refused, and when last."""

    digest: str
    refused_at: datetime


@dataclass(frozen=True)
class Holding:
    """The sources of one corpus that are held back, under one configuration of the provider. Changes answer a new one.

    `configuration` is whatever tells one configuration from another (model, width, limits, endpoint; not its key).
    """

    configuration: str = ""
    _held: Mapping[str, Held] = field(default_factory=lambda: MappingProxyType({}))

    def under(self, configuration: str) -> Holding:
        """The same while the configuration is; with another, nothing is held."""
        return self if configuration == self.configuration else Holding(configuration)

    def held(self, key: str, *, digest: str, at: datetime) -> Holding:
        """With a source held back from now on."""
        return replace(self, _held=MappingProxyType({**self._held, key: Held(digest, at)}))

    def released(self, key: str) -> Holding:
        """With a source no longer held: it was accepted, rewritten or removed."""
        if key not in self._held:
            return self
        return replace(self, _held=MappingProxyType({name: one for name, one in self._held.items() if name != key}))

    def holds(self, key: str, *, digest: str) -> bool:
        """Whether this very text of a source is held back."""
        one = self._held.get(key)
        return one is not None and one.digest == digest

    def keys(self) -> frozenset[str]:
        """Every source that is held back, whose text has to be compared before it is passed over."""
        return frozenset(self._held)

    def due(self, now: datetime) -> tuple[str, ...]:
        """The sources to offer again in this tick, the longest refused first."""
        over = [(one.refused_at, key) for key, one in self._held.items() if now - one.refused_at >= HELD_FOR]
        return tuple(key for _, key in sorted(over)[:OFFERED_A_TICK])

    def __len__(self) -> int:
        return len(self._held)
