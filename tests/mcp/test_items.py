"""The tools of work items, each for success and for a refusal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pytest_django import Settings

from company.models import AuditEntry
from knowledge.search.indexing import Indexing
from tests.factories import person, token_for
from tests.mcp.doors import OPERATOR, Assistant, Site
from tracker.models import Item

pytestmark = pytest.mark.covers("AP-02")


def test_an_item_is_filed_read_changed_and_listed(engineer: Assistant) -> None:
    words = "Since *Friday*.\r\n\r\nNo final newline"
    said = engineer.said(
        "create_work_item", title="Holds do not expire", description=words, type="bug", due="2026-12-24"
    )
    assert re.match(r"item ENG-1 · \S+/tracker/items/ENG-1 · version 1 · Holds do not expire\n\nFiled\.", said)
    read = engineer.said("get_work_item", item="ENG-1")
    assert read.partition("\n\n")[2] == words
    assert "bug · todo · priority none · assigned to nobody\ndue 2026-12-24\n" in read
    engineer.said("update_work_item", item="ENG-1", status="in_progress", assignee="lead-bot", due="", base_version=1)
    assert engineer.said("list_work_items", status="open", assignee="lead-bot") == (
        "1 item\n\n- ENG-1 · in_progress · none · lead-bot · Holds do not expire"
    )
    assert engineer.said("list_work_items", assignee="me") == "No item fits."
    assert "- ENG · Engineering · 1 of 1 open" in engineer.said("list_projects")
    assert AuditEntry.objects.get(verb="create_item").door == "mcp"


def test_comments_on_an_item_are_written_and_put_better(engineer: Assistant) -> None:
    engineer.said("create_work_item", title="Holds")
    engineer.said("create_work_item", title="Other")
    first = int(engineer.said("comment_on_work_item", item="ENG-1", body="Why?").split()[1])
    engineer.said("comment_on_work_item", item="ENG-1", body="Because.", reply_to=first)
    assert engineer.said("comment_on_work_item", item="ENG-1", body="Why then?", edit=first).endswith("changed")
    assert engineer.refused("comment_on_work_item", item="ENG-2", body="text", edit=first) == "not_found"
    assert engineer.refused("comment_on_work_item", item="ENG-9", body="text") == "not_found"


@pytest.mark.covers("TK-02")
def test_items_are_searched_by_what_they_say(engineer: Assistant, tmp_path: Path, settings: Settings) -> None:
    settings.INDEX_DIR = tmp_path / "index"
    engineer.said("create_work_item", title="Holds do not expire", description="A held berth stays held.")
    Indexing(settings.INDEX_DIR).catch_up()
    said = engineer.said("search_work_items", query="berth", mode="keyword")
    assert "1. ENG-1 · todo · Holds do not expire\n   A held berth stays held." in said
    assert engineer.said("search_work_items", query="lighthouse", mode="keyword").startswith("No item matches.")
    assert engineer.refused("search_work_items", query="berth", mode="telepathy") == "unknown_mode"
    assert engineer.refused("search_work_items", query="") == "required"


def test_what_is_refused_of_an_item_has_the_codes_of_every_door(engineer: Assistant, site: Site) -> None:
    engineer.said("create_work_item", title="Holds")
    assert engineer.refused("create_work_item", title="X", project="NOPE") == "unknown_project"
    assert engineer.refused("create_work_item") == "required"
    assert engineer.refused("get_work_item", item="ENG-9") == "not_found"
    assert engineer.refused("list_work_items", status="asleep") == "invalid"
    assert engineer.refused("update_work_item", item="ENG-1", status="asleep") == "invalid"
    assert engineer.refused("update_work_item", item="ENG-1", description="text") == "required"
    engineer.said("update_work_item", item="ENG-1", description="first", base_version=1)
    stale = engineer.call("update_work_item", item="ENG-1", description="second", base_version=1)
    assert (stale.code, stale.data["current_version"]) == ("stale_version", 2)
    assert Item.objects.get().description == "first"
    with site.assistant(token_for(holder=person("ada", permissions=["knowledge"]), name="ada"), OPERATOR) as ada:
        assert "list_projects" not in ada.tools()
        assert ada.refused("list_projects") == "forbidden"
