"""The trash on screen: what lies in it and for whom, bringing back, and removing for good with the password again."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from company.models import Person
from company.rules.proofs import SESSION_KEY
from knowledge.models import Page, PageStatus, PurgedPage, TrashPass
from knowledge.writes.pages import purge_page, trash_page
from tests.factories import agent, human
from tests.knowledge.pages import page, proven_admin, row

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.mark.covers("PG-12", "UI-02")
def test_the_trash_says_what_fell_with_what_by_whom_and_until_when(ada: Client, root: Client) -> None:
    top = page("Runbooks", by=human())
    page("Beneath", by=human(), parent_id=top.id)
    page("Of an agent", container="PROD")
    trash_page(actor=human(), page_id=top.id)
    other = Page.objects.get(title="Of an agent")
    trash_page(actor=agent(), page_id=other.pk)
    shown = text_of(ada.get("/knowledge/ENG/trash"))
    assert "Runbooks" in shown
    assert "with 1 page beneath it" in shown
    assert "by ada-marsh" in shown
    ends = timezone.now() + timedelta(days=30)
    assert f"{ends.day} {ends:%b %Y}" in shown
    assert "How the trash empties itself" not in shown
    everything = text_of(ada.get("/knowledge/trash"))
    assert "Of an agent" not in everything
    assert "Of an agent" in text_of(root.get("/knowledge/trash"))


@pytest.mark.covers("PG-12", "UI-02")
def test_a_trash_without_anything_for_its_reader_says_so(ada: Client, root: Client, stranger: Client) -> None:
    assert "Nothing here that you may bring back" in text_of(ada.get("/knowledge/trash"))
    assert "The trash is empty" in text_of(root.get("/knowledge/ENG/trash"))
    assert stranger.get("/knowledge/trash").status_code == 403


@pytest.mark.covers("PG-12", "UI-02")
def test_ones_own_page_that_fell_with_somebody_elses_can_be_brought_back_alone(ada: Client) -> None:
    top = page("Of an agent")
    mine = page("Mine", by=human(), parent_id=top.id)
    trash_page(actor=agent(), page_id=top.id)
    shown = text_of(ada.get("/knowledge/ENG/trash"))
    assert "fell with a page above it" in shown
    answer = ada.post(f"/knowledge/pages/{mine.id}/restore", follow=True)
    assert "stands at the top of ENG now" in text_of(answer)


@pytest.mark.covers("PG-12", "UI-02")
def test_a_restore_says_where_the_page_landed_and_what_was_left(ada: Client) -> None:
    above = page("Above", by=human())
    middle = page("Middle", by=human(), parent_id=above.id)
    child = page("Child", by=human(), parent_id=middle.id)
    page("Taken", by=human(), parent_id=child.id)
    trash_page(actor=human(), page_id=child.id)
    trash_page(actor=human(), page_id=middle.id)
    page("Taken", by=human())
    shown = text_of(ada.post(f"/knowledge/pages/{child.id}/restore", follow=True))
    assert "so it stands under “Above” now" in shown
    assert "“Taken” stays in the trash, because its title was taken meanwhile" in shown


@pytest.mark.covers("PG-13", "UI-02")
def test_removing_for_good_asks_for_a_reason_and_the_password_again(root: Client) -> None:
    made = page("Wrong upload")
    trash_page(actor=agent(), page_id=made.id)
    address = f"/knowledge/pages/{made.id}/purge"
    assert 'name="password"' in text_of(root.get(address))
    without = root.post(address, {"reason": "Personal data"})
    assert without.status_code == 403
    assert "Personal data" in text_of(without)
    wrong = root.post(address, {"reason": "Personal data", "password": "a guess"})
    assert "This is not your password." in text_of(wrong)
    nothing = root.post(address, {"reason": " ", "password": "a long password"})
    assert "Say why" in text_of(nothing)
    assert 'name="password"' not in text_of(nothing)
    assert row(made.id).status == PageStatus.TRASHED
    done = root.post(address, {"reason": "Personal data"}, follow=True)
    assert "is gone for good" in text_of(done)
    assert PurgedPage.objects.get(page_id=made.id).reason == "Personal data"
    session = root.session
    assert session[SESSION_KEY] > timezone.now().isoformat()
    assert Person.objects.filter(login="root").exists()


@pytest.mark.covers("PG-13")
def test_only_administrators_remove_for_good_and_only_from_the_trash(ada: Client, root: Client) -> None:
    made = page("Mine", by=human())
    assert root.get(f"/knowledge/pages/{made.id}/purge").status_code == 409
    trash_page(actor=human(), page_id=made.id)
    assert "/purge" not in text_of(ada.get("/knowledge/trash"))
    answer = ada.post(f"/knowledge/pages/{made.id}/purge", {"reason": "No more", "password": "a long password"})
    assert answer.status_code == 403
    assert row(made.id).status == PageStatus.TRASHED


@pytest.mark.covers("PG-13")
def test_what_fell_with_a_removed_page_stays_in_the_trash_and_hangs_together(root: Client) -> None:
    top = page("Top")
    child = page("Child", parent_id=top.id)
    page("Leaf", parent_id=child.id)
    trash_page(actor=agent(), page_id=top.id)
    purge_page(actor=proven_admin(), page_id=top.id, reason="Wrong")
    assert "with 1 page beneath it" in text_of(root.get("/knowledge/trash"))
    assert row(child.id).trashed_with == child.id
    assert "Restored with 1 more" in text_of(root.post(f"/knowledge/pages/{child.id}/restore", follow=True))


@pytest.mark.covers("TR-03")
def test_administrators_are_shown_what_the_duty_did(root: Client) -> None:
    now = timezone.now()
    TrashPass.objects.create(started_at=now, ended_at=now, cutoff=now, purged=412, skipped=3, failed=0)
    assert "412" in text_of(root.get("/knowledge/trash"))


@pytest.mark.covers("UI-02")
def test_the_trash_costs_the_same_queries_whatever_lies_in_it(
    ada: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(60):
        made = page(f"Page {number}", by=human())
        trash_page(actor=human(), page_id=made.id)
    ada.get("/knowledge/trash")
    with django_assert_max_num_queries(5):
        shown = text_of(ada.get("/knowledge/trash"))
    assert "More of 60 pages" in shown
    assert "Page 5" in text_of(ada.get("/knowledge/trash?after=" + shown.split("?after=")[1].split('"')[0]))
