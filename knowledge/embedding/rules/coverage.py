"""Coverage: the share of documents that can be found by meaning as they stand, and when it is alarming. Pure."""

from __future__ import annotations

from dataclasses import dataclass

#: Below this share the alarm goes (requirement EM-09): a backlog that does not shrink has no other symptom.
FLOOR = 0.95


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of `sources` documents, `current` have a vector of what they say now; summed over corpora, never averaged."""

    sources: int
    current: int

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(self.sources + other.sources, self.current + other.current)

    @property
    def share(self) -> float:
        """From 0 to 1; a company without documents is covered."""
        return self.current / self.sources if self.sources else 1.0

    @property
    def percent(self) -> str:
        """The share in per cent, rounded down so that 100 means all of it."""
        tenths = self.current * 1_000 // self.sources if self.sources else 1_000
        return f"{tenths / 10:g}"

    @property
    def is_alarming(self) -> bool:
        """Whether too much of what is written down cannot be found by meaning."""
        return self.share < FLOOR
