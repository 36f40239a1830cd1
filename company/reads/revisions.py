"""Reads of the company document's revisions."""

from __future__ import annotations

from company.models.revisions import Revision
from company.rules.chart import NO_COMPANY, Company


def latest_id() -> int:
    """The id of the active revision; 0 before the first."""
    return Revision.objects.order_by("-id").values_list("id", flat=True).first() or 0


def load_company(revision_id: int) -> Company:
    """The company of one revision, its `${NAME}` references resolved from this process's environment."""
    if revision_id == 0:
        return NO_COMPANY
    from company.rules.document import build_company

    revision = Revision.objects.get(pk=revision_id)
    return build_company(revision.document, revision=revision.pk, activated_at=revision.created_at)
