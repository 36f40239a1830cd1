"""Deciding on a version that waits for review: letting it through, sending it back, withdrawing it.

Both decisions name the version they are about and hold the page's row, so whoever decided on another one, or after
somebody else, is told instead of heard.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from company import live
from company.rules.actors import Actor, ActorKind, Author
from knowledge.models import Page, PageStatus, Revision, RevisionState
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageView
from knowledge.rules.authority import Act
from knowledge.rules.news import What
from knowledge.rules.reviewing import check_decision, check_second_look, is_reviewed
from knowledge.rules.texts import clean_message
from knowledge.writes.links import put_links
from knowledge.writes.notifications import tell_writer
from knowledge.writes.pages.holding import hold_page, require_on, require_writer
from knowledge.writes.pages.recording import put_body, record_page
from knowledge.writes.pages.waiting import asked_by, files_come_true, files_stay, head_of, wait_no_more


def approve_page(*, actor: Actor, page_id: int, version: int) -> PageView:
    """The page, which says from now on what the version said that waited; files that waited with it are there.

    Needs what a save of the page needs, and while review is on another actor than the one who asked. Approving what is
    approved already changes nothing. Refuses: `not_found`, `forbidden`, `reserved_container`, `trashed`, and
    `stale_version` (with `current_version`) for a version that does not wait.
    """
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        page = hold_page(page_id)
        require_on(page, Act.SAVE, actor=actor, company=company)
        if page.held_version is None and _is_approved(page, version):
            return get_page(actor=actor, page_id=page_id)
        check_decision(version, held=page.held_version, current=page.version)
        check_second_look(actor=actor, writer=asked_by(page), reviewed=is_reviewed(company, page.container))
        held, writer, before = Revision.objects.get(page=page, version=version), asked_by(page), page.version
        _let_through(page, held)
        _decide(held, actor=actor, state=RevisionState.PUBLISHED, word="")
        record_page(
            actor=actor,
            verb="approve_page",
            page=page,
            version_before=before,
            news="page.saved",
            detail={"message": held.message, "writer": writer.as_dict()},
        )
        tell_writer(actor=actor, page=page, what=What.APPROVED, writer=writer)
        return get_page(actor=actor, page_id=page_id)


def send_back_page(*, actor: Actor, page_id: int, version: int, word: str | None = None) -> PageView:
    """The page as it was before: what waited waits no more and stands in the history, with a `word` why.

    By whoever may save the page; the writer's own sending back is a withdrawal. A page that was never approved stays a
    draft. Refuses as `approve_page` does, save that nobody is refused for having written it, and `too_long` for a word.
    """
    require_writer(actor)
    said = clean_message(word)
    with transaction.atomic():
        company = live.current_for_write()
        page = hold_page(page_id)
        require_on(page, Act.SAVE, actor=actor, company=company)
        check_decision(version, held=page.held_version, current=page.version)
        held, writer = Revision.objects.get(page=page, version=version), asked_by(page)
        wait_no_more(page)
        page.updated_at = timezone.now()
        page.save()
        files_stay(page)
        _decide(held, actor=actor, state=RevisionState.WITHDRAWN, word=said)
        own = writer == actor.author
        record_page(
            actor=actor,
            verb="withdraw_page" if own else "send_back_page",
            page=page,
            version_before=version,
            version_after=page.version,
            detail={"message": said, "version": version, "writer": writer.as_dict()},
            changed=False,
        )
        tell_writer(actor=actor, page=page, what=What.SENT_BACK, writer=writer)
        return get_page(actor=actor, page_id=page_id)


def _is_approved(page: Page, version: int) -> bool:
    return Revision.objects.filter(
        page=page, version=version, state=RevisionState.PUBLISHED, decided_at__isnull=False
    ).exists()


def _let_through(page: Page, held: Revision) -> None:
    """The page as the held version has it: its text, who wrote it and when it came into force."""
    now = timezone.now()
    text = head_of(page).body
    if page.status == PageStatus.DRAFT:
        page.status = PageStatus.PUBLISHED
    if text != page.body:
        put_body(page, text)
        page.body_version = held.version
        put_links(page)
    page.version, page.saved_at, page.updated_at = held.version, now, now
    writer = Author(name=held.author_name, kind=ActorKind(held.author_kind))
    page.saved_by_name, page.saved_by_kind = writer.name, writer.kind.value
    wait_no_more(page)
    page.save()
    files_come_true(page)


def _decide(held: Revision, *, actor: Actor, state: RevisionState, word: str) -> None:
    held.state, held.decided_at, held.decision = state, timezone.now(), word
    held.decided_by_name, held.decided_by_kind = actor.author.name, actor.author.kind.value
    held.save(update_fields=["state", "decided_at", "decision", "decided_by_name", "decided_by_kind"])
