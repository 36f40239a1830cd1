"""The knowledge screens full of what strains them: long titles and words, two directions of writing, many parts."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from company.models import Person
from crewlet_site.environment import storage_of
from knowledge.search.indexing import Indexing
from knowledge.search.pages import PageCorpus
from knowledge.writes.attachments import attach_file
from knowledge.writes.comments import add_comment
from knowledge.writes.pages import create_page, save_page, set_labels, trash_page
from tests.factories import agent, human
from tests.screens.test_in_a_browser import RUNBOOK, desk, serious_faults  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft and what it does at night"
HEBREW = "מדריך להפעלת הרציף הצפוני בחורף"
SCREENS = (
    "/knowledge", "/knowledge/ENG?open={top}", "/knowledge/pages/{top}", "/knowledge/pages/{top}/linked-from",
    "/knowledge/pages/{top}/history", "/knowledge/pages/{top}/activity",
    "/knowledge/pages/{top}/compare?from=1&to=2&as=unified", "/knowledge/pages/{top}/compare?from=1&to=2&as=split",
    "/knowledge/pages/{top}/history/1/restore", "/knowledge/pages/{long}/move", "/knowledge/pages/{gone}",
    "/knowledge/pages/{gone}/purge", "/knowledge/trash", "/knowledge/ENG/trash", "/notifications",
    "/notifications?show=unread", "/knowledge/new?container=ENG", "/knowledge/pages/{rtl}/edit", "/search?q=quay+north",
    "/search?q=zzzz",
)  # fmt: skip


def furnish(folder: Path, settings: Settings) -> dict[str, int]:
    """Pages with everything a page can have; their numbers by the names `SCREENS` uses."""
    settings.INDEX_DIR = folder / "index"
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=folder / "files")}
    Person.objects.filter(login="ada").update(seat="ada-marsh")
    bot, lead = agent(), agent("lead-bot")
    where: dict[str, Any] = {"container": "ENG", "watchers": ["ada-marsh"]}
    top = create_page(actor=bot, title="Quay operations", body=RUNBOOK, **where).id
    link = f"See [it](/pages/{top}) and [nothing](/pages/99999).\n\n"
    long = create_page(actor=bot, title=f"{LONG} {LONG}"[:200], body=link + "x" * 300, parent_id=top, **where).id
    rtl = create_page(actor=bot, title=HEBREW, body=f"# {HEBREW}\n\n{link}- אחת\n- שתיים\n", parent_id=top, **where).id
    for page_id in (top, long, rtl):
        set_labels(actor=bot, page_id=page_id, labels=["template", "quay", "מזח"])
    changed = RUNBOOK.replace("the quay", "the north quay and everybody on it") + f"\n{HEBREW} in English\n" + "y" * 300
    save_page(actor=lead, page_id=top, base_version=1, body=changed, message="Say who is told, and when, " * 8)
    first = add_comment(actor=bot, page_id=top, body="Is this right, @ada-marsh? `" + "z" * 200 + "`")
    add_comment(actor=human(), page_id=top, body=f"{HEBREW} https://e.example/" + "a" * 150, reply_to=first.id)
    for name in ("quay.png", "A scan of the berth plan with a name of some length " * 3 + ".pdf", "תכנית.pdf"):
        attach_file(actor=bot, page_id=top, name=name, content=io.BytesIO(b"words"))
    gone = create_page(actor=bot, title=f"{LONG} once", body="x", **where).id
    create_page(actor=bot, title="Beneath it", body="x", parent_id=gone, container=None)
    other = create_page(actor=bot, title=f"{HEBREW} ישן", body="x", **where).id
    for page_id in (gone, other):
        trash_page(actor=bot, page_id=page_id)
    Indexing(settings.INDEX_DIR, wanted=[PageCorpus()]).catch_up()
    return {"top": top, "long": long, "rtl": rtl, "gone": gone}


def keep_picture(desk: Page, name: str) -> None:  # noqa: F811
    """Keep a picture of the screen where `CREWLET_PICTURES` names a folder, for whoever wants to look."""
    if folder := os.environ.get("CREWLET_PICTURES"):
        desk.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.covers("UI-01", "UI-02")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_full_screens_can_be_read_by_everybody_and_fit_wide_and_narrow_windows(
    desk: Page,  # noqa: F811
    scheme: str,
    tmp_path: Path,
    settings: Settings,
) -> None:
    pages = furnish(tmp_path, settings)
    desk.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    faults = []
    for number, screen in enumerate(SCREENS):
        desk.set_viewport_size({"width": 1440, "height": 900})
        desk.goto(screen.format(**pages))
        faults += [f"{screen}: {fault}" for fault in serious_faults(desk)]
        for width in (1440, 320):
            desk.set_viewport_size({"width": width, "height": 900})
            if desk.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                faults.append(f"{screen}: wider than {width}")
            keep_picture(desk, f"{number:02}-{scheme}-{width}")
    assert faults == [], "\n".join(faults)


@pytest.mark.covers("UI-02")
def test_the_list_of_pages_to_link_to_stands_inside_the_window_wherever_the_caret_is(
    desk: Page,  # noqa: F811
    tmp_path: Path,
    settings: Settings,
) -> None:
    pages = furnish(tmp_path, settings)
    for width, height in ((1280, 800), (320, 640)):
        desk.set_viewport_size({"width": width, "height": height})
        desk.goto(f"/knowledge/pages/{pages['top']}/edit")
        expect(desk.locator("#toolbar")).to_be_visible()
        desk.locator("#body").press("Control+End")
        desk.locator("#body").press_sequentially("\n" * 30 + "[[")
        expect(desk.locator("#link-count")).to_have_text("3 pages")
        box = desk.locator("#link-picker").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
        keep_picture(desk, f"picker-{width}")
        desk.keyboard.press("Escape")
        desk.on("dialog", lambda dialog: dialog.accept())
