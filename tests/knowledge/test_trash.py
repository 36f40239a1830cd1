"""The trash: what goes in together, what comes back, and what is gone for good."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from company.models import AuditEntry, Change, Event
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.models import FormerAddress, Page, PageStatus, PurgedPage, Revision
from knowledge.reads.pages import get_page, list_pages, page_at
from knowledge.rules.edits import make_edit
from knowledge.writes.pages import (
    edit_page,
    move_page,
    purge_page,
    rename_page,
    restore_page,
    save_page,
    set_labels,
    trash_page,
    watch_page,
)
from tests.factories import admin, agent, human
from tests.knowledge.pages import page, proven_admin, row, window

pytestmark = pytest.mark.usefixtures("harbour")


def trashed_ids() -> set[int]:
    return set(Page.objects.filter(status=PageStatus.TRASHED).values_list("pk", flat=True))


@pytest.mark.covers("PG-12")
def test_a_trashed_page_is_gone_for_readers_and_there_for_those_who_may_restore_it() -> None:
    made = page()
    trashed = trash_page(actor=agent(), page_id=made.id)
    assert (trashed.status, trashed.version) == (PageStatus.TRASHED, 1)
    assert trashed.trashed_at is not None
    for reader in (agent(), agent("lead-bot"), admin()):
        assert get_page(actor=reader, page_id=made.id).status is PageStatus.TRASHED
        assert list_pages(actor=reader, window=window()).total == 0
        assert list_pages(actor=reader, window=window(), status=PageStatus.TRASHED).total == 1
    with pytest.raises(Refused) as caught:
        get_page(actor=human(), page_id=made.id)
    assert caught.value.code is Code.NOT_FOUND
    assert list_pages(actor=human(), window=window(), status=PageStatus.TRASHED).total == 0
    with pytest.raises(Refused) as caught:
        page_at(actor=agent(), container="ENG", title=made.title)
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.covers("PG-12")
def test_a_subtree_falls_and_comes_back_together_and_what_was_trashed_before_stays() -> None:
    top = page("Top")
    child = page("Child", parent_id=top.id)
    below = page("Below", parent_id=child.id)
    earlier = page("Earlier", parent_id=child.id)
    trash_page(actor=agent(), page_id=earlier.id)
    Change.objects.all().delete()
    trash_page(actor=agent(), page_id=top.id)
    assert trashed_ids() == {top.id, child.id, below.id, earlier.id}
    assert set(Change.objects.values_list("object_id", flat=True)) == {top.id, child.id, below.id}
    restored = restore_page(actor=agent(), page_id=top.id)
    assert (restored.pages, restored.parent_id, restored.moved, restored.left) == (3, None, False, ())
    assert trashed_ids() == {earlier.id}
    assert restored.page.version == 1
    assert [event.type for event in Event.objects.order_by("id")][-2:] == ["page.trashed", "page.restored"]


@pytest.mark.covers("PG-12")
def test_a_page_whose_parent_is_still_in_the_trash_lands_at_its_nearest_living_ancestor() -> None:
    top = page("Top")
    middle = page("Middle", parent_id=top.id)
    child = page("Child", parent_id=middle.id)
    page("Leaf", parent_id=child.id)
    trash_page(actor=agent(), page_id=middle.id)
    restored = restore_page(actor=agent(), page_id=child.id)
    assert (restored.pages, restored.parent_id, restored.moved) == (2, top.id, True)
    assert trashed_ids() == {middle.id}
    assert restore_page(actor=agent(), page_id=middle.id).pages == 1
    assert row(child.id).parent_id == top.id


@pytest.mark.covers("PG-12")
def test_a_title_claimed_meanwhile_is_said_and_another_title_brings_the_page_back() -> None:
    made = page("Runbook")
    trash_page(actor=agent(), page_id=made.id)
    claimed = page("RUNBOOK")
    with pytest.raises(Refused) as caught:
        restore_page(actor=agent(), page_id=made.id)
    assert (caught.value.code, caught.value.extras) == (Code.TITLE_TAKEN, {"page_id": claimed.id})
    assert row(made.id).status == PageStatus.TRASHED
    restored = restore_page(actor=agent(), page_id=made.id, title="Old runbook")
    assert (restored.page.title, restored.page.version) == ("Old runbook", 2)
    assert Revision.objects.get(page_id=made.id, version=2).title == "Old runbook"


@pytest.mark.covers("PG-12")
def test_a_descendant_whose_title_was_claimed_stays_with_what_lies_beneath_it() -> None:
    top = page("Top")
    child = page("Child", parent_id=top.id)
    leaf = page("Leaf", parent_id=child.id)
    other = page("Other", parent_id=top.id)
    trash_page(actor=agent(), page_id=top.id)
    page("child")
    restored = restore_page(actor=agent(), page_id=top.id)
    assert (restored.pages, restored.left) == (2, (child.id, leaf.id))
    assert trashed_ids() == {child.id, leaf.id}
    assert row(other.id).status == PageStatus.PUBLISHED
    trash_page(actor=agent(), page_id=top.id)
    assert restore_page(actor=agent(), page_id=top.id).left == ()
    later = restore_page(actor=agent(), page_id=child.id, title="Child again")
    assert (later.pages, later.parent_id, later.moved) == (2, top.id, False)
    assert trashed_ids() == set()


def test_a_draft_comes_back_from_the_trash_as_a_draft() -> None:
    parent = page(status=PageStatus.DRAFT)
    child = page("Child draft", parent_id=parent.id, status=PageStatus.DRAFT)
    trash_page(actor=agent(), page_id=parent.id)
    restore_page(actor=agent(), page_id=parent.id)
    assert {row(parent.id).status, row(child.id).status} == {"draft"}


def test_a_restored_page_takes_its_address_back_from_a_redirect() -> None:
    made = page("Runbook")
    trash_page(actor=agent(), page_id=made.id)
    other = page("Runbook")
    rename_page(actor=agent(), page_id=other.id, title="Guide")
    restore_page(actor=agent(), page_id=made.id)
    assert not FormerAddress.objects.exists()


@pytest.mark.covers("PG-12")
def test_a_write_to_a_trashed_page_is_trashed_for_those_who_see_it_and_not_found_for_others() -> None:
    made = page()
    trash_page(actor=agent(), page_id=made.id)
    before = row(made.id)

    def writes(actor: Actor) -> list[Code]:
        attempts: list[Callable[[], object]] = [
            lambda: save_page(actor=actor, page_id=made.id, base_version=1, body="x"),
            lambda: edit_page(actor=actor, page_id=made.id, edit=make_edit(mode="append", text="x")),
            lambda: rename_page(actor=actor, page_id=made.id, title="x"),
            lambda: set_labels(actor=actor, page_id=made.id, labels=["x"]),
            lambda: move_page(actor=actor, page_id=made.id, parent_id=None, container="PROD"),
            lambda: watch_page(actor=actor, page_id=made.id, on=False),
            lambda: trash_page(actor=actor, page_id=made.id),
        ]
        codes = []
        for attempt in attempts:
            with pytest.raises(Refused) as caught:
                attempt()
            codes.append(caught.value.code)
        return codes

    assert set(writes(agent())) == {Code.TRASHED}
    assert set(writes(human())) == {Code.NOT_FOUND}
    assert row(made.id).updated_at == before.updated_at


def test_restoring_a_living_page_is_refused() -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        restore_page(actor=agent(), page_id=made.id)
    assert (caught.value.code, caught.value.status) == (Code.INVALID, 409)


@pytest.mark.covers("PG-21")
def test_trash_and_restore_are_the_creators_the_leads_and_an_admins() -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        trash_page(actor=human(), page_id=made.id)
    assert caught.value.code is Code.FORBIDDEN
    for actor in (agent(), agent("lead-bot"), admin()):
        trash_page(actor=actor, page_id=made.id)
        restore_page(actor=actor, page_id=made.id)


@pytest.mark.covers("PG-13", "PG-23")
def test_a_purge_removes_the_page_and_its_history_and_files_its_children_above() -> None:
    top = page("Top")
    middle = page("Middle", parent_id=top.id)
    child = page("Child", parent_id=middle.id)
    rename_page(actor=agent(), page_id=middle.id, title="Middle again")
    trash_page(actor=agent(), page_id=middle.id)
    assert purge_page(actor=proven_admin(), page_id=middle.id, reason="holds a secret") == middle.id
    assert not Page.objects.filter(pk=middle.id).exists()
    assert not Revision.objects.filter(page_id=middle.id).exists()
    assert not FormerAddress.objects.filter(page_id=middle.id).exists()
    assert (row(child.id).parent_id, row(child.id).status) == (top.id, "trashed")
    marker = PurgedPage.objects.get()
    assert (marker.page_id, marker.purged_by_name, marker.operator_id, marker.reason) == (
        middle.id, "root", "login:root", "holds a secret",
    )  # fmt: skip
    assert AuditEntry.objects.filter(verb="purge_page", target_id=str(middle.id)).count() == 1
    restored = restore_page(actor=agent(), page_id=child.id)
    assert (restored.parent_id, restored.moved) == (top.id, False)
    with pytest.raises(Refused) as caught:
        save_page(actor=agent(), page_id=middle.id, base_version=2, body="late")
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.covers("PG-13", "PG-21")
@pytest.mark.parametrize(
    ("actor", "code"),
    [
        (agent("lead-bot"), Code.FORBIDDEN),
        (human(), Code.FORBIDDEN),
        (admin(), Code.PROOF_REQUIRED),
    ],
)
def test_a_purge_is_an_admins_alone_with_a_recent_proof(actor: Actor, code: Code) -> None:
    made = page()
    trash_page(actor=agent(), page_id=made.id)
    with pytest.raises(Refused) as caught:
        purge_page(actor=actor, page_id=made.id, reason="because")
    assert caught.value.code is code
    assert row(made.id).pk == made.id


@pytest.mark.covers("PG-13")
def test_a_purge_needs_a_reason_and_a_page_in_the_trash() -> None:
    made = page()
    with pytest.raises(Refused) as caught:
        purge_page(actor=proven_admin(), page_id=made.id, reason="because")
    assert (caught.value.code, caught.value.status) == (Code.INVALID, 409)
    trash_page(actor=agent(), page_id=made.id)
    with pytest.raises(Refused) as caught:
        purge_page(actor=proven_admin(), page_id=made.id, reason=" \n")
    assert caught.value.code is Code.REQUIRED
