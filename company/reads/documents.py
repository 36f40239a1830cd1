"""Reads of the company document and its revisions, for administrators. Literal secrets never leave unmasked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from company.models.revisions import Revision
from company.rules.actors import Actor, ActorKind, Author, Scope
from company.rules.diffs import Hunk, diff_lines
from company.rules.document.secrets import mask, mask_source
from company.rules.permissions import require_admin
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor

WINDOW_WIDTH = 1


@dataclass(frozen=True, kw_only=True)
class RevisionRow:
    """One activated document in a list."""

    id: int
    summary: str
    author: Author
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class RevisionView:
    """One activated document: its row, its text and data with secrets masked, and what is kept but not read."""

    row: RevisionRow
    source: str
    document: dict[str, Any]
    ignored: tuple[str, ...]
    active: bool


@dataclass(frozen=True, kw_only=True)
class RevisionDiff:
    """What changed from one revision (null: nothing) to another, in lines of YAML."""

    from_id: int | None
    to_id: int
    hunks: tuple[Hunk, ...]


def active_document(*, actor: Actor) -> RevisionView:
    """The document in force. Raises `forbidden`, `scope_missing`, or `not_found` before the first apply."""
    require_admin(actor, Scope.READ)
    revision = Revision.objects.order_by("-id").first()
    if revision is None:
        raise Refused(Code.NOT_FOUND, "No company document is active yet. Write one with PUT /api/v1/config.")
    return _view(revision, active=True)


def list_revisions(*, actor: Actor, window: Window) -> Listing[RevisionRow]:
    """The revisions, newest first. Raises `forbidden`, `scope_missing`."""
    require_admin(actor, Scope.READ)
    found = Revision.objects.order_by("-id").defer("source", "document", "ignored")
    total = found.count()
    if window.after is not None:
        found = found.filter(id__lt=window.after[0])
    rows = list(found[: window.limit + 1])
    more = len(rows) > window.limit
    rows = rows[: window.limit]
    return Listing(
        results=tuple(row_of(row) for row in rows), total=total, after=encode_cursor((rows[-1].pk,)) if more else None
    )


def get_revision(*, actor: Actor, revision_id: int) -> RevisionView:
    """One revision. Raises `forbidden`, `scope_missing`, `not_found`."""
    require_admin(actor, Scope.READ)
    newest = Revision.objects.order_by("-id").values_list("id", flat=True).first()
    return _view(_revision(revision_id), active=newest == revision_id)


def diff_revisions(*, actor: Actor, revision_id: int, against: int | None = None) -> RevisionDiff:
    """What a revision changed `against` another, by default against the one before it; against nothing for the first.

    A literal secret reads `***` on both sides, so a change of it shows no line. Raises `forbidden`, `scope_missing`,
    `not_found`.
    """
    require_admin(actor, Scope.READ)
    to = _revision(revision_id)
    before = (
        Revision.objects.filter(id__lt=revision_id).order_by("-id").first() if against is None else _revision(against)
    )
    old = mask_source(before.source) if before is not None else ""
    return RevisionDiff(
        from_id=before.pk if before is not None else None,
        to_id=to.pk,
        hunks=diff_lines(old, mask_source(to.source)),
    )


def row_of(revision: Revision) -> RevisionRow:
    """A revision as it stands in a list."""
    return RevisionRow(
        id=revision.pk,
        summary=revision.summary,
        author=Author(name=revision.author_name, kind=ActorKind(revision.author_kind)),
        created_at=revision.created_at,
    )


def _revision(revision_id: int) -> Revision:
    found = Revision.objects.filter(pk=revision_id).first() if 0 < revision_id < 2**63 else None
    if found is None:
        raise Refused(Code.NOT_FOUND, f"There is no revision {revision_id}.")
    return found


def _view(revision: Revision, *, active: bool) -> RevisionView:
    return RevisionView(
        row=row_of(revision),
        source=mask_source(revision.source),
        document=mask(revision.document),
        ignored=tuple(revision.ignored),
        active=active,
    )
