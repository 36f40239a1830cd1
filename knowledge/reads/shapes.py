"""What the reads of pages answer: frozen values, narrowed to what their reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from company.rules.actors import Author
from knowledge.models import PageStatus, RevisionState


@dataclass(frozen=True, kw_only=True)
class Ancestor:
    """A page above another one, for a trail of links."""

    id: int
    title: str


@dataclass(frozen=True, kw_only=True)
class PageFacts:
    """What a page and its row in a listing have in common.

    `address` is `CONTAINER/folded title`, `ancestors` run from the top down, `children` is how many pages the same
    listing would show under this one, `url` is the page's screen (absolute where the company names its dashboard).
    """

    id: int
    container: str
    title: str
    address: str
    parent_id: int | None
    ancestors: tuple[Ancestor, ...]
    status: PageStatus
    labels: tuple[str, ...]
    watchers: tuple[str, ...]
    version: int
    is_folder: bool
    author: Author
    created_at: datetime
    saved_by: Author
    saved_at: datetime
    updated_at: datetime
    trashed_at: datetime | None
    children: int
    url: str


@dataclass(frozen=True, kw_only=True)
class PageRow(PageFacts):
    """A page in a listing: an excerpt stands for the body."""

    excerpt: str


@dataclass(frozen=True, kw_only=True)
class PageView(PageFacts):
    """A page with its body, byte for byte as it was saved.

    `pending_version` is the version that waits for review, for those who may save the page; where it is the `version`
    too, the page is shown as that version has it.
    """

    body: str
    pending_version: int | None = None

    @property
    def waits(self) -> bool:
        """Whether what is shown is a text that waits for review."""
        return self.pending_version == self.version


@dataclass(frozen=True, kw_only=True)
class MovedTo:
    """An address a page has left: the page, and where it stands now."""

    page_id: int
    container: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Who let a version through or sent it back, when, and with what word."""

    by: Author
    at: datetime
    word: str


@dataclass(frozen=True, kw_only=True)
class RevisionRow:
    """A revision in the history of a page, without its body. `message` is its writer's note, or empty.

    One that is not `published` waits for review, or waited and never became what the page says.
    """

    version: int
    title: str
    message: str
    author: Author
    created_at: datetime
    state: RevisionState = RevisionState.PUBLISHED
    decision: Decision | None = None

    @property
    def published_at(self) -> datetime:
        """Since when it was what the page said, for a published one."""
        return self.decision.at if self.decision is not None else self.created_at

    @property
    def withdrawn(self) -> bool:
        """Whether its writer took it back, and nobody sent it back."""
        return self.decision is not None and self.decision.by == self.author


@dataclass(frozen=True, kw_only=True)
class RevisionView(RevisionRow):
    """A revision with the body the page had at that version."""

    body: str


@dataclass(frozen=True, kw_only=True)
class Branch:
    """The way from the top of a container down to a page, itself last: what an outline opens for a deep link."""

    container: str
    ids: tuple[int, ...]
