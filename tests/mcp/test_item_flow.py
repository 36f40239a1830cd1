"""A day of work over the official client: an agent files, moves, relates, searches and meets a person's edit.
And a file that a person brings in by the served form while the server goes on answering."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx2
import pytest
from django.test import Client
from pytest_django import Settings

from knowledge.models import Notification
from knowledge.search.indexing import Indexing
from tests.factories import person, token_for
from tests.mcp.doors import Assistant, Site
from tests.tracker.items import ada, save
from tracker.models import Item
from tracker.writes.comments import comment_item

pytestmark = pytest.mark.covers("AP-02", "TK-01")


@pytest.mark.covers("TK-02")
def test_an_agent_works_an_item_from_filing_to_done_and_meets_a_person_on_it(
    engineer: Assistant, site: Site, tmp_path: Path, settings: Settings
) -> None:
    settings.INDEX_DIR = tmp_path / "index"
    engineer.said("create_work_item", title="Holds do not expire", description="A held berth stays held.", type="bug")
    engineer.said("create_work_item", title="Clocks differ", parent="ENG-1", assignee="engineer-bot")
    engineer.said("comment_on_work_item", item="ENG-1", body="It waits for ENG-2, @ada-marsh.")
    assert Notification.objects.filter(seat="ada-marsh").exists()
    engineer.said("update_work_item", item="ENG-2", relation="blocks", other="ENG-1")
    assert engineer.refused("update_work_item", item="ENG-1", relation="blocks", other="ENG-2") == "invalid"
    assert engineer.refused("update_work_item", item="ENG-1", relation="relates", status="done") == "invalid"
    assert engineer.refused("update_work_item", item="ENG-1", other="ENG-2") == "required"
    engineer.said("update_work_item", item="ENG-2", relation="relates", other="ENG-1")
    engineer.said("update_work_item", item="ENG-2", relation="relates", other="ENG-1", remove=True)
    read = engineer.said("get_work_item", item="ENG-1")
    assert "\nBlocked by ENG-2 Clocks differ (todo)\n" in read
    assert "Relates" not in read
    for status in ("in_progress", "in_review", "done"):
        engineer.said("update_work_item", item="ENG-2", status=status)
    assert engineer.said("list_work_items", assignee="me", status="open") == "No item fits."
    Indexing(settings.INDEX_DIR).catch_up()
    assert "ENG-1" in engineer.said("search_work_items", query="held berth", mode="keyword")

    version = _version(engineer.said("get_work_item", item="ENG-1"))
    save("ENG-1", by=ada(), description="A held berth stays held until the tide.", base_version=version)
    save("ENG-1", by=ada(), priority="high")
    comment_item(actor=ada(), key="ENG-1", body="I put it better.")
    engineer.said("update_work_item", item="ENG-1", status="in_progress", base_version=version)  # nobody else moved it
    late = engineer.call("update_work_item", item="ENG-1", description="Late.", base_version=version)
    assert (late.code, late.data["current_version"]) == ("stale_version", version + 3)
    read = engineer.said("get_work_item", item="ENG-1")
    assert "until the tide" in read
    text = read.partition("\n\n")[2]
    engineer.said("update_work_item", item="ENG-1", description=f"{text}\n\nSeen.", base_version=_version(read))
    kept = Item.objects.get(key="ENG-1")
    assert (kept.status, kept.priority, kept.description) == (
        "in_progress", "high", "A held berth stays held until the tide.\n\nSeen."
    )  # fmt: skip


def _version(said: str) -> int:
    found = re.search(r"· version (\d+) ·", said)
    assert found is not None
    return int(found[1])


def test_a_served_form_tells_each_batch_as_it_comes_in_while_others_are_answered(site: Site) -> None:
    mia = person("mia", permissions=["tracker"], seat="ada-marsh")
    browser = Client()
    browser.force_login(mia)
    csrf = browser.get("/tracker/import").cookies["csrftoken"].value
    cookies = {"sessionid": browser.cookies["sessionid"].value, "csrftoken": csrf}
    token = {"Authorization": f"Bearer {token_for(holder=mia)}"}
    data = "title\n" + "".join(f"Row {number}\n" for number in range(600))
    with httpx2.Client(base_url=site.url, timeout=60, cookies=cookies, headers={"Referer": site.url}) as http:
        form = {"project": "ENG", "csrfmiddlewaretoken": csrf}
        sent = {"data": form, "files": {"file": ("board.csv", data.encode())}, "headers": {"HX-Request": "true"}}
        with http.stream("POST", "/tracker/import", **sent) as answer:  # type: ignore[arg-type]
            assert answer.status_code == 200
            done = []
            for line in answer.iter_lines():
                step = json.loads(line)
                done.append(step.get("done"))
                assert http.get("/api/v1/items?limit=1", headers=token).status_code == 200
    assert done == [0, 200, 400, 600, None]
    assert "600 created" in step["html"]
    assert Item.objects.count() == 600
