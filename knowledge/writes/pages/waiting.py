"""What the writes of pages share about versions that wait for review: how one comes to wait, and how it ceases to.

A page has at most one version that waits, and its text is what the next save has to begin from, so two changes that
wait never compete: the later one holds the earlier one's text and takes its place. A published page goes on saying
what it says; a page that was never approved, or was moved in from elsewhere, waits as a draft. When a version waits,
`knowledge.rules.reviewing` says. Every function expects the page's row to be held.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet

from company.rules.actors import Actor, ActorKind, Author
from company.rules.chart import Company
from knowledge.models import Attachment, Page, PageStatus, Revision, RevisionState, Waits
from knowledge.rules.news import What
from knowledge.rules.reviewing import is_reviewed
from knowledge.rules.versions import check_base, stale
from knowledge.writes.contents import drop_after_commit
from knowledge.writes.notifications import tell_administrators
from knowledge.writes.pages.recording import add_revision, record_page


@dataclass(frozen=True, kw_only=True)
class Head:
    """The text the next save begins from: the version that waits, else what the page says."""

    version: int
    body: str


def head_of(page: Page) -> Head:
    """Where the writing of a page stands. One query where a later version of a published page waits, else none."""
    if page.held_version is None or page.held_version == page.version:
        return Head(version=page.version, body=page.body)
    held = Revision.objects.only("version", "body").get(page=page, version=page.held_version)
    return Head(version=held.version, body=held.body)


def check_head(base_version: int, *, page: Page, head: Head) -> None:
    """Refuse a base that the writing of the page has moved on from (`stale_version`, with `current_version`).

    A base whose text is the head's own is none of those: only the title or a file of the folder differs.
    """
    if base_version == head.version:
        return
    if head.version == page.version:
        check_base(base_version, version=page.version, body_version=page.body_version)
        if Revision.objects.filter(page=page, version=base_version, state=RevisionState.WITHDRAWN).exists():
            raise stale(base_version, current=head.version)
        return
    same = Revision.objects.filter(page=page, version=base_version, body=head.body)
    if not same.exclude(state=RevisionState.WITHDRAWN).exists():
        raise stale(base_version, current=head.version)


def next_version(page: Page) -> int:
    """The number of the revision to come; no revision of the page, approved or not, has had it."""
    page.last_version = max(page.last_version, page.version) + 1
    return page.last_version


def is_held_back(page: Page, *, company: Company) -> bool:
    """Whether a new text of the page waits beside what it says."""
    return page.status == PageStatus.PUBLISHED and is_reviewed(company, page.container)


def waits_as_draft(page: Page) -> bool:
    """Whether the page itself waits to be published."""
    return page.held_version is not None and page.held_version == page.version


def wait(page: Page, *, by: Author, now: datetime) -> None:
    """Let the page's own version wait, asked for by `by`. Saves nothing."""
    page.held_version, page.held_at = page.version, now
    page.held_by_name, page.held_by_kind = by.name, by.kind.value


def wait_as_draft(page: Page, *, by: Author, now: datetime) -> None:
    """Make a page that would be published a draft whose version waits. Saves nothing."""
    page.status = PageStatus.DRAFT
    wait(page, by=by, now=now)


def ask_anew(page: Page) -> None:
    """Mark the revision of the page's own version as what it is now, waiting or published, whatever became of it."""
    state = RevisionState.PENDING if waits_as_draft(page) else RevisionState.PUBLISHED
    Revision.objects.filter(page=page, version=page.version).update(
        state=state, decided_by_name="", decided_by_kind="", decided_at=None, decision=""
    )


def wait_no_more(page: Page) -> None:
    """Let nothing wait. Saves nothing."""
    page.held_version, page.held_at, page.held_by_name, page.held_by_kind = None, None, "", ""


def asked_by(page: Page) -> Author:
    """Who asked for the review of what waits."""
    return Author(name=page.held_by_name, kind=ActorKind(page.held_by_kind))


def supersede(page: Page, *, by: int) -> None:
    """Mark what waited as replaced, where something did and version `by` is another one."""
    if page.held_version is not None and page.held_version != by:
        _mark(page, page.held_version, RevisionState.SUPERSEDED)


def propose(*, actor: Actor, page: Page, body: str, message: str, now: datetime) -> int:
    """Keep a later text of a published page as the version that waits, and tell the administrators; its number."""
    version, before = next_version(page), page.held_version or page.version
    supersede(page, by=version)
    page.held_version, page.held_at = version, now
    page.held_by_name, page.held_by_kind = actor.author.name, actor.author.kind.value
    page.save(update_fields=["held_version", "held_at", "held_by_name", "held_by_kind", "last_version"])
    Revision.objects.create(
        page=page,
        version=version,
        title=page.title,
        body=body,
        message=message,
        author_name=actor.author.name,
        author_kind=actor.author.kind.value,
        operator_id=actor.credential,
        created_at=now,
        state=RevisionState.PENDING,
    )
    record_page(
        actor=actor,
        verb="propose_page",
        page=page,
        version_before=before,
        version_after=version,
        detail={"message": message},
        changed=False,
    )
    tell_administrators(actor=actor, page=page, what=What.PROPOSED)
    return version


def wait_with_files(page: Page, *, actor: Actor, now: datetime) -> None:
    """Let the files of a folder that were just changed wait as a version with the text that stands already."""
    head = head_of(page)
    if not waits_as_draft(page):
        propose(actor=actor, page=page, body=head.body, message="", now=now)
        return
    page.version = next_version(page)
    supersede(page, by=page.version)
    wait(page, by=actor.author, now=now)
    page.saved_by_name, page.saved_by_kind, page.saved_at = actor.author.name, actor.author.kind.value, now
    page.save()
    add_revision(actor=actor, page=page, message="", now=now)
    tell_administrators(actor=actor, page=page, what=What.PROPOSED)


def number_anew(page: Page) -> None:
    """Give what waits beside the page a number above the page's own, which has just grown; the text, its writer and its
    moment stay. A version that is approved is then always the page's newest."""
    if page.held_version is None or page.held_version > page.version:
        return
    held = Revision.objects.get(page=page, version=page.held_version)
    version = next_version(page)
    supersede(page, by=version)
    held.pk, held.version, held.title, held.state = None, version, page.title, RevisionState.PENDING
    held.save(force_insert=True)
    page.held_version = version
    page.save(update_fields=["held_version", "last_version"])


def let_branch_wait(branch: QuerySet[Page], *, reviewed: bool, by: Author, now: datetime) -> int:
    """What a move to another container makes of the pages: in a reviewed one those that were published are drafts that
    wait, those in the trash once they come back; in any other nothing waits. How many came to wait."""
    _revisions_of(branch.filter(held_version=F("version"))).update(state=RevisionState.PUBLISHED)
    branch.update(held_version=None, held_at=None, held_by_name="", held_by_kind="")
    if not reviewed:
        return 0
    asked = {"held_version": F("version"), "held_at": now, "held_by_name": by.name, "held_by_kind": by.kind.value}
    shown = branch.filter(status=PageStatus.PUBLISHED).update(status=PageStatus.DRAFT, **asked)
    branch.filter(status=PageStatus.TRASHED, trashed_from=PageStatus.PUBLISHED).update(
        trashed_from=PageStatus.DRAFT, **asked
    )
    _revisions_of(branch.filter(held_version=F("version"))).update(state=RevisionState.PENDING)
    return shown


def _revisions_of(pages: QuerySet[Page]) -> QuerySet[Revision]:
    """The revisions that hold what these pages say now."""
    return Revision.objects.filter(page__in=pages, version=F("page__version"))


def files_come_true(page: Page) -> None:
    """Do to the folder what its files wait for."""
    going = page.attachments.filter(waits=Waits.TO_GO)
    drop_files(list(going))
    page.attachments.filter(waits=Waits.TO_COME).update(waits=Waits.NOT)


def files_stay(page: Page) -> None:
    """Leave the folder as it is, whatever its files wait for."""
    drop_files(list(page.attachments.filter(waits=Waits.TO_COME)))
    page.attachments.filter(waits=Waits.TO_GO).update(waits=Waits.NOT)


def drop_files(rows: list[Attachment]) -> None:
    """Take files off their page, and their bytes where nothing else names them."""
    if rows:
        Attachment.objects.filter(pk__in=[row.pk for row in rows]).delete()
        drop_after_commit({row.sha256 for row in rows})


def _mark(page: Page, version: int, state: RevisionState) -> None:
    Revision.objects.filter(page=page, version=version).update(state=state)
