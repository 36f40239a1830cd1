"""What the reads of pages answer: frozen values, narrowed to what their reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from company.rules.actors import Author
from knowledge.models import PageStatus


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
    """A page with its body, byte for byte as it was saved."""

    body: str


@dataclass(frozen=True, kw_only=True)
class MovedTo:
    """An address a page has left: the page, and where it stands now."""

    page_id: int
    container: str
    title: str


@dataclass(frozen=True, kw_only=True)
class RevisionRow:
    """A revision in the history of a page, without its body. `message` is its writer's note, or empty."""

    version: int
    title: str
    message: str
    author: Author
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class RevisionView(RevisionRow):
    """A revision with the body the page had at that version."""

    body: str


@dataclass(frozen=True, kw_only=True)
class Branch:
    """The way from the top of a container down to a page, itself last: what an outline opens for a deep link."""

    container: str
    ids: tuple[int, ...]
