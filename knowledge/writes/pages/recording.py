"""What the writes of pages leave behind, in one place, so that every verb leaves the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max

from company.models.changes import ChangeKind
from company.rules.actors import Actor
from company.writes.ledger import Entry, Moved, News, Target, record_many
from knowledge.models import Page, PageStatus, Revision, RevisionState
from knowledge.rules.excerpts import excerpt_of
from knowledge.rules.links import LINKS_RULE
from knowledge.rules.news import NEWS_OF, What
from knowledge.writes.links import put_links
from knowledge.writes.notifications import tell, tell_mentioned


def record_page(
    *,
    actor: Actor,
    verb: str,
    page: Page,
    version_before: int | None,
    version_after: int | None = None,
    news: str | None = None,
    detail: dict[str, Any] | None = None,
    changed: bool = True,
    quiet: bool = False,
    mentioned: Collection[str] = (),
    beneath: Sequence[int] = (),
    was_container: str = "",
) -> None:
    """Keep a write of one page: audit row, the stored event `news`, its row of the change log if it `changed`, and the
    notifications of those who hear of it, unless it is `quiet`.

    `version_after` is the page's own version unless the write made another one,
    `mentioned` are seats the write mentions, `beneath` the pages that went into the trash or came back with this one,
    `was_container` where it was moved out of.
    """
    entry = entry_of(
        actor=actor,
        page=page,
        version_before=version_before,
        version_after=version_after,
        news=news,
        detail=detail or {},
        changed=changed,
        was_container="" if quiet else was_container,
    )
    record_many([entry], actor=actor, verb=verb)
    what = NEWS_OF.get(verb)
    if what is not None and not quiet:
        tell(actor=actor, page=page, what=what, mentioned=mentioned, beneath=beneath, was_container=was_container)
    elif mentioned:
        spoken_in = What.COMMENTED if verb == "edit_comment" else What.SAVED
        tell_mentioned(actor=actor, page=page, what=spoken_in, mentioned=mentioned)


def entry_of(
    *,
    actor: Actor,
    page: Page,
    version_before: int | None,
    version_after: int | None = None,
    news: str | None,
    detail: dict[str, Any],
    changed: bool,
    was_container: str = "",
) -> Entry:
    """What the ledger keeps of a write of one page."""
    payload = {
        "page_id": page.pk,
        "container": page.container,
        "title": page.title,
        "version": page.version,
        "by": actor.author.as_dict(),
        **detail,
    }
    return Entry(
        target=Target(kind="page", id=str(page.pk)),
        version_before=version_before,
        version_after=page.version if version_after is None else version_after,
        detail={"container": page.container, "title": page.title, **detail},
        news=News(type=news, payload=payload, seat=actor.seat) if news is not None else None,
        moved=change_of(page, was_container=was_container) if changed else None,
    )


def change_of(page: Page, *, was_container: str = "") -> Moved:
    """The row of the change log for one page; `was_container` for one that has moved, if only to another parent."""
    return Moved(kind=ChangeKind.PAGE, object_id=page.pk, container=page.container, was_container=was_container)


def put_body(page: Page, text: str) -> None:
    """Give a page its body, and what its row in a listing says of it. Every write of a body goes through here."""
    page.body, page.excerpt, page.links_rule = text, excerpt_of(text), LINKS_RULE


def add_revision(*, actor: Actor, page: Page, message: str, now: datetime) -> None:
    """Keep the page as it stands at its version, and what its body links to where that version changed it."""
    if page.body_version == page.version:
        put_links(page)
    revision_of(actor=actor, page=page, message=message, now=now).save(force_insert=True)


def revision_of(*, actor: Actor, page: Page, message: str, now: datetime) -> Revision:
    """The page as it stands at its version, as the table will hold it, not saved yet; pending where that one waits."""
    return Revision(
        page=page,
        version=page.version,
        title=page.title,
        body=page.body,
        message=message,
        author_name=actor.author.name,
        author_kind=actor.author.kind.value,
        operator_id=actor.credential,
        created_at=now,
        state=RevisionState.PENDING if page.held_version == page.version else RevisionState.PUBLISHED,
    )


def end_of_level(*, container: str, parent_id: int | None) -> int:
    """The position of a newcomer: among its siblings by title, or last where somebody has put them in an order."""
    level = Page.objects.filter(container=container, parent_id=parent_id).exclude(status=PageStatus.TRASHED)
    highest: int = level.aggregate(highest=Max("position"))["highest"] or 0
    return highest + 1 if highest else 0
