"""What the reads of items answer: frozen values, narrowed to what their reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from company.rules.actors import Author
from tracker.rules.vocabulary import STAGE_OF, Priority, Relation, Stage, Status, Type


@dataclass(frozen=True, kw_only=True)
class ItemRef:
    """An item as another one names it."""

    id: int
    key: str
    title: str
    status: Status

    @property
    def is_finished(self) -> bool:
        """Whether nothing is to be done about it any more."""
        return STAGE_OF[self.status] in (Stage.DONE, Stage.CLOSED)


@dataclass(frozen=True, kw_only=True)
class ItemFacts:
    """What an item and its row in a listing have in common.

    `children` counts the living items right under it and `finished` those of them that are done or closed; `is_blocked`
    says that an item which is still to be done blocks it; `url` is its screen (absolute where the company names its
    dashboard).
    """

    id: int
    key: str
    project: str
    title: str
    type: Type
    status: Status
    priority: Priority
    assignee: str
    labels: tuple[str, ...]
    watchers: tuple[str, ...]
    parent: ItemRef | None
    due: date | None
    version: int
    author: Author
    created_at: datetime
    saved_by: Author
    saved_at: datetime
    status_at: datetime
    updated_at: datetime
    trashed_at: datetime | None
    trashed_by: str
    children: int
    finished: int
    is_blocked: bool
    url: str


@dataclass(frozen=True, kw_only=True)
class ItemRow(ItemFacts):
    """An item in a listing."""


@dataclass(frozen=True, kw_only=True)
class Related:
    """The other end of a relation: an item, or a page the reader sees. `reads` is the relation from the item asked
    about; `outgoing` is false where a duplicate names that item."""

    reads: Relation
    words: str
    outgoing: bool = True
    item: ItemRef | None = None
    page_id: int | None = None
    page_title: str = ""


@dataclass(frozen=True, kw_only=True)
class ItemView(ItemFacts):
    """An item with its description, byte for byte as it was saved, and its relations from its own end."""

    description: str
    relations: tuple[Related, ...]


@dataclass(frozen=True, kw_only=True)
class WordsRow:
    """A revision of an item's words in its history. `message` is its writer's note, or empty."""

    version: int
    title: str
    message: str
    author: Author
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class WordsView(WordsRow):
    """A revision with the description the item had from that version on."""

    description: str
