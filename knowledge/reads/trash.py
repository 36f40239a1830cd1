"""Reads of the trash: what somebody may bring back, until when, and what the duty that empties it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.dateparse import parse_datetime

from company.rules.actors import Actor, ActorKind, Author, Scope
from company.rules.permissions import require_admin
from company.rules.windows import Listing, Window, encode_cursor
from knowledge.models import FailedPurge, Page, PageStatus, TrashPass
from knowledge.models.talk import PAGE
from knowledge.reads.levels import company_read_by, foreign_cursor
from knowledge.reads.subjects import subjects_of
from knowledge.reads.visibility import trash_of
from knowledge.rules.reaping import emptied_at

TRASH_CURSOR_WIDTH = 2


@dataclass(frozen=True, kw_only=True)
class TrashedRow:
    """A page in the trash: who wrote it, who trashed it and when, how many pages fell with it, when it is purged.

    `alone` says that it fell with a page above it that its reader may not bring back; it comes back without that one.
    """

    id: int
    container: str
    title: str
    author: Author
    trashed_by: str
    trashed_at: datetime
    fell_with_it: int
    alone: bool
    emptied_at: datetime


@dataclass(frozen=True, kw_only=True)
class PassRow:
    """What one pass of the duty did."""

    ended_at: datetime
    purged: int
    skipped: int
    failed: int
    stopped: bool


@dataclass(frozen=True, kw_only=True)
class FailedRow:
    """A purge that failed and when it is tried again; `address` is the screen of what is to be purged."""

    title: str
    address: str
    attempts: int
    error: str
    retry_at: datetime


@dataclass(frozen=True, kw_only=True)
class ReaperState:
    """What operators are shown of the duty: its last passes, newest first, and what it has yet to try again."""

    passes: tuple[PassRow, ...]
    failed: tuple[FailedRow, ...]


def list_trash(*, actor: Actor, window: Window, container: str | None = None) -> Listing[TrashedRow]:
    """What the actor may bring back, of one space or of all of them, latest first. Two queries.

    Pages that fell together are one row, the page whose trashing took them along; where that one is not the actor's to
    restore, each of theirs is a row.
    """
    company = company_read_by(actor)
    theirs = trash_of(actor, company)
    above = Page.objects.filter(theirs, pk=OuterRef("trashed_with"))
    pages = Page.objects.filter(theirs).filter(Q(trashed_with=F("pk")) | ~Exists(above))
    if container is not None:
        pages = pages.filter(container=container)
    together = (
        Page.objects.filter(status=PageStatus.TRASHED, trashed_with=OuterRef("pk"))
        .order_by()
        .values("trashed_with")
        .annotate(number=Count("pk"))
    )
    found: list[Any] = list(
        pages.filter(_before(window))
        .order_by("-trashed_at", "-id")
        .values(
            "id", "container", "title", "author_name", "author_kind", "trashed_by", "trashed_at", "trashed_with",
            together=Coalesce(Subquery(together.values("number")), Value(1)),
        )[: window.limit + 1]
    )  # fmt: skip
    cursor = None
    if len(found) > window.limit:
        found.pop()
        cursor = encode_cursor((found[-1]["trashed_at"].isoformat(), found[-1]["id"]))
    rows = tuple(
        TrashedRow(
            id=row["id"],
            container=row["container"],
            title=row["title"],
            author=Author(name=row["author_name"], kind=ActorKind(row["author_kind"])),
            trashed_by=row["trashed_by"],
            trashed_at=row["trashed_at"],
            fell_with_it=row["together"] - 1,
            alone=row["trashed_with"] != row["id"],
            emptied_at=emptied_at(row["trashed_at"]),
        )
        for row in found
    )
    return Listing(results=rows, total=pages.count(), after=cursor)


def reaper_state(*, actor: Actor, limit: int = 10) -> ReaperState:
    """The duty that empties the trash, for an administrator (`forbidden` for others). Three queries."""
    require_admin(actor, Scope.READ)
    failed = list(FailedPurge.objects.order_by("retry_at", "kind", "subject_id")[:limit])
    called = _called(failed)
    return ReaperState(
        passes=tuple(
            PassRow(
                ended_at=one.ended_at, purged=one.purged, skipped=one.skipped, failed=one.failed, stopped=one.stopped
            )
            for one in TrashPass.objects.order_by("-id")[:limit]
        ),
        failed=tuple(
            FailedRow(
                title=called[one.kind, one.subject_id][0],
                address=called[one.kind, one.subject_id][1],
                attempts=one.attempts,
                error=one.error,
                retry_at=one.retry_at,
            )
            for one in failed
        ),
    )


def _called(failed: Sequence[FailedPurge]) -> dict[tuple[str, int], tuple[str, str]]:
    """The titles and screens of what could not be purged. One query for each kind of things."""
    called = {(one.kind, one.subject_id): (str(one.subject_id), "/knowledge/trash") for one in failed}
    for kind in {one.kind for one in failed}:
        ids = [one.subject_id for one in failed if one.kind == kind]
        if kind == PAGE:
            titles = Page.objects.filter(pk__in=ids).values_list("pk", "title")
            called |= {(kind, page_id): (title, f"/knowledge/pages/{page_id}") for page_id, title in titles}
        else:
            named = subjects_of(kind).named(ids)
            called |= {(kind, one_id): (subject.title, subject.address) for one_id, subject in named.items()}
    return called


def _before(window: Window) -> Q:
    if window.after is None:
        return Q()
    at, page_id = window.after
    try:
        moment = parse_datetime(at) if isinstance(at, str) else None
    except ValueError as error:
        raise foreign_cursor() from error
    if moment is None or moment.tzinfo is None or not isinstance(page_id, int):
        raise foreign_cursor()
    return Q(trashed_at__lt=moment) | Q(trashed_at=moment, id__lt=page_id)


@dataclass(frozen=True, kw_only=True)
class TrashStanding:
    """When the duty that empties the trash last passed, None before it did; how many purges wait to be repeated."""

    last_pass_at: datetime | None
    failed: int


def standing_of_trash() -> TrashStanding:
    """The same for whoever watches over the deployment: figures, and nothing of what is in the trash. Two queries."""
    last = TrashPass.objects.values_list("ended_at", flat=True).first()
    return TrashStanding(last_pass_at=last, failed=FailedPurge.objects.count())
