"""Tables of the knowledge app."""

from knowledge.models.attachments import Attachment
from knowledge.models.containers import Container
from knowledge.models.links import PageLink
from knowledge.models.pages import FormerAddress, Page, PageStatus, PurgedPage, Revision
from knowledge.models.reaping import FailedPurge, TrashPass
from knowledge.models.sources import PageSource
from knowledge.models.talk import Comment, Notification

__all__ = [
    "Attachment",
    "Comment",
    "Container",
    "FailedPurge",
    "FormerAddress",
    "Notification",
    "Page",
    "PageLink",
    "PageSource",
    "PageStatus",
    "PurgedPage",
    "Revision",
    "TrashPass",
]
