"""Writes of the company document: each apply is a new revision, and the newest one is in force.

Refuses a document with any problem (`company.rules.document`), and one written on a base that is no longer in force.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from company import live
from company.models.changes import ChangeKind
from company.models.revisions import Revision
from company.rules.actors import Actor, Scope
from company.rules.document import build_company, parse_loaded
from company.rules.document.secrets import restore
from company.rules.document.text import load_text
from company.rules.permissions import require_admin
from company.rules.refusals import Code, Refused
from company.signals import document_applied
from company.writes import ledger, locks

MAX_SUMMARY = 256
_LOCK = "company document"
"""Held by an apply until it commits, so that of two on one base the second sees the first."""


def apply_document(*, actor: Actor, source: str, summary: str = "", if_match: int | None = None) -> Revision:
    """Validate a document (YAML or JSON text), put it in force as a new revision, and answer the revision.

    `if_match` is the revision the writer read; it may be left out only while no document is in force. A document
    identical to the one in force is applied all the same: applying again is how an operator asks every process to start
    anew from the document, and the record of who did so is kept.

    Raises `scope_missing`, `forbidden`, `required` (428, no base given), `revision_advanced` (412, with
    `current_revision`), `config_invalid` with every problem, `too_long`.
    """
    require_admin(actor, Scope.ADMIN)
    summary = _checked_summary(summary)
    with transaction.atomic():
        active = _locked_active()
        if if_match is None and active is not None:
            raise Refused(
                Code.REQUIRED,
                "A document is in force. Read it, and send its ETag as If-Match with the new one.",
                attr="If-Match",
                status=428,
                extras={"current_revision": active.pk},
            )
        _check_base(if_match, active)
        return _activate(actor=actor, source=source, summary=summary, active=active)


def revert_document(*, actor: Actor, revision_id: int, summary: str = "", if_match: int | None = None) -> Revision:
    """Put an earlier revision's document in force again, as a new revision, and answer it.

    The document is validated anew. Raises as `apply_document` does, save that a base is checked only where one is
    given; `not_found` for a revision that never was.
    """
    require_admin(actor, Scope.ADMIN)
    summary = _checked_summary(summary) or f"Reverted to revision {revision_id}"
    with transaction.atomic():
        active = _locked_active()
        if if_match is not None:
            _check_base(if_match, active)
        earlier = Revision.objects.filter(pk=revision_id).first() if 0 < revision_id < 2**63 else None
        if earlier is None:
            raise Refused(Code.NOT_FOUND, f"There is no revision {revision_id}.")
        return _activate(actor=actor, source=earlier.source, summary=summary, active=active)


def _activate(*, actor: Actor, source: str, summary: str, active: Revision | None) -> Revision:
    loaded, text = restore(load_text(source), source, active.document if active is not None else None)
    parsed = parse_loaded(loaded, text)
    revision = Revision.objects.create(
        source=parsed.source,
        document=parsed.data,
        ignored=list(parsed.ignored),
        summary=summary,
        author_name=actor.author.name,
        author_kind=actor.author.kind.value,
        credential=actor.credential,
    )
    company = build_company(parsed.data, revision=revision.pk, activated_at=revision.created_at or timezone.now())
    document_applied.send(sender=Revision, revision=revision, company=company, actor=actor)
    ledger.record(
        actor=actor,
        verb="apply_document",
        target=ledger.Target(kind="document", id=str(revision.pk)),
        version_before=active.pk if active is not None else None,
        version_after=revision.pk,
        detail={"summary": summary},
        news=ledger.News(type="config.applied", payload={"revision": revision.pk}),
        moved=ledger.Moved(kind=ChangeKind.DOCUMENT, object_id=revision.pk),
    )
    transaction.on_commit(live.current_for_write)
    return revision


def _locked_active() -> Revision | None:
    locks.hold(_LOCK)
    return Revision.objects.order_by("-id").first()


def _check_base(if_match: int | None, active: Revision | None) -> None:
    current = active.pk if active is not None else None
    if if_match is not None and if_match != current:
        raise Refused(
            Code.REVISION_ADVANCED,
            "The document was changed since you read it. Read it again, and write your change on the new one."
            if current is not None
            else "No document is in force yet. Send the first one without If-Match.",
            extras={"current_revision": current},
        )


def _checked_summary(summary: str) -> str:
    summary = summary.strip()
    if len(summary) > MAX_SUMMARY:
        raise Refused(
            Code.TOO_LONG, f"A summary is at most {MAX_SUMMARY} characters.", attr="summary",
            extras={"limit": MAX_SUMMARY},
        )  # fmt: skip
    if any(ord(character) < 32 or ord(character) == 127 for character in summary):
        raise Refused(Code.INVALID, "A summary is one line without control characters.", attr="summary")
    return summary
