"""Writers that meet: real threads, real transactions, and nothing lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from company.models import AuditEntry
from company.rules.refusals import Code, Refused
from knowledge.models import Page, PageStatus, Revision
from knowledge.reads.shapes import PageView
from knowledge.writes.pages import (
    Restored,
    create_page,
    move_page,
    purge_page,
    rename_page,
    restore_page,
    save_page,
    trash_page,
)
from tests.factories import admin, agent
from tests.knowledge.pages import page, proven_admin, row
from tests.threads import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("harbour")]


def codes(outcomes: list[PageView | Exception]) -> list[Code]:
    """The codes of the refusals; any other exception fails the test."""
    found = []
    for outcome in outcomes:
        if isinstance(outcome, Refused):
            found.append(outcome.code)
        elif isinstance(outcome, Exception):
            raise outcome
    return found


def reach(page_id: int | None) -> int:
    """How many pages above lie on the way to the top; fails on a loop or on a parent elsewhere."""
    steps, seen = 0, set()
    while page_id is not None:
        assert page_id not in seen, "a loop"
        seen.add(page_id)
        here = row(page_id)
        if here.parent_id is not None:
            assert row(here.parent_id).container == here.container
        page_id = here.parent_id
        steps += 1
    return steps


@pytest.mark.slow
@pytest.mark.covers("PG-05")
def test_of_fifty_saves_on_one_base_exactly_one_wins_every_round_and_nothing_is_lost() -> None:
    made = page(body="round 0")
    for base in range(1, 6):
        outcomes = at_once([
            partial(save_page, actor=agent(), page_id=made.id, base_version=base, body=f"round {base} writer {writer}")
            for writer in range(50)
        ])  # fmt: skip
        winners = [outcome for outcome in outcomes if isinstance(outcome, PageView)]
        assert len(winners) == 1
        assert codes(outcomes) == [Code.STALE_VERSION] * 49
        assert row(made.id).body == winners[0].body
    assert row(made.id).version == 6
    assert [revision.version for revision in Revision.objects.order_by("version")] == [1, 2, 3, 4, 5, 6]
    assert AuditEntry.objects.filter(verb="save_page").count() == 5


@pytest.mark.covers("PG-17")
def test_edits_that_name_no_base_all_go_in() -> None:
    from knowledge.rules.edits import make_edit

    made = page(body="")
    edits = [make_edit(mode="append", text=f"<{number}>") for number in range(12)]
    outcomes = at_once([partial(save_page, actor=agent(), page_id=made.id, edit=edit) for edit in edits])
    assert codes(outcomes) == []
    assert sorted(row(made.id).body.strip("<>").split("><"), key=int) == [str(number) for number in range(12)]
    assert row(made.id).version == 13


@pytest.mark.covers("PG-08")
def test_two_opposite_moves_never_make_a_loop() -> None:
    first, second = page("First"), page("Second")
    for _ in range(10):
        outcomes = at_once([
            partial(move_page, actor=agent(), page_id=first.id, parent_id=second.id),
            partial(move_page, actor=agent(), page_id=second.id, parent_id=first.id),
        ])  # fmt: skip
        assert codes(outcomes) == [Code.PARENT_INVALID]
        assert max(reach(first.id), reach(second.id)) == 2
        for made in (first, second):
            move_page(actor=agent(), page_id=made.id, parent_id=None)


@pytest.mark.covers("PG-08", "PG-09")
def test_moves_between_containers_that_cross_never_orphan_a_page_nor_wait_for_each_other() -> None:
    tops = {container: page(f"Top of {container}", container=container) for container in ("ENG", "PROD", "ADA")}
    pages = [page(f"Page {number}", container="ENG") for number in range(6)]
    for lap in range(4):
        moves: list[Callable[[], PageView]] = []
        for number, moving in enumerate(pages):
            target = ("ENG", "PROD", "ADA")[(number + lap) % 3]
            moves.append(
                partial(move_page, actor=agent(), page_id=moving.id, parent_id=tops[target].id, container=target)
            )
            other = pages[(number + 1) % len(pages)]
            moves.append(partial(move_page, actor=agent(), page_id=moving.id, parent_id=other.id))
        assert set(codes(at_once(moves))) <= {Code.PARENT_INVALID}
        for moved in pages:
            reach(moved.id)


@pytest.mark.covers("PG-03")
def test_of_creates_on_one_title_one_wins_and_the_others_are_told_its_id() -> None:
    outcomes = at_once([
        partial(create_page, actor=agent(), title=title, body="", container="ENG")
        for title in ("Runbook", "RUNBOOK", " runbook ", "Runbook")
    ])  # fmt: skip
    winner = next(outcome for outcome in outcomes if isinstance(outcome, PageView))
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert [refusal.code for refusal in refusals] == [Code.TITLE_TAKEN] * 3
    assert {refusal.extras["page_id"] for refusal in refusals} == {winner.id}
    assert Page.objects.count() == Revision.objects.count() == 1


@pytest.mark.covers("PG-04")
def test_two_renames_that_want_each_others_address_do_not_wait_for_each_other() -> None:
    first, second = page("First"), page("Second")
    for _ in range(5):
        titles = row(first.id).title, row(second.id).title
        outcomes = at_once([
            partial(rename_page, actor=agent(), page_id=first.id, title=titles[1]),
            partial(rename_page, actor=agent(), page_id=second.id, title=titles[0]),
        ])  # fmt: skip
        assert codes(outcomes) == [Code.TITLE_TAKEN] * 2


@pytest.mark.covers("PG-12", "PG-05")
def test_a_save_and_a_trash_at_once_leave_a_trashed_page_with_whole_history() -> None:
    for number in range(8):
        made = page(f"Page {number}")
        saved, trashed = at_once([
            partial(save_page, actor=agent(), page_id=made.id, base_version=1, body="Saved."),
            partial(trash_page, actor=agent(), page_id=made.id),
        ])  # fmt: skip
        assert isinstance(trashed, PageView)
        here = row(made.id)
        assert here.status == PageStatus.TRASHED
        if isinstance(saved, Refused):
            assert (saved.code, here.body, here.version) == (Code.TRASHED, "Ship it.", 1)
        else:
            assert (here.body, here.version) == ("Saved.", 2)
        assert Revision.objects.filter(page_id=made.id).count() == here.version


@pytest.mark.covers("PG-12", "PG-08")
def test_a_child_created_while_its_parent_falls_never_stays_behind_living() -> None:
    for number in range(8):
        parent = page(f"Parent {number}")
        at_once([
            partial(create_page, actor=agent(), title=f"Child {number}", body="", parent_id=parent.id),
            partial(trash_page, actor=agent(), page_id=parent.id),
        ])  # fmt: skip
        assert not Page.objects.filter(parent_id=parent.id).exclude(status=PageStatus.TRASHED).exists()


@pytest.mark.covers("PG-13")
def test_a_restore_and_a_purge_at_once_end_in_one_of_the_two() -> None:
    for number in range(6):
        made = page(f"Page {number}")
        trash_page(actor=agent(), page_id=made.id)
        calls: list[Callable[[], Restored | int]] = [
            partial(restore_page, actor=admin(), page_id=made.id),
            partial(purge_page, actor=proven_admin(), page_id=made.id, reason="race"),
        ]
        restored, purged = at_once(calls)
        if isinstance(restored, Restored):
            assert isinstance(purged, Refused)
            assert purged.status == 409
            assert row(made.id).status == PageStatus.PUBLISHED
        else:
            assert purged == made.id
            assert isinstance(restored, Refused)
            assert restored.code is Code.NOT_FOUND
