"""A project that the company declares no longer, while items stand in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client

from company.rules.refusals import Code, Refused
from tests.factories import HARBOUR, agent, install_company
from tests.screens.browsers import browser_of
from tests.tracker.items import item, row, save
from tracker.writes.comments import comment_item
from tracker.writes.importing import import_items
from tracker.writes.items import move_item, restore_item, trash_item
from tracker.writes.projects import sync_projects

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("harbour")]


@pytest.fixture
def left(harbour: object) -> Client:
    """ENG-1 in a project that has left the document, and a person who works on it."""
    item("Left behind", description="text")
    item("Its child", parent="ENG-1", assignee="ada-marsh")
    units = tuple(replace(unit, project="OPS") if unit.key == "engineering" else unit for unit in HARBOUR.units)
    sync_projects(install_company(replace(HARBOUR, units=units)))
    return browser_of("mia", "knowledge", "tracker", seat="ada-marsh")


@pytest.mark.covers("TK-01", "TK-03")
def test_its_items_are_worked_on_and_leave_it_and_it_takes_no_new_one(left: Client) -> None:
    save("ENG-1", status="in_progress", description="more", base_version=1)
    comment_item(actor=agent(), key="ENG-1", body="Still here.")
    trash_item(actor=agent(), key="ENG-1")
    restore_item(actor=agent(), key="ENG-1")
    for refuse in (
        lambda: item("New"),
        lambda: import_items(actor=agent(), data=b"title\nx\n", source="x.csv", project="ENG"),
    ):
        with pytest.raises(Refused) as refused:
            refuse()
        assert refused.value.code is Code.UNKNOWN_PROJECT
        assert "'ENG'" in refused.value.detail
    assert move_item(actor=agent(), key="ENG-1", project="OPS").key == "ENG-1"
    assert item("First", project="OPS").key == "OPS-1"
    with pytest.raises(Refused):
        move_item(actor=agent(), key="ENG-1", project="ENG")
    assert row("ENG-1").project == "OPS"


@pytest.mark.covers("TK-02")
def test_every_screen_of_it_still_opens(left: Client) -> None:
    for address in (
        "/tracker?project=ENG", "/tracker/board?project=ENG", "/tracker/mine", "/tracker/items/ENG-1",
        "/tracker/items/ENG-1/edit", "/tracker/items/ENG-1/move", "/tracker/items/ENG-1/activity",
        "/tracker/new?project=ENG", "/tracker/import", "/tracker/trash",
    ):  # fmt: skip
        answer = left.get(address)
        assert answer.status_code == 200, address
    assert "Left behind" in left.get("/tracker?project=ENG").content.decode()
    assert "Left behind" in left.get("/tracker/board?project=ENG").content.decode()
    shown = left.get("/tracker/items/ENG-1").content.decode()
    assert "declared no more" in shown or "no longer declared" in shown


@pytest.mark.covers("TK-01")
def test_numbers_go_on_where_they_were_once_it_is_declared_again(left: Client) -> None:
    sync_projects(install_company())
    assert item("Next").key == "ENG-3"
