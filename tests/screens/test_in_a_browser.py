"""The screens in Chromium: the main job by hand, by keyboard, and with nothing the browser complains about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from company.models import Person
from knowledge import models
from knowledge.writes.pages import create_page, save_page, set_labels
from skills.models import SkillUsage
from skills.registry.sync import SkillSync
from tests.factories import admin, agent, human, person
from tests.skills.served import GITHUB, HINT, serve

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

RUNBOOK = """# First things

- [x] Told the quay
- [ ] Moved the traffic

| Berth | Depth |
|---|--:|
| North | 3.4 |

```python
def hold() -> None: ...
```

## Then

> A remark.
"""


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer, harbour: object) -> Iterator[Page]:
    """Ada's browser, signed in. Whatever the browser complains about fails the test."""
    person("ada", permissions=["admin"])
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    complaints: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "status of 4" not in message.text:
            complaints.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/sign-in?next=/knowledge")
    page.get_by_label("Login").fill("ada")
    page.get_by_label("Password").fill("a long password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Knowledge")).to_be_visible()
    yield page
    context.close()
    assert complaints == []


def serious_faults(desk: Page) -> list[str]:
    """What axe-core calls serious or critical on the screen that is open."""
    desk.evaluate(AXE)
    found = desk.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def runbook() -> int:
    page = create_page(actor=human(), title="Deploy runbook", body=RUNBOOK, container="ENG")
    set_labels(actor=human(), page_id=page.id, labels=["quay"])
    return page.id


@pytest.mark.covers("PG-05", "UI-02")
def test_a_person_edits_a_page_meets_a_conflict_and_loses_nothing(desk: Page) -> None:
    page_id = create_page(actor=human(), title="Deploy runbook", body="one\ntwo\nthree\nfour\n", container="ENG").id
    desk.get_by_role("navigation", name="Main").get_by_role("link", name="Engineering").click()
    desk.get_by_role("link", name="Deploy runbook").click()
    expect(desk.get_by_role("heading", name="Deploy runbook")).to_be_visible()
    desk.wait_for_load_state()  # a key pressed before the scripts are there does nothing
    desk.keyboard.press("e")
    text = desk.get_by_label("Text, in markdown")
    text.fill("one, by Ada\ntwo\nthree\nfour\n\n**bold**\n")
    expect(desk.locator("#preview strong")).to_have_text("bold")
    desk.get_by_label("Note on this change").fill("My change")

    save_page(actor=agent(), page_id=page_id, base_version=1, body="one\ntwo\nthree, by a bot\nfour\n")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_role("heading", name="Two edits met")).to_be_visible()
    expect(desk.get_by_label("Together")).to_have_value("one, by Ada\ntwo\nthree, by a bot\nfour\n\n**bold**\n")
    expect(desk.get_by_label("Note")).to_have_value("My change")
    desk.get_by_role("button", name="Save on version 2").click()

    expect(desk.get_by_text("Saved as version 3.")).to_be_visible()
    kept = models.Page.objects.get(pk=page_id)
    assert kept.body == "one, by Ada\ntwo\nthree, by a bot\nfour\n\n**bold**\n"
    desk.wait_for_load_state()
    desk.keyboard.press("e")
    expect(desk.get_by_label("Text, in markdown")).to_be_visible()
    expect(desk.locator("#draft")).to_be_hidden()


@pytest.mark.covers("UI-02")
def test_a_draft_outlives_the_tab_and_is_offered_again(desk: Page) -> None:
    page_id = runbook()
    desk.goto(f"/knowledge/pages/{page_id}/edit")
    desk.get_by_label("Text, in markdown").fill("Half a thought")
    expect(desk.get_by_text("Draft kept in this browser")).to_be_visible()
    desk.on("dialog", lambda dialog: dialog.accept())
    desk.goto("/knowledge")
    desk.goto(f"/knowledge/pages/{page_id}/edit")
    desk.get_by_role("button", name="Restore it").click()
    expect(desk.get_by_label("Text, in markdown")).to_have_value("Half a thought")
    desk.keyboard.press("Control+s")
    expect(desk.get_by_text("Saved as version 2.")).to_be_visible()
    assert desk.url.endswith("/edit")
    expect(desk.locator("#draft")).to_be_hidden()


@pytest.mark.covers("UI-01", "OU-01")
def test_an_outline_is_walked_with_the_arrow_keys(desk: Page) -> None:
    top = create_page(actor=human(), title="Runbooks", body="", container="ENG")
    create_page(actor=human(), title="Cards", body="x", container="ENG", parent_id=top.id)
    create_page(actor=human(), title="Zebra", body="x", container="ENG")
    desk.goto("/knowledge/ENG")
    link = desk.get_by_role("link", name="Runbooks")
    link.focus()
    desk.keyboard.press("ArrowRight")
    expect(desk.get_by_role("link", name="Cards")).to_be_visible()
    desk.keyboard.press("ArrowRight")
    expect(desk.get_by_role("link", name="Cards")).to_be_focused()
    desk.keyboard.press("ArrowDown")
    expect(desk.get_by_role("link", name="Zebra")).to_be_focused()
    desk.keyboard.press("ArrowUp")
    desk.keyboard.press("ArrowLeft")
    expect(link).to_be_focused()
    desk.keyboard.press("ArrowLeft")
    expect(desk.get_by_role("link", name="Cards")).to_be_hidden()
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Cards")).to_be_visible()


def test_the_keys_are_told_and_lead_where_they_say(desk: Page) -> None:
    desk.keyboard.press("?")
    expect(desk.get_by_role("heading", name="Keyboard")).to_be_visible()
    desk.keyboard.press("Escape")
    desk.keyboard.press("g")
    desk.keyboard.press("s")
    expect(desk.get_by_role("heading", name="Agent skills")).to_be_visible()


def test_lists_go_on_and_marks_go_around(desk: Page) -> None:
    desk.goto("/knowledge/new?container=ENG")
    text = desk.get_by_label("Text, in markdown")
    text.focus()
    desk.keyboard.type("- one\ntwo")
    expect(text).to_have_value("- one\n- two")
    desk.keyboard.type("\n\nend ")
    desk.keyboard.press("Control+b")
    expect(text).to_have_value("- one\n- two\nend **bold**")
    desk.on("dialog", lambda dialog: dialog.accept())


SCREENS = (
    "/knowledge", "/knowledge/ENG", "/knowledge/CARE", "/knowledge/pages/{page}", "/knowledge/pages/{page}/edit",
    "/knowledge/pages/{page}/rename", "/knowledge/pages/{page}/move", "/knowledge/pages/{page}/labels",
    "/knowledge/pages/{page}/history", "/knowledge/pages/{page}/history/1",
    "/knowledge/pages/{page}/history/1?show=text", "/knowledge/new", "/knowledge/ENG/trash",
    "/knowledge/pages/999999", "/skills", "/skills/mcp%3Agithub", "/company", "/company/revisions",
    "/company/people", "/company/people/{person}", "/company/tokens", "/password",
)  # fmt: skip


@pytest.mark.covers("UI-01")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_screen_has_a_serious_fault_for_people_who_do_not_see_it_all(desk: Page, scheme: str) -> None:
    page_id = runbook()
    serve(GITHUB, HINT)
    day = models.Page.objects.get(pk=page_id).created_at.date()
    SkillUsage.objects.create(page_id=1, key="mcp:github", seat="lead-bot", day=day, offered=3, loaded=1, blocked=1)
    desk.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    faults = []
    for screen in SCREENS:
        desk.goto(screen.format(page=page_id, person=Person.objects.get(login="ada").pk))
        faults += [f"{screen}: {fault}" for fault in serious_faults(desk)]
    assert faults == []


@pytest.mark.covers("UI-01")
@pytest.mark.parametrize("width", [320, 390, 768, 1280, 2560])
def test_no_screen_is_wider_than_its_window(desk: Page, width: int) -> None:
    title = "An uncommonly long title with Donaudampfschifffahrtselektrizitätenhauptbetriebswerk in it " * 2
    page_id = create_page(actor=admin(), title=title, body=RUNBOOK + "x" * 400, container="ENG").id
    serve(GITHUB, HINT)
    desk.set_viewport_size({"width": width, "height": 800})
    wide = []
    for screen in SCREENS:
        desk.goto(screen.format(page=page_id, person=Person.objects.get(login="ada").pk))
        if desk.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(screen)
    assert wide == []


def test_the_menu_opens_in_a_narrow_window(desk: Page) -> None:
    desk.set_viewport_size({"width": 390, "height": 800})
    link = desk.get_by_role("navigation", name="Main").get_by_role("link", name="Agent skills")
    expect(link).to_be_hidden()
    desk.get_by_role("button", name="Menu").click()
    link.click()
    expect(desk.get_by_role("heading", name="Agent skills")).to_be_visible()


def test_what_a_body_says_runs_nothing(desk: Page) -> None:
    body = (
        "<img src=x onerror=\"document.title='run'\">\n\n[x](javascript:document.title='run')\n\n"
        "<div hx-get=/company>y</div>"
    )
    page_id = create_page(actor=agent(), title="Sneaky", body=body, container="ENG").id
    desk.goto(f"/knowledge/pages/{page_id}")
    expect(desk.locator(".prose img, .prose [hx-get], .prose a[href^=javascript]")).to_have_count(0)
    assert desk.title() == "Sneaky · Harbour"


@pytest.mark.covers("UI-01")
def test_saving_works_without_scripts(browser: Browser, live_server: LiveServer, harbour: object) -> None:
    person("ada", permissions=["knowledge"])
    page_id = runbook()
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/sign-in?next=/knowledge/pages/{page_id}/edit")
    page.get_by_label("Login").fill("ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Text, in markdown").fill("Plain.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    context.close()


@pytest.mark.covers("UI-04", "TS-01")
def test_a_skill_is_authored_its_problem_seen_and_fixed_served_and_rolled_back(desk: Page) -> None:
    desk.goto("/skills/new")
    desk.get_by_label("Title", exact=True).fill("Mooring")
    desk.get_by_label("Key", exact=True).fill("tool:moor boats")
    desk.get_by_label("Summary", exact=True).fill("Ask the quay first.")
    desk.get_by_label("Offered with").fill("{mcp_server: github}")
    desk.get_by_label("execute").check()
    desk.get_by_label("Body", exact=True).fill("Call before you moor.")
    expect(desk.locator("#told-key .problem")).to_contain_text("without white space")
    desk.get_by_role("button", name="Publish").click()
    expect(desk.locator("#told-key .problem")).to_contain_text("without white space")
    assert not models.Page.objects.filter(title="Mooring").exists()

    desk.get_by_label("Key", exact=True).fill("tool:moor")
    expect(desk.locator("#told-key .problem")).to_have_count(0)
    expect(desk.locator("#seen")).to_contain_text("- tool:moor (required — load before use): Ask the quay first.")
    expect(desk.locator("#seen")).to_contain_text("Engineer Bot")
    assert serious_faults(desk) == []
    desk.get_by_role("button", name="Publish").click()
    expect(desk.get_by_role("heading", name="Mooring")).to_be_visible()
    SkillSync().run_pending()
    desk.goto("/skills/tool%3Amoor")
    expect(desk.get_by_label("Body", exact=True)).to_contain_text("Call before you moor.")

    desk.get_by_role("link", name="Edit").click()
    desk.get_by_label("Body", exact=True).fill("Do not call.")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved as version 2.")).to_be_visible()
    page_id = models.Page.objects.get(title="Mooring").id
    desk.goto(f"/knowledge/pages/{page_id}/history/1")
    desk.get_by_role("link", name="Bring this text back").click()
    desk.locator("form").get_by_role("button", name="Bring it back").click()
    expect(desk.get_by_text("Version 1 is back, as version 3.")).to_be_visible()
    SkillSync().run_pending()
    desk.goto("/skills/tool%3Amoor")
    expect(desk.get_by_label("Body", exact=True)).to_contain_text("Call before you moor.")
    expect(desk.get_by_text("Served from version 3")).to_be_visible()
