"""Notifications: who is told of what, in how many rows, and who reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from company.rules.actors import Actor, Permission, Scope
from company.rules.refusals import Code, Refused
from company.rules.windows import Window, parse_window
from knowledge.models import Notification, PageStatus, PruningPass
from knowledge.reads.notifications import CURSOR_WIDTH, NotificationView, count_unread, list_notifications
from knowledge.writes import notifications
from knowledge.writes.comments import add_comment, edit_comment
from knowledge.writes.notifications import mark_read
from knowledge.writes.pages import (
    move_page,
    purge_page,
    rename_page,
    restore_page,
    save_page,
    set_labels,
    trash_page,
    watch_page,
)
from knowledge.writes.pruning import forget_prunings, prune_notifications
from tests.factories import admin, agent, human, person
from tests.knowledge.pages import page, proven_admin
from tests.threads import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("harbour"), pytest.mark.covers("PG-15")]


def inbox(reader: Actor | None = None, *, unread: bool = False) -> tuple[NotificationView, ...]:
    return list_notifications(actor=reader or human(), window=Window(limit=500), unread=unread).listing.results


def told(reader: Actor | None = None) -> list[tuple[int | None, int, str]]:
    """Page, count and what of each notification."""
    return [(one.page_id, one.count, " ".join(one.what)) for one in inbox(reader)]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """It is this time until another is set."""
    moment = datetime(2026, 3, 1, 9, 59, 30, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    return moment


def test_a_creator_watches_and_hears_of_what_others_do_and_never_of_their_own() -> None:
    made = page(by=human())
    assert made.watchers == ("ada-marsh",)
    save_page(actor=human(), page_id=made.id, base_version=1, body="own")
    assert told() == []
    save_page(actor=agent(), page_id=made.id, base_version=2, body="another's")
    assert told() == [(made.id, 1, "saved")]


def test_changes_within_an_hour_are_one_row_and_the_next_hour_begins_another(
    at: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = page(by=human(), container="ADA")
    save_page(actor=agent(), page_id=made.id, base_version=1, body="two")
    add_comment(actor=admin(), page_id=made.id, body="Why?")
    save_page(actor=agent(), page_id=made.id, base_version=2, body="three")
    (one,) = inbox()
    assert (one.count, one.what) == (3, ("saved", "commented"))
    assert [actor.as_dict() for actor in one.actors] == [
        {"name": "engineer-bot", "kind": "agent"},
        {"name": "root", "kind": "operator"},
    ]
    monkeypatch.setattr(timezone, "now", lambda: at + timedelta(minutes=1))
    save_page(actor=agent(), page_id=made.id, base_version=3, body="four")
    assert told() == [(made.id, 1, "saved"), (made.id, 3, "saved commented")]


def test_one_save_of_text_title_and_labels_counts_once() -> None:
    made = page(by=human())
    save_page(actor=agent("lead-bot"), page_id=made.id, base_version=1, body="x", title="New", labels=["a"])
    assert told() == [(made.id, 1, "saved")]


@pytest.mark.covers("PG-04")
@pytest.mark.parametrize("title", ["DEPLOY RUNBOOK", "Releasing"])
def test_each_kind_of_rename_tells_watchers_and_the_title_it_has_tells_nobody(title: str) -> None:
    made = page(by=human())
    rename_page(actor=agent("lead-bot"), page_id=made.id, title=title)
    rename_page(actor=agent("lead-bot"), page_id=made.id, title=title)
    assert told() == [(made.id, 1, "renamed")]
    assert inbox()[0].title == title


def test_moves_trash_and_restore_are_news_and_labels_order_watching_and_purges_are_not() -> None:
    above, made = page("Above"), page(by=human())
    set_labels(actor=agent(), page_id=made.id, labels=["ops"])
    watch_page(actor=agent(), page_id=made.id, on=True)
    move_page(actor=agent(), page_id=made.id, parent_id=None, before=above.id)
    assert told() == []
    move_page(actor=agent(), page_id=made.id, parent_id=above.id)
    trash_page(actor=agent("lead-bot"), page_id=made.id)
    restore_page(actor=agent("lead-bot"), page_id=made.id)
    assert told() == [(made.id, 3, "moved trashed restored")]
    trash_page(actor=human(), page_id=made.id)
    before = Notification.objects.count()
    purge_page(actor=proven_admin(), page_id=made.id, reason="old")
    assert Notification.objects.count() < before


@pytest.mark.covers("PG-12")
def test_trashing_a_branch_tells_each_watcher_once() -> None:
    top = page("Top", by=human())
    under = page("Under", by=human(), parent_id=top.id)
    page("Leaf", by=agent("product-bot"), parent_id=under.id)
    page("Leaf two", by=agent("product-bot"), parent_id=under.id)
    trash_page(actor=agent("lead-bot"), page_id=top.id)
    assert told() == [(top.id, 1, "trashed")]
    assert [what for _, _, what in told(agent("product-bot"))] == ["trashed"]
    restore_page(actor=agent("lead-bot"), page_id=top.id)
    assert told() == [(top.id, 2, "trashed restored")]


def test_creating_is_no_news_to_watchers_or_to_the_lead() -> None:
    page(by=agent(), watchers=["ada-marsh"])
    assert Notification.objects.count() == 0


def test_watchers_named_at_the_create_hear_of_what_comes_after() -> None:
    made = page(by=agent(), watchers=["ada-marsh"])
    save_page(actor=agent(), page_id=made.id, base_version=1, body="x")
    assert told() == [(made.id, 1, "saved")]
    watch_page(actor=human(), page_id=made.id, on=False)
    save_page(actor=agent(), page_id=made.id, base_version=2, body="y")
    assert told() == [(made.id, 1, "saved")]


def test_the_lead_of_a_space_hears_of_its_pages_without_watching_them() -> None:
    made = page(by=agent())
    save_page(actor=human(), page_id=made.id, base_version=1, body="x")
    assert told(agent("lead-bot")) == [(made.id, 1, "saved")]
    assert "lead-bot" not in made.watchers


def test_a_mention_is_told_and_subscribes_nobody() -> None:
    made = page(by=agent())
    add_comment(actor=agent("product-bot"), page_id=made.id, body="@ada-marsh and `@lead-bot` and @nobody")
    assert told() == [(made.id, 1, "commented mentioned")]
    assert told(agent("lead-bot")) == [(made.id, 1, "commented")]  # as the lead of the space, not by the code
    add_comment(actor=agent("product-bot"), page_id=made.id, body="more")
    assert told() == [(made.id, 1, "commented mentioned")]


def test_an_edit_of_a_comment_tells_only_whom_it_mentions_anew() -> None:
    made = page(by=human())
    comment = add_comment(actor=human(), page_id=made.id, body="@engineer-bot look")
    edit_comment(actor=human(), comment_id=comment.id, body="@engineer-bot and @product-bot look")
    assert told(agent()) == [(made.id, 1, "commented mentioned")]
    assert told(agent("product-bot")) == [(made.id, 1, "mentioned")]


def test_a_mention_in_a_page_is_told_when_it_is_written_and_not_again() -> None:
    made = page("Plan", "@ada-marsh decides.", by=agent())
    assert told() == [(made.id, 1, "mentioned")]
    save_page(actor=agent(), page_id=made.id, base_version=1, body="@ada-marsh decides soon.")
    assert told() == [(made.id, 1, "mentioned")]
    save_page(actor=agent(), page_id=made.id, base_version=2, body="@product-bot and @ada-marsh decide.")
    assert told(agent("product-bot")) == [(made.id, 1, "saved mentioned")]


@pytest.mark.covers("PG-20")
def test_edits_in_the_skills_container_notify_nobody() -> None:
    seated = human("ada-marsh", Permission.ADMIN)
    made = page("A skill", by=seated, container="TS")
    save_page(actor=admin(), page_id=made.id, base_version=1, body="@engineer-bot and @ada-marsh")
    rename_page(actor=admin(), page_id=made.id, title="Renamed")
    trash_page(actor=admin(), page_id=made.id)
    restore_page(actor=admin(), page_id=made.id)
    assert Notification.objects.count() == 0


def test_of_a_draft_only_those_hear_who_see_it_and_all_when_it_is_published() -> None:
    person("ada", seat="ada-marsh", permissions=["knowledge"])
    made = page("Plan", "@ada-marsh", by=agent(), status=PageStatus.DRAFT, watchers=["ada-marsh", "product-bot"])
    save_page(actor=agent("lead-bot"), page_id=made.id, base_version=1, body="@ada-marsh!")
    assert {one.seat for one in Notification.objects.all()} == {"engineer-bot"}
    save_page(actor=agent("lead-bot"), page_id=made.id, status=PageStatus.PUBLISHED)
    assert told() == [(made.id, 1, "published mentioned")]
    assert told(agent("product-bot")) == [(made.id, 1, "published")]


def test_an_administrator_with_a_seat_hears_of_a_draft_they_watch() -> None:
    person("ada", seat="ada-marsh", permissions=["admin"])
    made = page(by=agent(), status=PageStatus.DRAFT, watchers=["ada-marsh"])
    save_page(actor=agent(), page_id=made.id, base_version=1, body="x")
    assert told() == [(made.id, 1, "saved")]


def test_a_credential_without_a_seat_subscribes_nobody_and_has_an_empty_inbox() -> None:
    made = page(by=admin(), container="ENG")
    assert made.watchers == ()
    save_page(actor=agent("lead-bot"), page_id=made.id, base_version=1, body="x")
    assert Notification.objects.count() == 0
    assert inbox(admin()) == ()
    assert mark_read(actor=admin(), everything=True) == notifications.Marked(read=0, unread=0)


def test_reading_is_per_seat_and_a_later_change_is_unread_again(at: datetime) -> None:
    made = page(by=human(), watchers=["product-bot"])
    save_page(actor=agent(), page_id=made.id, base_version=1, body="x")
    (one,) = inbox()
    others = inbox(agent("product-bot"))[0]
    assert mark_read(actor=human(), ids=[one.id, others.id, 2**62]) == notifications.Marked(read=1, unread=0)
    assert inbox()[0].read_at == at
    assert count_unread(agent("product-bot")) == 1
    assert mark_read(actor=human(), ids=[one.id]).read == 0
    save_page(actor=agent(), page_id=made.id, base_version=2, body="y")
    assert (inbox()[0].count, inbox()[0].read_at, count_unread(human())) == (2, None, 1)
    assert mark_read(actor=human(), everything=True) == notifications.Marked(read=1, unread=0)
    assert inbox(unread=True) == ()


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({}, Code.REQUIRED),
        ({"ids": [1], "everything": True}, Code.INVALID),
        ({"ids": list(range(501))}, Code.TOO_LONG),
    ],
)
def test_marking_says_what_was_read(asked: dict[str, object], code: Code) -> None:
    with pytest.raises(Refused) as refused:
        mark_read(actor=human(), **asked)  # type: ignore[arg-type]
    assert refused.value.code is code


def test_without_the_app_an_inbox_is_closed_and_a_token_that_reads_may_mark() -> None:
    with pytest.raises(Refused) as refused:
        inbox(replace(human(), permissions=frozenset()))
    assert refused.value.code is Code.FORBIDDEN
    assert mark_read(actor=human(scopes=frozenset({Scope.READ})), everything=True).read == 0


def test_an_inbox_is_paged_latest_first_with_a_fixed_number_of_queries(
    django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        moment = datetime(2026, 3, 1, number // 2, tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", partial(lambda moment: moment, moment))
        made = page(f"Page {number}", by=human())
        save_page(actor=agent(), page_id=made.id, base_version=1, body="x")
    whole = [one.id for one in inbox()]
    assert len(whole) == 7
    paged: list[int] = []
    after: str | None = None
    while True:
        with django_assert_num_queries(3):
            found = list_notifications(actor=human(), window=parse_window("3", after, width=CURSOR_WIDTH))
        assert (found.listing.total, found.unread) == (7, 7)
        paged += [one.id for one in found.listing.results]
        after = found.listing.after
        if after is None:
            break
    assert paged == whole


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_tellers_of_many_seats_and_readers_at_once_neither_deadlock_nor_lose_a_count(at: datetime) -> None:
    seats = ["ada-marsh", "lead-bot", "product-bot"]
    pages = [page(f"Page {number}", by=agent(), watchers=seats, body="") for number in range(4)]
    say: list[Callable[[], object]] = [
        partial(add_comment, actor=agent(), page_id=pages[number % 4].id, body=f"{number}") for number in range(24)
    ]
    read: list[Callable[[], object]] = [partial(mark_read, actor=agent(seat), everything=True) for seat in seats * 3]
    outcomes = at_once([*say, *read])
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
    for seat in seats:
        assert sum(one.count for one in Notification.objects.filter(seat=seat)) == 24
        assert Notification.objects.filter(seat=seat).count() == 4


def test_what_was_read_long_ago_is_removed_in_passes_that_are_recorded_and_what_is_unread_stays() -> None:
    now = timezone.now()
    for number in range(5):
        save_page(actor=agent("product-bot"), page_id=page(f"Read {number}").id, body="changed", base_version=1)
    unread = page("Unread")
    save_page(actor=agent("product-bot"), page_id=unread.id, body="changed", base_version=1)
    long_ago = now - timedelta(days=400)
    Notification.objects.update(last_at=long_ago, hour=long_ago)
    Notification.objects.exclude(page_id=unread.id).update(read_at=now - timedelta(days=91))
    fresh = Notification.objects.filter(page__title="Read 0")
    fresh.update(read_at=now - timedelta(days=89))
    assert prune_notifications(kept=timedelta(days=90), now=now, at_most=2) == [2, 2, 2, 2, 0]
    assert [one.title for one in inbox(agent())] == ["Unread", "Read 0"]
    assert [one.removed for one in PruningPass.objects.order_by("pk")] == [2, 2, 2, 2, 0]
    assert prune_notifications(kept=timedelta(days=90), now=now) == [0]
    assert forget_prunings(before=timezone.now()) == 6


@pytest.mark.django_db(transaction=True)
def test_two_processes_do_not_prune_at_once() -> None:
    outcomes = at_once([partial(prune_notifications, kept=timedelta(days=90))] * 3)
    assert [0] in outcomes
    assert all(outcome in ([], [0]) for outcome in outcomes)


def test_the_inbox_says_how_long_it_keeps_what_was_read_and_an_administrator_when_it_was_looked_after() -> None:
    prune_notifications(kept=timedelta(days=90))
    screens = Client()
    screens.force_login(person("ada", permissions=["knowledge"], seat="ada-marsh"))
    assert "Last looked" not in screens.get("/notifications").content.decode()
    save_page(actor=agent(), page_id=page("Mine", by=human()).id, body="changed", base_version=1)
    assert "removed 90 days later" in screens.get("/notifications").content.decode()
    root = Client()
    root.force_login(person("root", permissions=["admin"]))
    assert "Last looked just now, removed 0 notifications." in " ".join(
        re.sub(r"<[^>]*>", "", root.get("/notifications").content.decode()).split()
    )
