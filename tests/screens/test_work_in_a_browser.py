"""Work in Chromium: two people file, drag, talk and meet in one description; everything by keyboard too."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.factories import agent, person
from tests.tracker.items import item, row, save
from tracker.rules.filters import Filters
from tracker.writes.comments import comment_item
from tracker.writes.items import relate_item
from tracker.writes.views import save_view

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SignIn = Callable[..., Page]


@pytest.fixture
def signed_in(browser: Browser, live_server: LiveServer, harbour: object) -> Iterator[SignIn]:
    """Signs somebody in, in a browser of their own. Whatever a browser complains about fails the test."""
    complaints: list[str] = []
    contexts = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "status of 4" not in message.text:
            complaints.append(message.text)

    def sign_in(login: str, *, seat: str | None = None, **options: object) -> Page:
        person(login, permissions=["knowledge", "tracker"], seat=seat)
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/sign-in?next=/tracker")
        page.get_by_label("Login").fill(login)
        page.get_by_label("Password").fill("a long password")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Work", exact=True)).to_be_visible()
        return page

    yield sign_in
    for context in contexts:
        context.close()
    assert complaints == []


def picture(page: Page, name: str) -> None:
    """Keep a picture of the screen where `CREWLET_PICTURES` names a folder, for whoever wants to look."""
    if folder := os.environ.get("CREWLET_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.covers("TK-01", "TK-02", "UI-02")
def test_two_people_file_drag_talk_and_meet_in_one_text(signed_in: SignIn) -> None:
    mia, lee = signed_in("mia", seat="ada-marsh"), signed_in("lee")
    mia.goto("/tracker?project=ENG")
    mia.keyboard.press("c")
    expect(mia.get_by_label("Title")).to_be_focused()
    mia.keyboard.type("Holds do not expire")
    mia.get_by_label("Priority").select_option("high")
    mia.get_by_label("Text, in markdown").fill("one\ntwo\nthree\n")
    mia.keyboard.press("Control+Enter")
    expect(mia.get_by_role("heading", name="Holds do not expire")).to_be_visible()
    assert row("ENG-1").priority == "high"

    lee.goto("/tracker/board?project=ENG")
    card = lee.locator("[data-card=ENG-1]")
    card.drag_to(lee.locator("[data-column=in_progress]"))
    expect(lee.locator("[data-column=in_progress] [data-card=ENG-1][data-version='2']")).to_be_visible()
    assert row("ENG-1").status == "in_progress"
    expect(lee.locator("[data-column=in_progress] [data-count]")).to_have_text("1")
    lee.locator("[data-card=ENG-1] [data-item]").focus()
    lee.keyboard.press("Alt+ArrowRight")
    expect(lee.locator("[data-column=in_review] [data-card=ENG-1][data-version='3']")).to_be_visible()
    expect(lee.locator("[data-card=ENG-1] [data-item]")).to_be_focused()
    assert row("ENG-1").status == "in_review"
    save("ENG-1", status="todo")  # by somebody else, while the board stands open
    lee.keyboard.press("Alt+ArrowRight")
    expect(lee.locator("#board-said")).to_contain_text("was not moved")
    expect(lee.locator("[data-column=in_review] [data-card=ENG-1]")).to_be_visible()
    expect(lee.get_by_role("link", name="Show the board as it is now")).to_be_visible()
    picture(lee, "board-refused")
    lee.locator("[data-card=ENG-1] [data-item]").click()
    box = lee.get_by_label("Your comment")
    box.fill("Is this so, @ada-marsh?")
    lee.keyboard.press("Control+Enter")
    expect(lee.locator("article.comment .mention")).to_have_text("@ada-marsh")

    mia.goto("/notifications")
    expect(mia.get_by_text("mentions you")).to_be_visible()
    mia.get_by_role("link", name="Holds do not expire").click()
    expect(mia.locator("article.comment")).to_contain_text("Is this so")
    mia.keyboard.press("s")
    expect(mia.get_by_label("Status")).to_be_focused()
    mia.get_by_label("Assignee").select_option("lead-bot")
    expect(mia.locator("input[name=was_assignee]")).to_have_value("lead-bot")
    assert row("ENG-1").assignee == "lead-bot"

    mia.goto("/tracker/items/ENG-1/edit")
    lee.goto("/tracker/items/ENG-1/edit")
    lee.get_by_label("Text, in markdown").fill("one\ntwo\nTHREE\n")
    lee.get_by_role("button", name="Save").click()
    expect(lee.locator(".prose").first).to_contain_text("THREE")
    mia.get_by_label("Text, in markdown").fill("ONE\ntwo\nthree\n")
    mia.get_by_role("button", name="Save").click()
    expect(mia.get_by_role("heading", name="Two edits met")).to_be_visible()
    expect(mia.get_by_label("Together")).to_have_value("ONE\ntwo\nTHREE\n")
    picture(mia, "meeting")
    mia.get_by_role("button", name="Save on version").click()
    expect(mia.locator(".prose").first).to_contain_text("ONE")
    assert row("ENG-1").description == "ONE\ntwo\nTHREE\n"


@pytest.mark.covers("TK-02", "UI-02")
def test_a_list_is_walked_and_filtered_by_keyboard(signed_in: SignIn) -> None:
    item("Tide table wrong", priority="urgent")
    item("Quay lights")
    mia = signed_in("mia", seat="ada-marsh")
    mia.goto("/tracker?sort=priority")
    mia.keyboard.press("j")
    expect(mia.get_by_role("link", name=re.compile("Tide table wrong"))).to_be_focused()
    mia.keyboard.press("j")
    expect(mia.get_by_role("link", name=re.compile("Quay lights"))).to_be_focused()
    mia.keyboard.press("/")
    expect(mia.locator("#q")).to_be_focused()
    mia.keyboard.type("tide")
    expect(mia.locator(".work-row")).to_have_count(1)
    expect(mia).to_have_url(re.compile(r"q=tide"))
    mia.keyboard.press("Escape")
    mia.keyboard.press("Enter")
    expect(mia.get_by_role("heading", name="Tide table wrong")).to_be_visible()
    mia.keyboard.press("?")
    expect(mia.get_by_text("In work: file a new item")).to_be_visible()


TEXT = """# Why

A hold that stays blocks a berth for `15` minutes.

- [x] find out
- [ ] mend it, @ada-marsh
"""
WORK: list[tuple[str, dict[str, Any]]] = [
    (
        "Count the minutes from the server's clock",
        {
            "type": "bug",
            "priority": "urgent",
            "status": "in_progress",
            "labels": ["booking", "tides", "night", "more"],
            "assignee": "engineer-bot",
            "due": "2026-11-20",
        },
    ),
    (
        "Tell the guest before the hold ends",
        {"type": "story", "priority": "high", "due": "2027-01-12", "assignee": "ada-marsh"},
    ),
    (
        "Try what happens when two planners hold the same berth in the same second, from machines whose clocks differ",
        {"type": "spike", "priority": "low", "status": "in_review", "assignee": "product-bot"},
    ),
    ("Tidy the berth table", {"type": "chore", "status": "done", "assignee": "lead-bot"}),
    ("تصحيح جدول المد", {"priority": "normal", "labels": ["عاجل"]}),
    ("Spring season opens", {"type": "milestone", "due": "2027-03-01"}),
    ("A" * 120, {}),
]
SCREENS = (
    "tracker",
    "tracker?project=ENG&status=&sort=priority",
    "tracker/board?project=ENG",
    "tracker/items/ENG-1",
    "tracker/items/ENG-3",
    "tracker/new",
    "tracker/items/ENG-1/edit",
    "tracker/mine",
    "tracker/items/ENG-1/activity",
)


@pytest.mark.covers("UI-05", "TK-02")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("wide", {"viewport": {"width": 1360, "height": 900}}),
        ("narrow", {"viewport": {"width": 320, "height": 720}}),
        ("dark", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"}),
    ],
)
def test_the_screens_of_work_fit_their_window(signed_in: SignIn, name: str, options: dict[str, object]) -> None:
    epic = item("Holds expire on time", type="epic", assignee="lead-bot", description=TEXT)
    for title, more in WORK:
        item(title, **more)
    save("ENG-2", parent=epic.key)
    save("ENG-3", parent=epic.key)
    relate_item(actor=agent(), key="ENG-3", relation="blocked_by", other="ENG-2")
    relate_item(actor=agent(), key=epic.key, relation="relates", other="ENG-3")
    comment_item(actor=agent(), key=epic.key, body="The clock of the **second** web machine was late.")
    save_view(actor=agent(), name="Urgent and open", filters=Filters(), shared=True)
    mia = signed_in("mia", seat="ada-marsh", **options)
    for screen in SCREENS:
        mia.goto(f"/{screen}")
        fits = mia.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        picture(mia, f"{name}-{re.sub(r'[^a-zA-Z0-9]', '', screen)}")
        assert fits, screen
