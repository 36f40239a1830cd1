"""Review of skills: what is written waits for a second look, nothing is lost, and readers see what was approved."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from company.models import AuditEntry, Event
from company.rules.actors import Permission
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from company.rules.windows import Window
from crewlet_site.environment import storage_of
from knowledge.models import Attachment, Container, Notification, Page, PageStatus, Revision
from knowledge.reads.activity import Happened, list_activity
from knowledge.reads.attachments import get_attachment, list_attachments
from knowledge.reads.pages import get_page, get_revision, list_revisions, page_to_edit
from knowledge.reads.recent import recent_changes
from knowledge.reads.reviewing import count_waiting, get_proposal, list_waiting
from knowledge.reads.shapes import PageView
from knowledge.rules.edits import make_edit
from knowledge.writes.attachments import attach_file, remove_file
from knowledge.writes.importing import NewPage, create_pages, next_page_ids
from knowledge.writes.pages import (
    approve_page,
    create_page,
    move_page,
    rename_page,
    restore_page,
    restore_revision,
    save_page,
    send_back_page,
    set_labels,
    trash_page,
)
from tests.factories import admin, agent, human, install_company
from tests.knowledge.pages import page, row
from tests.threads import at_once

pytestmark = pytest.mark.covers("HS-07")

REVIEWER = admin("vera")
EVERYTHING = Window(limit=100)


@pytest.fixture(autouse=True)
def reviewing(db: None, settings: Settings, tmp_path: Path) -> Company:
    """A company that asks for review, and files of its own."""
    kept = storage_of("", folder=tmp_path / "attachments")
    settings.STORAGES = {**settings.STORAGES, "attachments": kept}
    company = install_company(skills_review=True)
    for space in company.spaces:
        Container.objects.create(
            key=space.key, name=space.name, purpose="", kind=space.kind.value, chart_epoch=company.activated_at
        )
    return company


@pytest.fixture
def skill(reviewing: Company) -> PageView:
    """An approved skill at version 1."""
    made = create_page(actor=admin(), title="Pull requests", body="One.", container="TS")
    return approve_page(actor=REVIEWER, page_id=made.id, version=1)


def refusal(call: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as caught:
        call()
    return caught.value


def propose(skill: PageView, body: str = "Two.", **more: object) -> PageView:
    head = page_to_edit(actor=admin(), page_id=skill.id)
    return save_page(actor=admin(), page_id=skill.id, base_version=head.version, body=body, **more)  # type: ignore[arg-type]


def test_a_saved_text_waits_while_everybody_reads_the_one_approved_last(skill: PageView) -> None:
    saved = propose(skill, message="Shorter")
    assert (saved.version, saved.pending_version, saved.body, saved.status) == (2, 2, "Two.", PageStatus.DRAFT)
    now = get_page(actor=admin(), page_id=skill.id)
    assert (now.version, now.body, now.pending_version, now.status) == (1, "One.", 2, PageStatus.PUBLISHED)
    assert get_page(actor=agent(), page_id=skill.id).pending_version is None, "readers hear nothing of it"
    assert [one.version for one in list_revisions(actor=agent(), page_id=skill.id, window=EVERYTHING).results] == [1]
    assert refusal(partial(get_revision, actor=agent(), page_id=skill.id, version=2)).code is Code.NOT_FOUND
    assert not Event.objects.filter(type="page.saved", payload__version=2).exists()
    assert [change.version for change in recent_changes(actor=agent(), limit=5)] == [1]


def test_another_administrator_approves_and_the_history_says_who(skill: PageView) -> None:
    propose(skill)
    approved = approve_page(actor=REVIEWER, page_id=skill.id, version=2)
    assert (approved.version, approved.body, approved.pending_version) == (2, "Two.", None)
    assert approved.saved_by == admin().author, "the text is its writer's"
    (newest, _) = list_revisions(actor=agent(), page_id=skill.id, window=EVERYTHING).results
    assert newest.decision is not None
    assert newest.decision.by == REVIEWER.author
    assert AuditEntry.objects.filter(verb="approve_page", actor_name="vera", version_after=2).count() == 1
    assert Event.objects.filter(type="page.saved", payload__version=2).count() == 1
    kinds = [one.kind for one in list_activity(actor=admin(), page_id=skill.id, window=EVERYTHING).results]
    assert kinds[:2] == [Happened.APPROVED, Happened.PROPOSED]


def test_nobody_approves_their_own_text(skill: PageView) -> None:
    propose(skill)
    refused = refusal(partial(approve_page, actor=admin(), page_id=skill.id, version=2))
    assert (refused.code, refused.status) == (Code.FORBIDDEN, 403)
    assert row(skill.id).body == "One."
    for other, code in ((human(), Code.FORBIDDEN), (agent(), Code.RESERVED_CONTAINER)):
        assert refusal(partial(approve_page, actor=other, page_id=skill.id, version=2)).code is code
        assert refusal(partial(send_back_page, actor=other, page_id=skill.id, version=2)).code is code


def test_a_new_skill_is_a_draft_until_it_is_approved(reviewing: Company) -> None:
    made = create_page(actor=admin(), title="Releases", body="Tag it.", container="TS")
    assert (made.status, made.version, made.pending_version) == (PageStatus.DRAFT, 1, 1)
    assert refusal(partial(get_page, actor=agent(), page_id=made.id)).code is Code.NOT_FOUND
    saved = save_page(actor=admin(), page_id=made.id, base_version=1, body="Tag it twice.")
    assert (saved.version, saved.pending_version) == (2, 2)
    stale = refusal(partial(approve_page, actor=REVIEWER, page_id=made.id, version=1))
    assert (stale.code, stale.extras) == (Code.STALE_VERSION, {"current_version": 2})
    assert approve_page(actor=REVIEWER, page_id=made.id, version=2).status is PageStatus.PUBLISHED
    assert get_page(actor=agent(), page_id=made.id).body == "Tag it twice."


def test_a_private_draft_waits_once_it_is_to_be_published(reviewing: Company) -> None:
    made = create_page(actor=admin(), title="Releases", body="Tag.", container="TS", status=PageStatus.DRAFT)
    assert made.pending_version is None
    assert save_page(actor=admin(), page_id=made.id, base_version=1, body="Tag it.").pending_version is None
    asked = save_page(actor=admin(), page_id=made.id, status=PageStatus.PUBLISHED)
    assert (asked.status, asked.pending_version) == (PageStatus.DRAFT, 2)
    assert save_page(actor=REVIEWER, page_id=made.id, status=PageStatus.PUBLISHED).status is PageStatus.DRAFT
    assert refusal(partial(approve_page, actor=admin(), page_id=made.id, version=2)).code is Code.FORBIDDEN
    approve_page(actor=REVIEWER, page_id=made.id, version=2)
    assert row(made.id).status == PageStatus.PUBLISHED


def test_a_later_save_begins_from_what_waits_and_takes_its_place(skill: PageView) -> None:
    propose(skill, "One.\nTwo.")
    stale = refusal(partial(save_page, actor=REVIEWER, page_id=skill.id, base_version=1, body="One.\nThree."))
    assert (stale.code, stale.extras) == (Code.STALE_VERSION, {"current_version": 2})
    appended = save_page(actor=REVIEWER, page_id=skill.id, edit=make_edit(mode="append", text="\nThree."))
    assert (appended.version, appended.body) == (3, "One.\nTwo.\nThree.")
    states = {one.version: one.state for one in Revision.objects.filter(page_id=skill.id)}
    assert states == {1: "published", 2: "superseded", 3: "pending"}
    assert refusal(partial(approve_page, actor=REVIEWER, page_id=skill.id, version=3)).code is Code.FORBIDDEN
    assert approve_page(actor=admin(), page_id=skill.id, version=3).body == "One.\nTwo.\nThree."
    assert propose(skill, "Four.").version == 4


def test_sent_back_it_waits_no_more_and_its_text_stays_in_the_history(skill: PageView) -> None:
    propose(skill)
    back = send_back_page(actor=REVIEWER, page_id=skill.id, version=2, word="Say which repository.")
    assert (back.version, back.body, back.pending_version) == (1, "One.", None)
    sent = get_revision(actor=admin(), page_id=skill.id, version=2)
    assert sent.decision is not None
    assert (sent.body, sent.decision.word, sent.withdrawn) == ("Two.", "Say which repository.", False)
    late = refusal(partial(approve_page, actor=REVIEWER, page_id=skill.id, version=2))
    assert (late.code, late.extras) == (Code.STALE_VERSION, {"current_version": 1})
    on_it = refusal(partial(save_page, actor=admin(), page_id=skill.id, base_version=2, body="Two!"))
    assert on_it.code is Code.STALE_VERSION, "a text nobody approved is no base"
    again = restore_revision(actor=admin(), page_id=skill.id, version=2, base_version=1)
    assert (again.version, again.body, again.state) == (3, "Two.", "pending")
    send_back_page(actor=admin(), page_id=skill.id, version=3)
    assert AuditEntry.objects.filter(verb="withdraw_page", actor_name="root").count() == 1
    assert get_revision(actor=admin(), page_id=skill.id, version=3).withdrawn


def test_a_new_skill_that_was_sent_back_is_a_draft_that_can_ask_again(reviewing: Company) -> None:
    made = create_page(actor=admin(), title="Releases", body="Tag.", container="TS")
    back = send_back_page(actor=REVIEWER, page_id=made.id, version=1, word="Which tag?")
    assert (back.status, back.pending_version) == (PageStatus.DRAFT, None)
    saved = save_page(actor=admin(), page_id=made.id, base_version=1, body="Tag v1.", status=PageStatus.PUBLISHED)
    assert (saved.version, saved.pending_version) == (2, 2)
    approve_page(actor=REVIEWER, page_id=made.id, version=2)
    assert row(made.id).status == PageStatus.PUBLISHED


def test_titles_and_labels_change_at_once_and_what_waits_goes_on_waiting(skill: PageView) -> None:
    propose(skill, message="Shorter")
    assert rename_page(actor=REVIEWER, page_id=skill.id, title="Merge requests").version == 3
    set_labels(actor=REVIEWER, page_id=skill.id, labels=["git"])
    held = page_to_edit(actor=admin(), page_id=skill.id)
    assert (held.version, held.body, held.title, held.labels) == (4, "Two.", "Merge requests", ("git",))
    assert held.saved_by == admin().author, "it is still its writer's"
    assert refusal(partial(approve_page, actor=admin(), page_id=skill.id, version=4)).code is Code.FORBIDDEN
    assert save_page(actor=admin(), page_id=skill.id, base_version=2, body="Three.").version == 5, "only renamed"
    approved = approve_page(actor=REVIEWER, page_id=skill.id, version=5)
    assert (approved.version, approved.title, approved.body) == (5, "Merge requests", "Three.")


def test_a_body_and_a_title_in_one_save_are_renamed_now_and_read_later(skill: PageView) -> None:
    saved = save_page(actor=admin(), page_id=skill.id, base_version=1, body="Two.", title="Merge requests")
    assert (saved.title, saved.version, saved.body) == ("Merge requests", 3, "Two.")
    now = get_page(actor=agent(), page_id=skill.id)
    assert (now.title, now.version, now.body) == ("Merge requests", 2, "One.")


def test_taking_a_skill_out_of_service_waits_for_nobody_and_what_waits_comes_back_with_it(skill: PageView) -> None:
    propose(skill)
    trash_page(actor=admin(), page_id=skill.id)
    assert refusal(partial(approve_page, actor=REVIEWER, page_id=skill.id, version=2)).code is Code.TRASHED
    assert refusal(partial(send_back_page, actor=REVIEWER, page_id=skill.id, version=2)).code is Code.TRASHED
    assert count_waiting(actor=admin()) == 0
    create_page(actor=admin(), title="Pull requests", body="Another.", container="TS")
    back = restore_page(actor=admin(), page_id=skill.id, title="Pull requests, old").page
    assert (back.status, back.body, back.version) == (PageStatus.PUBLISHED, "One.", 3)
    assert approve_page(actor=REVIEWER, page_id=skill.id, version=4).body == "Two."


def test_pages_moved_in_wait_as_drafts_and_a_page_with_a_waiting_change_does_not_leave(skill: PageView) -> None:
    top = page("Runbook", by=admin())
    beneath = page("Steps", by=admin(), parent_id=top.id)
    move_page(actor=REVIEWER, page_id=top.id, container="TS", parent_id=None)
    assert {(one.status, one.held_version) for one in Page.objects.filter(pk__in=[top.id, beneath.id])} == {
        ("draft", 1)
    }
    assert refusal(partial(approve_page, actor=REVIEWER, page_id=top.id, version=1)).code is Code.FORBIDDEN
    approve_page(actor=admin(), page_id=top.id, version=1)
    assert row(top.id).status == PageStatus.PUBLISHED
    propose(skill)
    refused = refusal(partial(move_page, actor=admin(), page_id=skill.id, container="ENG", parent_id=None))
    assert (refused.code, refused.status) == (Code.INVALID, 409)
    move_page(actor=admin(), page_id=top.id, container="ENG", parent_id=None)
    assert row(beneath.id).held_version is None, "a draft takes no question along"


def test_files_of_a_folder_wait_with_the_version_and_come_with_it(skill: PageView) -> None:
    old = attach_file(actor=admin(), page_id=skill.id, name="run.sh", content=io.BytesIO(b"old"), path="scripts/run.sh")
    assert page_to_edit(actor=admin(), page_id=skill.id).version == 2, "so that nobody approves what they have not seen"
    approve_page(actor=REVIEWER, page_id=skill.id, version=2)
    new = attach_file(
        actor=admin(), page_id=skill.id, name="run.sh", content=io.BytesIO(b"new"), path="scripts/run.sh",
        executable=True,
    )  # fmt: skip
    assert [one.id for one in list_attachments(actor=admin(), page_id=skill.id, window=EVERYTHING).results] == [old.id]
    assert refusal(partial(get_attachment, actor=agent(), attachment_id=new.id)).code is Code.NOT_FOUND
    assert get_attachment(actor=REVIEWER, attachment_id=new.id).executable
    proposal = get_proposal(actor=REVIEWER, page_id=skill.id)
    assert ([one.id for one in proposal.coming], [one.id for one in proposal.going]) == ([new.id], [old.id])
    send_back_page(actor=REVIEWER, page_id=skill.id, version=3)
    assert [one.id for one in list_attachments(actor=admin(), page_id=skill.id, window=EVERYTHING).results] == [old.id]
    assert not Attachment.objects.filter(pk=new.id).exists()
    remove_file(actor=admin(), attachment_id=old.id)
    assert list_attachments(actor=agent(), page_id=skill.id, window=EVERYTHING).total == 1
    approve_page(actor=REVIEWER, page_id=skill.id, version=4)
    assert list_attachments(actor=agent(), page_id=skill.id, window=EVERYTHING).total == 0


def test_pages_imported_in_one_go_wait_too(reviewing: Company) -> None:
    (page_id,) = next_page_ids(1)
    new = NewPage(id=page_id, parent_id=None, title="Imported", body="Text.")
    assert create_pages(actor=admin(), container="TS", parent_id=None, pages=[new]) == {}
    assert (row(page_id).status, row(page_id).held_version) == (PageStatus.DRAFT, 1)
    assert approve_page(actor=REVIEWER, page_id=page_id, version=1).status is PageStatus.PUBLISHED


def test_pages_of_other_spaces_never_wait(reviewing: Company) -> None:
    made = page(by=admin())
    assert made.pending_version is None
    assert save_page(actor=admin(), page_id=made.id, base_version=1, body="New.").version == 2
    assert row(made.id).body == "New."


def test_review_switched_off_keeps_what_waits_for_its_writer_to_publish(skill: PageView) -> None:
    propose(skill)
    other = create_page(actor=admin(), title="Releases", body="Tag.", container="TS")
    install_company(skills_review=False)
    assert row(skill.id).body == "One.", "nothing is published by a change of the document"
    assert approve_page(actor=admin(), page_id=skill.id, version=2).body == "Two."
    published = save_page(actor=admin(), page_id=other.id, base_version=1, body="Tag it.", status=PageStatus.PUBLISHED)
    assert (published.status, published.pending_version) == (PageStatus.PUBLISHED, None)
    assert not Revision.objects.filter(state="pending").exists()


def test_review_switched_off_a_save_on_what_waits_publishes_both(skill: PageView) -> None:
    attach_file(actor=admin(), page_id=skill.id, name="a.md", content=io.BytesIO(b"a"), path="a.md")
    propose(skill)
    install_company(skills_review=False)
    refused = refusal(partial(save_page, actor=REVIEWER, page_id=skill.id, base_version=1, body="Three."))
    assert refused.code is Code.STALE_VERSION, "what waits is still what a text begins from"
    saved = save_page(actor=REVIEWER, page_id=skill.id, base_version=3, body="Two.\nThree.")
    assert (saved.version, saved.body, saved.pending_version) == (4, "Two.\nThree.", None)
    assert list_attachments(actor=agent(), page_id=skill.id, window=EVERYTHING).total == 1


def test_the_list_of_what_waits_is_for_those_who_may_approve(skill: PageView) -> None:
    propose(skill, message="Shorter")
    made = create_page(actor=REVIEWER, title="Releases", body="Tag.", container="TS", message="New")
    listing = list_waiting(actor=admin(), window=Window(limit=1))
    assert [(one.title, one.version, one.message, one.new) for one in listing.results] == [
        ("Pull requests", 2, "Shorter", False)
    ]
    assert (listing.total, listing.after is not None) == (2, True)
    assert count_waiting(actor=human()) == count_waiting(actor=agent()) == 0
    assert refusal(partial(get_proposal, actor=human(), page_id=skill.id)).code is Code.NOT_FOUND
    proposal = get_proposal(actor=admin(), page_id=made.id)
    assert (proposal.said, proposal.page.body, proposal.own) == ("", "Tag.", False)
    assert get_proposal(actor=admin(), page_id=skill.id).own


def test_administrators_hear_what_waits_and_its_writer_what_became_of_it(reviewing: Company) -> None:
    ada = human("ada-marsh", Permission.ADMIN)
    made = create_page(actor=admin(), title="Releases", body="Tag.", container="TS")
    assert not Notification.objects.exists(), "nobody who administers holds a seat"
    approve_page(actor=ada, page_id=made.id, version=1)
    save_page(actor=ada, page_id=made.id, base_version=1, body="Tag it.")
    send_back_page(actor=admin(), page_id=made.id, version=2, word="No.")
    (told,) = Notification.objects.all()
    assert (told.seat, told.what) == ("ada-marsh", ["sent back"])


def test_an_edit_that_says_the_same_again_asks_for_nothing(skill: PageView) -> None:
    assert save_page(actor=admin(), page_id=skill.id, base_version=1, body="One.").pending_version is None
    propose(skill)
    assert propose(skill).version == 2
    assert Revision.objects.filter(page_id=skill.id).count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_approvals_at_once_one_counts_and_neither_is_told_no(reviewing: Company) -> None:
    made = create_page(actor=admin(), title="Races", body="One.", container="TS")
    outcomes = at_once([
        partial(approve_page, actor=admin(f"reviewer-{number}"), page_id=made.id, version=1) for number in range(4)
    ])  # fmt: skip
    assert [getattr(one, "status", one) for one in outcomes] == [PageStatus.PUBLISHED] * 4
    assert AuditEntry.objects.filter(verb="approve_page").count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_approval_that_meets_a_newer_edit_never_lets_through_what_nobody_saw(reviewing: Company) -> None:
    made = create_page(actor=admin(), title="Races", body="One.", container="TS")
    approve_page(actor=REVIEWER, page_id=made.id, version=1)
    for base in range(1, 6):
        head = page_to_edit(actor=admin(), page_id=made.id)
        seen = save_page(actor=admin(), page_id=made.id, base_version=head.version, body=f"seen {base}")
        approved, edited = at_once([
            partial(approve_page, actor=REVIEWER, page_id=made.id, version=seen.version),
            partial(save_page, actor=admin(), page_id=made.id, base_version=seen.version, body=f"unseen {base}"),
        ])  # fmt: skip
        assert isinstance(edited, PageView), edited
        assert edited.version > seen.version
        if isinstance(approved, Refused):
            assert approved.code is Code.STALE_VERSION
            assert approved.extras == {"current_version": edited.version}
        assert not row(made.id).body.startswith("unseen")
        assert row(made.id).held_version == edited.version
    newest = Revision.objects.filter(page_id=made.id).latest("version")
    assert (newest.state, newest.created_at <= timezone.now()) == ("pending", True)


@pytest.mark.django_db(transaction=True)
def test_an_approval_that_meets_the_trash_comes_before_or_is_told_so(reviewing: Company) -> None:
    for number in range(4):
        made = create_page(actor=admin(), title=f"Race {number}", body="One.", container="TS")
        approved, trashed = at_once([
            partial(approve_page, actor=REVIEWER, page_id=made.id, version=1),
            partial(trash_page, actor=admin(), page_id=made.id),
        ])  # fmt: skip
        assert isinstance(trashed, PageView), trashed
        if isinstance(approved, Refused):
            assert approved.code is Code.TRASHED
        kept = row(made.id)
        assert kept.trashed_from == ("draft" if isinstance(approved, Refused) else "published")
        assert (kept.held_version is None) is not isinstance(approved, Refused)
