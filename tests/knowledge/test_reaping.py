"""The trash empties itself: what is purged and when, what is left alone, what fails, and never twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from unittest import mock

import pytest
from django.db import connection
from django.utils import timezone

from company.models import AuditEntry, Event
from knowledge import tasks
from knowledge.models import FailedPurge, Notification, Page, PageStatus, PurgedPage, TrashPass
from knowledge.reads.trash import reaper_state
from knowledge.rules.reaping import KEPT_FOR, RETRY_AFTER
from knowledge.writes import reaping
from knowledge.writes.pages import restore_page, trash_page, watch_page
from knowledge.writes.pages.purging import Reaped, reap_page
from knowledge.writes.reaping import reap_trash
from tests.factories import admin, agent, human, install_company
from tests.knowledge.pages import page, row
from tests.knowledge.sizes import copies

OLD = KEPT_FOR + timedelta(hours=1)


def trashed(title: str, *, ago: timedelta = OLD, parent_id: int | None = None) -> int:
    """A page that was put into the trash some time ago."""
    made = page(title, parent_id=parent_id)
    trash_page(actor=agent(), page_id=made.id)
    aged(made.id, ago=ago)
    return made.id


def aged(page_id: int, *, ago: timedelta = OLD) -> None:
    Page.objects.filter(trashed_with=page_id).update(trashed_at=timezone.now() - ago)


def left() -> set[str]:
    return set(Page.objects.values_list("title", flat=True))


@pytest.mark.covers("TR-01")
def test_what_was_trashed_more_than_30_days_ago_is_purged_and_nothing_else(harbour: object) -> None:
    gone = trashed("Old")
    trashed("Nearly", ago=KEPT_FOR - timedelta(minutes=1))
    page("Living")
    assert [(done.purged, done.failed) for done in reap_trash()] == [(1, 0)]
    assert left() == {"Nearly", "Living"}
    marker = PurgedPage.objects.get(page_id=gone)
    assert (marker.purged_by_name, marker.purged_by_kind, marker.operator_id) == (
        "trash-reaper", "operator", "engine:trash-reaper",
    )  # fmt: skip
    assert "30 days" in marker.reason
    entry = AuditEntry.objects.filter(verb="purge_page").get()
    assert entry.detail["operation"].startswith(f"trash-reap:{gone}:")


@pytest.mark.covers("TR-01")
def test_a_pass_that_stops_at_its_bound_is_followed_at_once_oldest_first(harbour: object) -> None:
    for number in range(5):
        trashed(f"Page {number}", ago=OLD + timedelta(days=number))
    with mock.patch.object(reaping, "reap_page", wraps=reap_page) as asked:
        passes = reap_trash(at_most=2)
    assert [(done.purged, done.stopped) for done in passes] == [(2, True), (2, True), (1, False)]
    order = list(PurgedPage.objects.filter(page_id__in=[call.kwargs["page_id"] for call in asked.mock_calls]))
    titles = {marker.page_id: marker.title for marker in order}
    assert [titles[call.kwargs["page_id"]] for call in asked.mock_calls] == [
        f"Page {number}" for number in (4, 3, 2, 1, 0)
    ]
    assert TrashPass.objects.count() == 3


@pytest.mark.covers("TR-02")
def test_a_page_restored_while_a_pass_runs_stays(harbour: object) -> None:
    first, second = trashed("First", ago=OLD * 2), trashed("Second")

    def restore_the_second(*, page_id: int, cutoff: object) -> Reaped:
        if page_id == first:
            restore_page(actor=agent(), page_id=second)
        return reap_page(page_id=page_id, cutoff=cutoff)  # type: ignore[arg-type]

    with mock.patch.object(reaping, "reap_page", side_effect=restore_the_second):
        passes = reap_trash()
    assert [(done.purged, done.skipped) for done in passes] == [(1, 1)]
    assert row(second).status == PageStatus.PUBLISHED


@pytest.mark.covers("TR-02")
def test_the_term_runs_from_the_latest_trashing(harbour: object) -> None:
    again = trashed("Again")
    cutoff = timezone.now() - KEPT_FOR
    restore_page(actor=agent(), page_id=again)
    trash_page(actor=agent(), page_id=again)
    assert reap_page(page_id=again, cutoff=cutoff) is Reaped.KEPT
    assert [done.purged for done in reap_trash()] == [0]
    assert left() == {"Again"}
    assert reap_page(page_id=987_654, cutoff=cutoff) is Reaped.KEPT


@pytest.mark.covers("TR-02", "TR-03")
def test_a_purge_that_fails_holds_up_no_other_and_is_tried_again_under_its_operation(harbour: object) -> None:
    stuck, fine = trashed("Stuck", ago=OLD * 2), trashed("Fine")

    def fails_once(*, page_id: int, cutoff: object) -> Reaped:
        if page_id == stuck:
            raise RuntimeError("the disk is full")
        return reap_page(page_id=page_id, cutoff=cutoff)  # type: ignore[arg-type]

    with (
        mock.patch.object(reaping, "reap_page", side_effect=fails_once),
        mock.patch.object(tasks.reap_trash_now, "apply_async") as asked,
    ):
        tasks.reap_trash_now()
    assert asked.call_args.kwargs["countdown"] >= RETRY_AFTER.total_seconds()
    assert left() == {"Stuck"}
    assert not Page.objects.filter(pk=fine).exists()
    kept = FailedPurge.objects.get()
    assert (kept.subject_id, kept.attempts, kept.error) == (stuck, 1, "RuntimeError: the disk is full")
    state = reaper_state(actor=admin())
    assert (state.failed[0].title, state.passes[0].purged, state.passes[0].failed) == ("Stuck", 1, 1)
    assert [done.purged for done in reap_trash()] == [0]
    now = timezone.now() + RETRY_AFTER + timedelta(seconds=1)
    with mock.patch.object(reaping, "reap_page", side_effect=fails_once):
        reap_trash(now=now)
    assert (FailedPurge.objects.get().attempts, FailedPurge.objects.get().operation) == (2, kept.operation)
    assert [done.purged for done in reap_trash(now=now + RETRY_AFTER + timedelta(seconds=1))] == [1]
    assert not FailedPurge.objects.exists()
    assert AuditEntry.objects.get(target_id=str(stuck), verb="purge_page").detail["operation"] == kept.operation


@pytest.mark.covers("TR-03")
def test_nobody_is_notified_and_the_pass_is_recorded(harbour: object) -> None:
    made = page("Watched")
    watch_page(actor=human(), page_id=made.id, on=True)
    trash_page(actor=agent(), page_id=made.id)
    aged(made.id)
    Notification.objects.all().delete()
    reap_trash()
    assert Notification.objects.count() == 0
    event = Event.objects.get(type="duty.trash_reap")
    assert event.payload == {"purged": 1, "skipped": 0, "failed": 0, "stopped": False}
    reap_trash()
    assert TrashPass.objects.count() == 2
    assert Event.objects.filter(type="duty.trash_reap").count() == 1


@pytest.mark.covers("PG-13", "TR-01")
def test_a_branch_that_fell_together_goes_together_and_what_lives_beneath_moves_up(harbour: object) -> None:
    top = page("Top")
    middle = page("Middle", parent_id=top.id)
    page("Leaf", parent_id=middle.id)
    trash_page(actor=agent(), page_id=top.id)
    aged(top.id)
    assert [done.purged for done in reap_trash()] == [3]
    assert left() == set()


@contextmanager
def several(number: int) -> Iterator[list[int]]:
    """Beats that ask at the same time; how much each purged."""
    purged: list[int] = []

    def beat() -> None:
        try:
            purged.append(sum(done.purged for done in reap_trash(at_most=10)))
        finally:
            connection.close()

    threads = [threading.Thread(target=beat) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    yield purged


@pytest.mark.covers("TR-01")
@pytest.mark.django_db(transaction=True)
def test_two_beats_at_once_purge_nothing_twice() -> None:
    install_company()
    copies(30, title="Old {:03}", trashed_at=timezone.now() - OLD)
    with several(2) as purged:
        assert sum(purged) == 30
    assert PurgedPage.objects.count() == 30
    assert Event.objects.filter(type="page.purged").count() == 30
