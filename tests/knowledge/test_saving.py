"""Creating, saving, editing and renaming pages, at the write functions."""

from __future__ import annotations

from typing import Any

import pytest

from company.models import AuditEntry, Change, Event
from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from knowledge.models import FormerAddress, Page, PageStatus, Revision
from knowledge.reads.pages import get_page, page_at
from knowledge.reads.shapes import MovedTo, PageView
from knowledge.rules.edits import make_edit
from knowledge.writes.pages import (
    create_page,
    edit_page,
    rename_page,
    restore_revision,
    save_page,
    set_labels,
    trash_page,
    watch_page,
)
from tests.factories import admin, agent, human
from tests.knowledge.pages import page, row

pytestmark = pytest.mark.usefixtures("harbour")


def refused(**made: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        create_page(actor=made.pop("actor", agent()), **{"title": "A title", "body": "", "container": "ENG", **made})
    return caught.value


@pytest.mark.covers("PG-01", "SE-12", "PG-23")
def test_a_new_page_is_version_one_and_leaves_its_revision_audit_event_and_change() -> None:
    made = page("  Deploy\tRunbook ", "Ship it.\r\n", labels=["ops", "ops"], message="first draft")
    assert (made.title, made.address, made.version) == ("Deploy Runbook", "ENG/deploy runbook", 1)
    assert (made.body, made.labels, made.status) == ("Ship it.\r\n", ("ops",), PageStatus.PUBLISHED)
    assert made.author == made.saved_by == agent().author
    assert made.created_at == made.saved_at == made.updated_at
    assert 0 <= row(made.id).search_bucket < 64
    revision = Revision.objects.get(page_id=made.id)
    assert (revision.version, revision.body, revision.message) == (1, "Ship it.\r\n", "first draft")
    assert (revision.author_name, revision.operator_id) == ("engineer-bot", "token:1")
    audit = AuditEntry.objects.get()
    assert (audit.verb, audit.target_id, audit.version_before, audit.version_after) == (
        "create_page", str(made.id), None, 1,
    )  # fmt: skip
    event = Event.objects.get()
    assert (event.type, event.payload["page_id"], event.seat) == ("page.created", made.id, "engineer-bot")
    change = Change.objects.get()
    assert (change.kind, change.object_id, change.container) == ("page", made.id, "ENG")


@pytest.mark.covers("PG-02")
def test_a_page_under_a_key_nobody_declares_is_refused_and_told_how_to_declare_it() -> None:
    refusal = refused(container="LEGAL")
    assert refusal.code is Code.UNKNOWN_CONTAINER
    assert "LEGAL" in refusal.detail
    assert "company document" in refusal.detail
    assert refused(container="eng").code is Code.UNKNOWN_CONTAINER
    assert not Page.objects.exists()


@pytest.mark.covers("PG-02")
def test_a_page_without_a_container_lands_beside_its_parent_else_at_its_writers_home() -> None:
    parent = page(container="PROD")
    assert page("Child", parent_id=parent.id).container == "PROD"
    assert create_page(actor=agent(), title="Mine", body="").container == "ENG"
    assert create_page(actor=human(), title="Mine too", body="").container == "ADA"


@pytest.mark.covers("PG-02")
def test_a_credential_without_a_seat_is_told_that_a_container_is_needed() -> None:
    refusal = refused(actor=admin(), container=None)
    assert refusal.code is Code.CONTAINER_REQUIRED


@pytest.mark.covers("PG-03")
@pytest.mark.parametrize("title", ["deploy runbook", "DEPLOY   Runbook", " Deploy\nrunbook "])
def test_a_title_that_differs_in_case_or_spacing_alone_is_taken(title: str) -> None:
    first = page("Deploy Runbook")
    refusal = refused(title=title)
    assert refusal.code is Code.TITLE_TAKEN
    assert refusal.extras == {"page_id": first.id}
    assert page(title, container="PROD").container == "PROD"


@pytest.mark.covers("PG-03")
def test_a_page_is_reached_by_its_address_in_any_spelling() -> None:
    made = page("Cafe\u0301 Öffnung")
    found = page_at(actor=agent(), container="ENG", title="CAFÉ  öffnung")
    assert isinstance(found, PageView)
    assert found.id == made.id


@pytest.mark.covers("PG-08")
def test_a_parent_must_be_a_living_page_of_the_same_space() -> None:
    elsewhere, trashed = page("There", container="PROD"), page("Gone")
    trash_page(actor=agent(), page_id=trashed.id)
    for parent_id in (elsewhere.id, trashed.id, 10**6):
        refusal = refused(parent_id=parent_id)
        assert refusal.code is Code.PARENT_INVALID
        assert refusal.problems[0].attr == "parent_id"


def test_watchers_are_the_creators_seat_and_those_it_names_and_strangers_are_invalid() -> None:
    assert page(watchers=["product-bot", "engineer-bot"]).watchers == ("engineer-bot", "product-bot")
    assert page("By no seat", by=admin(), watchers=["product-bot"]).watchers == ("product-bot",)
    assert refused(watchers=["nobody"]).problems[0].attr == "watchers"


@pytest.mark.covers("PG-05")
def test_a_save_states_its_base_and_makes_the_next_revision() -> None:
    made = page()
    saved = save_page(actor=human(), page_id=made.id, base_version=1, body="Ship it twice.", message="twice")
    assert (saved.version, saved.body, saved.saved_by) == (2, "Ship it twice.", human().author)
    assert saved.author == agent().author
    assert [revision.body for revision in Revision.objects.order_by("version")] == ["Ship it.", "Ship it twice."]


@pytest.mark.covers("PG-05")
def test_a_save_on_a_stale_base_is_refused_with_the_current_version_and_loses_nothing() -> None:
    made = page()
    save_page(actor=agent(), page_id=made.id, base_version=1, body="Theirs.")
    with pytest.raises(Refused) as caught:
        save_page(actor=human(), page_id=made.id, base_version=1, body="Mine.")
    assert caught.value.code is Code.STALE_VERSION
    assert caught.value.extras == {"current_version": 2}
    assert get_page(actor=agent(), page_id=made.id).body == "Theirs."


def test_a_base_the_page_has_never_reached_is_stale_too() -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        save_page(actor=agent(), page_id=made.id, base_version=2, body="Mine.")
    assert caught.value.code is Code.STALE_VERSION


@pytest.mark.covers("PG-05", "PG-11")
def test_a_save_of_an_unchanged_body_makes_no_revision_and_leaves_no_trace() -> None:
    made = page()
    saved = save_page(actor=human(), page_id=made.id, base_version=1, body="Ship it.")
    assert saved == made
    assert AuditEntry.objects.count() == Change.objects.count() == Revision.objects.count() == 1


@pytest.mark.covers("PG-05")
def test_a_save_whose_base_differs_by_renames_alone_is_accepted() -> None:
    made = page()
    rename_page(actor=agent(), page_id=made.id, title="Deploy guide")
    saved = save_page(actor=human(), page_id=made.id, base_version=1, body="More.")
    assert (saved.version, saved.title, saved.body) == (3, "Deploy guide", "More.")


@pytest.mark.covers("PG-05")
def test_a_form_that_sends_the_title_it_was_opened_with_does_not_undo_a_rename_made_meanwhile() -> None:
    made = page("Deploy runbook")
    rename_page(actor=agent(), page_id=made.id, title="Deploy guide")
    saved = save_page(actor=human(), page_id=made.id, base_version=1, body="More.", title="Deploy runbook")
    assert (saved.title, saved.body) == ("Deploy guide", "More.")


@pytest.mark.covers("PG-05", "PG-11")
def test_labels_watching_and_their_time_leave_version_and_last_save_alone() -> None:
    made = page()
    labelled = set_labels(actor=human(), page_id=made.id, labels=["b", "a"])
    watched = watch_page(actor=human(), page_id=made.id, on=True)
    assert labelled.labels == ("b", "a")
    assert watched.watchers == ("engineer-bot", "ada-marsh")
    assert (watched.version, watched.saved_at, watched.saved_by) == (1, made.saved_at, made.saved_by)
    assert watched.updated_at > labelled.updated_at > made.updated_at
    assert save_page(actor=agent(), page_id=made.id, base_version=1, body="Still fine.").version == 2


@pytest.mark.covers("PG-06")
def test_a_saves_note_is_its_writers_or_none() -> None:
    made = page(body="# A heading")
    save_page(actor=agent(), page_id=made.id, base_version=1, body="# A heading\nmore")
    save_page(actor=agent(), page_id=made.id, base_version=2, body="# Other", message=" why\nso ")
    assert [revision.message for revision in Revision.objects.order_by("version")] == ["", "", "why so"]


@pytest.mark.covers("PG-17")
def test_edits_need_no_base_but_one_that_is_given_is_checked() -> None:
    made = page(body="one\r\ntwo")
    edit_page(actor=agent(), page_id=made.id, edit=make_edit(mode="append", text="\r\nthree"))
    edit_page(actor=agent(), page_id=made.id, edit=make_edit(mode="prepend", text="zero\r\n"), base_version=2)
    saved = edit_page(actor=agent(), page_id=made.id, edit=make_edit(mode="replace_text", text="2", find="two"))
    assert saved.body == "zero\r\none\r\n2\r\nthree"
    with pytest.raises(Refused) as caught:
        edit_page(actor=agent(), page_id=made.id, edit=make_edit(mode="append", text="!"), base_version=1)
    assert caught.value.code is Code.STALE_VERSION


@pytest.mark.covers("PG-01")
def test_an_edit_that_would_grow_the_body_over_its_limit_is_refused_with_the_limit() -> None:
    made = page(body="x" * 524_288)
    with pytest.raises(Refused) as caught:
        edit_page(actor=agent(), page_id=made.id, edit=make_edit(mode="append", text="y"))
    assert (caught.value.code, caught.value.extras) == (Code.TOO_LONG, {"limit": 524_288})
    assert row(made.id).version == 1


@pytest.mark.covers("PG-04")
def test_a_rename_moves_the_address_frees_the_old_one_and_leads_on_from_it() -> None:
    made = page("Deploy runbook")
    renamed = rename_page(actor=agent(), page_id=made.id, title="Deploy guide")
    assert (renamed.version, renamed.title, renamed.address) == (2, "Deploy guide", "ENG/deploy guide")
    assert page_at(actor=human(), container="ENG", title="Deploy Runbook") == MovedTo(
        page_id=made.id, container="ENG", title="Deploy guide"
    )
    claimed = page("Deploy runbook")
    found = page_at(actor=human(), container="ENG", title="deploy runbook")
    assert isinstance(found, PageView)
    assert found.id == claimed.id
    assert not FormerAddress.objects.exists()


@pytest.mark.covers("PG-04")
def test_renaming_back_reclaims_the_old_address() -> None:
    made = page("A")
    for title in ("B", "C", "A"):
        rename_page(actor=agent(), page_id=made.id, title=title)
    assert row(made.id).version == 4
    assert set(FormerAddress.objects.values_list("address", flat=True)) == {"b", "c"}


@pytest.mark.covers("PG-04")
def test_a_rename_of_case_alone_is_a_revision_and_keeps_the_address() -> None:
    made = page("Deploy Runbook")
    renamed = rename_page(actor=agent(), page_id=made.id, title="DEPLOY RUNBOOK")
    assert (renamed.version, renamed.title, renamed.address) == (2, "DEPLOY RUNBOOK", made.address)
    assert not FormerAddress.objects.exists()
    assert Event.objects.filter(type="page.renamed").count() == 1


@pytest.mark.covers("PG-04")
def test_a_rename_to_the_title_shown_succeeds_and_does_nothing() -> None:
    made = page("Deploy Runbook")
    assert rename_page(actor=agent(), page_id=made.id, title=" Deploy Runbook ") == made
    assert AuditEntry.objects.count() == 1


@pytest.mark.covers("PG-04", "PG-03")
def test_a_rename_onto_another_page_is_refused_with_its_id() -> None:
    first, second = page("First"), page("Second")
    with pytest.raises(Refused) as caught:
        rename_page(actor=agent(), page_id=second.id, title="FIRST")
    assert (caught.value.code, caught.value.extras) == (Code.TITLE_TAKEN, {"page_id": first.id})
    assert row(second.id).title == "Second"


def test_body_and_title_together_are_one_revision_and_two_events() -> None:
    made = page()
    saved = save_page(actor=agent(), page_id=made.id, base_version=1, body="New.", title="New", labels=["x"])
    assert (saved.version, saved.title, saved.body, saved.labels) == (2, "New", "New.", ("x",))
    assert list(Event.objects.order_by("id").values_list("type", flat=True)) == [
        "page.created", "page.saved", "page.renamed",
    ]  # fmt: skip
    assert Change.objects.count() == 2


@pytest.mark.parametrize(
    ("asked", "code", "attr"),
    [
        ({}, Code.REQUIRED, "body"),
        ({"body": "x"}, Code.REQUIRED, "base_version"),
        ({"body": "x", "base_version": 1, "edit": make_edit(mode="append", text="x")}, Code.INVALID, "edit"),
        ({"status": PageStatus.DRAFT}, Code.INVALID, "status"),
        ({"body": "a\x00b", "base_version": 1}, Code.INVALID, "body"),
        ({"body": "\ud800", "base_version": 1}, Code.INVALID, "body"),
        ({"title": " \u200b "}, Code.INVALID, "title"),
        ({"labels": ["x" * 65]}, Code.TOO_LONG, "labels"),
    ],
)
def test_a_save_of_the_wrong_shape_changes_nothing(asked: dict[str, Any], code: Code, attr: str) -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        save_page(actor=agent(), page_id=made.id, **asked)
    assert (caught.value.code, caught.value.problems[0].attr) == (code, attr)
    assert get_page(actor=agent(), page_id=made.id) == made


@pytest.mark.covers("PG-07")
def test_a_revision_comes_back_as_a_new_one_and_keeps_the_title() -> None:
    made = page(body="one")
    save_page(actor=agent(), page_id=made.id, base_version=1, body="two", title="Other")
    brought = restore_revision(actor=human(), page_id=made.id, version=1, base_version=2)
    assert (brought.version, brought.body, brought.title, brought.author) == (3, "one", "Other", human().author)
    assert restore_revision(actor=human(), page_id=made.id, version=1, base_version=3).version == 3
    with pytest.raises(Refused) as caught:
        restore_revision(actor=human(), page_id=made.id, version=2, base_version=1)
    assert caught.value.code is Code.STALE_VERSION


def test_a_draft_is_seen_by_its_author_lead_and_admin_until_it_is_published() -> None:
    draft = page(status=PageStatus.DRAFT)
    for reader in (agent(), agent("lead-bot"), admin()):
        assert get_page(actor=reader, page_id=draft.id).status is PageStatus.DRAFT
    with pytest.raises(Refused) as caught:
        save_page(actor=human(), page_id=draft.id, base_version=1, body="x")
    assert caught.value.code is Code.NOT_FOUND
    published = save_page(actor=agent("lead-bot"), page_id=draft.id, status=PageStatus.PUBLISHED)
    assert (published.status, published.version) == (PageStatus.PUBLISHED, 1)
    assert get_page(actor=human(), page_id=draft.id).version == 1


def test_a_credential_without_a_seat_watches_nothing_and_leaves_no_trace() -> None:
    made = page()
    assert watch_page(actor=admin(), page_id=made.id, on=True) == made
    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize("actor", [human(), agent("product-bot")])
def test_renaming_somebody_elses_page_is_refused_but_saving_it_is_not(actor: Actor) -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        rename_page(actor=actor, page_id=made.id, title="Mine now")
    assert caught.value.code is Code.FORBIDDEN
    assert save_page(actor=actor, page_id=made.id, base_version=1, body="Better.").version == 2


def test_a_write_is_judged_by_the_document_in_force(harbour: Company) -> None:
    made = page()
    assert made.url == f"https://harbour.example/knowledge/pages/{made.id}"
