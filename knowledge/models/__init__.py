"""Tables of the knowledge app."""

from knowledge.models.attachments import Attachment, Waits
from knowledge.models.containers import Container
from knowledge.models.imports import UNFINISHED, ImportRun, ImportState
from knowledge.models.links import PageItemLink, PageLink
from knowledge.models.pages import TITLE_WORDS, FormerAddress, Page, PageStatus, PurgedPage, Revision, RevisionState
from knowledge.models.readings import PageReading
from knowledge.models.reaping import FailedPurge, TrashPass
from knowledge.models.semantic_index import SemanticIndex
from knowledge.models.sources import PageSource
from knowledge.models.talk import Comment, Notification, PruningPass
from knowledge.models.vectors import (
    EmbeddingPass,
    EmbeddingSpace,
    EmbeddingState,
    HeldSource,
    SignCode,
    SourceVector,
)

__all__ = [
    "TITLE_WORDS",
    "UNFINISHED",
    "Attachment",
    "Comment",
    "Container",
    "EmbeddingPass",
    "EmbeddingSpace",
    "EmbeddingState",
    "FailedPurge",
    "FormerAddress",
    "HeldSource",
    "ImportRun",
    "ImportState",
    "Notification",
    "Page",
    "PageItemLink",
    "PageLink",
    "PageReading",
    "PageSource",
    "PageStatus",
    "PruningPass",
    "PurgedPage",
    "Revision",
    "RevisionState",
    "SemanticIndex",
    "SignCode",
    "SourceVector",
    "TrashPass",
    "Waits",
]
