"""Removing a page for good: by an administrator, or by the engine once its time in the trash is over."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from django.db import connection, transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor, Scope, engine_actor
from company.rules.permissions import require_admin, require_proof
from company.rules.refusals import Code, Refused
from company.writes.idempotency import forget
from knowledge.models import FailedPurge, Page, PageReading, PageStatus, PurgedPage
from knowledge.models.talk import PAGE
from knowledge.reads.trees import Twig, branch_of
from knowledge.rules.reaping import REAPER, operation_of, reason_of
from knowledge.rules.texts import clean_reason
from knowledge.rules.trees import fallen_with
from knowledge.writes.contents import files_go_with
from knowledge.writes.kept_answers import comment_keys
from knowledge.writes.pages.holding import hold_tree
from knowledge.writes.pages.recording import record_page

_KEEP_TOGETHER = """
UPDATE knowledge_page page SET trashed_with = kept.root
FROM unnest(%s::bigint[], %s::bigint[]) AS kept (id, root)
WHERE page.id = kept.id
"""


class Reaped(StrEnum):
    """What became of a page whose term in the trash was over when it was looked at."""

    PURGED = "purged"
    KEPT = "kept"


def purge_page(*, actor: Actor, page_id: int, reason: str) -> int:
    """Remove a trashed page for good: its revisions and history go, what lies beneath it moves up, a marker stays.

    Answers the id. An administrator's alone, with a recent proof, and never an agent's. Refuses: `scope_missing`,
    `forbidden`, `proof_required`, `required` without a reason, `not_found`, `invalid` (409) for a living page.
    """
    require_admin(actor, Scope.ADMIN)
    require_proof(actor, timezone.now())
    why = clean_reason(reason)
    with transaction.atomic():
        live.current_for_write()
        page = hold_tree(page_id)
        if page.status != PageStatus.TRASHED:
            raise Refused(Code.INVALID, "Only a page in the trash is purged. Trash it first.", status=409)
        _purge(page, actor=actor, reason=why)
        return page_id


def reap_page(*, page_id: int, cutoff: datetime) -> Reaped:
    """Purge a page as the engine does, if it still lies in the trash and did so at `cutoff`; decided while it is held.

    A page that was restored, trashed again since, or purged by somebody else is kept or gone already, which is KEPT.
    """
    actor = engine_actor(REAPER)
    with transaction.atomic():
        live.current_for_write()
        try:
            page = hold_tree(page_id)
        except Refused as refused:
            if refused.code is not Code.NOT_FOUND:
                raise
            page = None
        FailedPurge.objects.filter(kind=PAGE, subject_id=page_id).delete()
        if page is None or page.trashed_at is None or page.trashed_at > cutoff:
            return Reaped.KEPT
        operation = operation_of(page_id=page_id, trashed_at=page.trashed_at)
        _purge(page, actor=actor, reason=reason_of(cutoff), detail={"operation": operation})
        return Reaped.PURGED


def _purge(page: Page, *, actor: Actor, reason: str, detail: Mapping[str, object] | None = None) -> None:
    page_id = page.pk
    if page.trashed_with == page_id:
        _keep_together(fallen_with(branch_of(page_id), page_id=page_id, trashed_with=page_id), above=page_id)
    children = page.children.update(parent_id=page.parent_id)
    PurgedPage.objects.create(
        page_id=page_id,
        container=page.container,
        title=page.title,
        purged_at=timezone.now(),
        purged_by_name=actor.author.name,
        purged_by_kind=actor.author.kind.value,
        operator_id=actor.credential,
        reason=reason,
    )
    record_page(
        actor=actor,
        verb="purge_page",
        page=page,
        version_before=page.version,
        news="page.purged",
        detail={"reason": reason, "refiled": children, **(detail or {})},
    )
    forget(f"page:{page_id}", *comment_keys(page_id))
    files_go_with(page)
    PageReading.objects.filter(page_id=page_id).delete()
    page.delete()


def _keep_together(fallen: list[Twig], *, above: int) -> None:
    """Let what fell with a purged page hang together by the topmost of it, so that each can be restored whole."""
    roots: dict[int, int] = {}
    for twig in fallen:
        roots[twig.id] = twig.id if twig.parent_id == above else roots[twig.parent_id or 0]
    if roots:
        with connection.cursor() as cursor:
            cursor.execute(_KEEP_TOGETHER, [list(roots), list(roots.values())])
