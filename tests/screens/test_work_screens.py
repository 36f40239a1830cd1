"""The screens of work full of what strains them, read by everybody, and a file that comes in while somebody watches."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from company.models import Person
from knowledge.search.indexing import Indexing
from tests.factories import agent
from tests.knowledge.pages import page
from tests.screens.test_in_a_browser import desk, serious_faults  # noqa: F401 (a fixture)
from tests.screens.test_knowledge_screens import HEBREW, LONG, keep_picture
from tests.tracker.items import ada, item, save
from tracker.models import Item
from tracker.rules.filters import Filters
from tracker.search.corpus import ItemCorpus
from tracker.writes.comments import comment_item
from tracker.writes.items import relate_item, trash_item
from tracker.writes.views import save_view

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TEXT = f"""# Why

A hold that stays blocks a berth for `15` minutes, @ada-marsh. {HEBREW}

- [x] find out
- [ ] mend it

| Berth | Depth |
|---|--:|
| {"N" * 90} | 3.4 |
"""
SCREENS = (
    "/tracker", "/tracker?project=ENG&status=&sort=priority", "/tracker?label=nobody-has-it", "/tracker?status=doing",
    "/tracker/board", "/tracker/board?project=ENG", "/tracker/mine", "/tracker/search?q=hold", "/tracker/search?q=zzzz",
    "/tracker/search", "/tracker/import", "/tracker/new?project=ENG", "/tracker/trash", "/tracker/items/ENG-1",
    "/tracker/items/ENG-2", "/tracker/items/ENG-3", "/tracker/items/ENG-1/edit", "/tracker/items/ENG-1/move",
    "/tracker/items/ENG-1/activity", "/tracker/items/ENG-1/history", "/tracker/items/ENG-1/history/2",
    "/tracker/items/ENG-4", "/tracker/items/ENG-4/purge", "/tracker/items/ENG-99",
    "/tracker/comments/{remark}/edit",
)  # fmt: skip


def furnish(folder: Path, settings: Settings) -> dict[str, int]:
    """Items with everything one can have; numbers by the names `SCREENS` uses."""
    settings.INDEX_DIR = folder / "index"
    Person.objects.filter(login="ada").update(seat="ada-marsh")
    about = page("Tide limits", body="Filed as [it](/tracker/items/ENG-1).")
    item(f"{LONG} {LONG}"[:200], description="first", assignee="ada-marsh", priority="urgent", type="epic",
         labels=["booking", "עברית", "x" * 60, "night"], due="2026-11-20")  # fmt: skip
    save("ENG-1", description=TEXT, base_version=1)
    item(HEBREW, description=f"# {HEBREW}", assignee="ada-marsh", status="in_progress", parent="ENG-1", labels=["מזח"])
    item("W" * 200, description="x" * 400, status="in_review", type="spike", parent="ENG-1", due="2027-01-12")
    item(f"{LONG} once")
    for status in ("done", "cancelled", "closed"):
        item(f"Hold that is {status}", status=status, type="chore", priority="low")
    relate_item(actor=agent(), key="ENG-1", relation="blocked_by", other="ENG-2")
    relate_item(actor=agent(), key="ENG-1", relation="relates", other="ENG-3")
    relate_item(actor=agent(), key="ENG-3", relation="duplicates", other="ENG-2")
    relate_item(actor=agent(), key="ENG-1", relation="page", page_id=about.id)
    first = comment_item(actor=agent(), key="ENG-1", body="Is this right, @ada-marsh? `" + "z" * 200 + "`")
    comment_item(actor=agent(), key="ENG-1", body=HEBREW, reply_to=first.id)
    remark = comment_item(actor=ada(), key="ENG-1", body="Mine")
    trash_item(actor=agent(), key="ENG-4")
    save_view(actor=agent(), name="Urgent and open, and everything else that presses", filters=Filters(), shared=True)
    Indexing(settings.INDEX_DIR, wanted=[ItemCorpus()]).catch_up()
    return {"remark": remark.id}


@pytest.mark.covers("UI-01", "UI-02", "TK-02")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_full_screens_of_work_can_be_read_by_everybody_and_fit_wide_and_narrow_windows(
    desk: Page,  # noqa: F811
    scheme: str,
    tmp_path: Path,
    settings: Settings,
) -> None:
    names = furnish(tmp_path, settings)
    desk.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    faults = []
    for number, screen in enumerate(SCREENS):
        desk.set_viewport_size({"width": 1440, "height": 900})
        desk.goto(screen.format(**names))
        faults += [f"{screen}: {fault}" for fault in serious_faults(desk)]
        for width in (1440, 320):
            desk.set_viewport_size({"width": width, "height": 900})
            if desk.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                faults.append(f"{screen}: wider than {width}")
            keep_picture(desk, f"work-{number:02}-{scheme}-{width}")
    assert faults == [], "\n".join(faults)


@pytest.mark.covers("TK-01", "UI-02")
def test_whoever_brings_a_file_in_sees_how_far_it_is_and_then_line_and_column_of_what_was_refused(
    desk: Page,  # noqa: F811
    tmp_path: Path,
) -> None:
    file = tmp_path / "board.csv"
    rows = [f"{number},Row {number},todo" for number in range(600)]
    rows[450] = "450,Row 450,doing"
    file.write_text("\n".join(["id,title,status", *rows]))
    desk.goto("/tracker/import")
    desk.get_by_role("button", name="Import", exact=True).click()
    expect(desk.get_by_role("alert")).to_contain_text("Choose the file")
    desk.evaluate("""() => {
        window.said = [];
        const place = document.querySelector("[data-far] [role=status]");
        new MutationObserver(() => window.said.push(place.textContent)).observe(place, {childList: true});
    }""")
    desk.get_by_label("File", exact=True).set_input_files(file)
    desk.get_by_label("Project", exact=True).select_option("ENG")
    desk.get_by_role("button", name="Only say what it would do").click()
    expect(desk.get_by_role("heading", name="What board.csv would do")).to_be_focused()
    assert not Item.objects.exists()
    desk.get_by_role("button", name="Import", exact=True).click()
    expect(desk.get_by_role("heading", name="board.csv is in")).to_be_focused()
    assert desk.evaluate("window.said").count("400 of 600 rows done") == 2
    expect(desk.get_by_role("row", name="452 status refused There is no status 'doing'")).to_be_visible()
    expect(desk.get_by_text("599 created")).to_be_visible()
    expect(desk.locator("[data-far]")).to_be_hidden()
    assert Item.objects.count() == 599
    for scheme, width in (("light", 1440), ("dark", 320)):
        desk.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        desk.set_viewport_size({"width": width, "height": 900})
        assert serious_faults(desk) == []
        assert desk.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        keep_picture(desk, f"work-import-{scheme}-{width}")
