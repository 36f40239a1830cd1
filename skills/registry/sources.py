"""Where skills are read from: the seam between the registry's sync and a knowledge backend.

A source answers whole pages of one container, published or not, and one page by id wherever it is now. It raises
whatever its backend raises; the sync decides what a failure means.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from company.rules.chart import Backend, Company
from skills.registry.held import PageText, SourceId, source_of


class SkillSource(Protocol):
    """Reads pages for the registry."""

    def pages(self) -> Iterable[PageText]:
        """Every page of the container, complete, or an exception."""
        ...

    def page(self, page_id: int) -> PageText | None:
        """One page wherever it is now, or None where there is no such page any more."""
        ...


@dataclass(frozen=True, kw_only=True)
class Off:
    """The company keeps no skills."""


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """The company keeps them where this process cannot read."""

    id: SourceId
    reason: str


@dataclass(frozen=True, kw_only=True)
class Readable:
    """A source that can be asked."""

    id: SourceId
    source: SkillSource


Resolution = Off | Unreadable | Readable


@dataclass(frozen=True, kw_only=True)
class NativeSource:
    """The product's own pages."""

    container: str

    def pages(self) -> Iterable[PageText]:
        """One query, streamed."""
        from knowledge.reads.sources import pages_of  # late: settings must be in place before models are

        return pages_of(self.container)

    def page(self, page_id: int) -> PageText | None:
        """One query."""
        from knowledge.reads.sources import source_page

        return source_page(page_id)


def resolve(company: Company) -> Resolution:
    """The source a company names."""
    found = source_of(company)
    if found is None:
        return Off()
    if found.backend is Backend.NATIVE:
        return Readable(id=found, source=NativeSource(container=found.container))
    return Unreadable(
        id=found,
        reason=f"this process has no reader for pages kept in {found.backend.value}",
    )
