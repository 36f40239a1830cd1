"""Tables of the knowledge app."""

from knowledge.models.containers import Container
from knowledge.models.pages import FormerAddress, Page, PageStatus, PurgedPage, Revision

__all__ = ["Container", "FormerAddress", "Page", "PageStatus", "PurgedPage", "Revision"]
