"""Tables of the knowledge app."""

from knowledge.models.attachments import Attachment
from knowledge.models.containers import Container
from knowledge.models.links import PageItemLink, PageLink
from knowledge.models.pages import FormerAddress, Page, PageStatus, PurgedPage, Revision
from knowledge.models.readings import PageReading
from knowledge.models.reaping import FailedPurge, TrashPass
from knowledge.models.sources import PageSource
from knowledge.models.talk import Comment, Notification
from knowledge.models.vectors import (
    EmbeddingPass,
    EmbeddingSpace,
    EmbeddingState,
    HeldSource,
    SignCode,
    SourceVector,
)

__all__ = [
    "Attachment",
    "Comment",
    "Container",
    "EmbeddingPass",
    "EmbeddingSpace",
    "EmbeddingState",
    "FailedPurge",
    "FormerAddress",
    "HeldSource",
    "Notification",
    "Page",
    "PageItemLink",
    "PageLink",
    "PageReading",
    "PageSource",
    "PageStatus",
    "PurgedPage",
    "Revision",
    "SignCode",
    "SourceVector",
    "TrashPass",
]
