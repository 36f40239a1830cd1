"""A skill's edit on its way through review, in Chromium and by keyboard: asked for, sent back, approved, served."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect
from pytest_django.live_server_helper import LiveServer

from knowledge import models
from knowledge.writes.pages import create_page
from skills import registry
from skills.registry.sync import SkillSync
from tests.factories import admin, install_company, person
from tests.skills.served import GITHUB

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

PICTURES = os.environ.get("CREWLET_PICTURES", "")


def picture(page: Page, name: str) -> None:
    """A screenshot wide and narrow, light and dark, where somebody asked for them."""
    if not PICTURES:
        return
    for width in (1280, 320):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.screenshot(path=str(Path(PICTURES) / f"{name}-{width}-{scheme}.png"), full_page=True)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")


@pytest.fixture
def desks(browser: Browser, live_server: LiveServer, harbour: object) -> Iterator[tuple[Page, Page]]:
    """Two administrators at their browsers."""
    contexts, pages = [], []
    for login in ("ada", "vera"):
        person(login, permissions=["admin"])
        context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto("/sign-in?next=/skills")
        page.get_by_label("Login").fill(login)
        page.get_by_label("Password").fill("a long password")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/skills")
        contexts.append(context)
        pages.append(page)
    yield pages[0], pages[1]
    for context in contexts:
        context.close()


@pytest.mark.covers("HS-07", "UI-04")
def test_an_edit_is_asked_for_sent_back_asked_again_approved_served_and_rolled_back(
    desks: tuple[Page, Page],
) -> None:
    ada, vera = desks
    made = create_page(actor=admin(), title="GitHub", body=GITHUB, container="TS")
    install_company(skills_review=True, dashboard_base_url="")
    ada.goto(f"/skills/pages/{made.id}/edit")
    ada.get_by_label("Summary").fill("x" * 241)
    expect(ada.locator("#told-summary .problem")).to_be_visible()
    ada.get_by_label("Summary").fill("Small pull requests, each about one thing.")
    expect(ada.locator("#told-summary .problem")).to_have_count(0)
    ada.locator("#f-body").fill("One thing a pull request.\n")
    ada.get_by_role("button", name="As text").click()
    assert "One thing a pull request." in ada.locator("#body").input_value()
    ada.get_by_role("button", name="As fields").click()
    ada.get_by_label("What changed").fill("Shorter")
    ada.get_by_role("button", name="Save").click()
    expect(ada.get_by_text("waits for review. Another administrator approves it")).to_be_visible()
    picture(ada, "page-waits")
    SkillSync(report=lambda _report: None).run_pending()
    assert registry.current().by_key["mcp:github"].page_version == 1

    vera.goto("/skills")
    vera.keyboard.press("r")
    vera.wait_for_url("**/skills/review")
    picture(vera, "waiting")
    vera.get_by_role("link", name="GitHub").focus()
    vera.keyboard.press("Enter")
    expect(vera.get_by_role("heading", name="What it changes")).to_be_visible()
    picture(vera, "proposal")
    vera.get_by_label("A word to").fill("Say why.")
    vera.keyboard.press("Enter")
    expect(vera.get_by_text("is sent back")).to_be_visible()

    ada.goto(f"/knowledge/pages/{made.id}/history")
    expect(ada.get_by_text("“Say why.”")).to_be_visible()
    picture(ada, "history")
    ada.goto(f"/knowledge/pages/{made.id}/history/2/restore")
    ada.get_by_role("button", name="Bring it back").click()
    expect(ada.get_by_text("which waits for review")).to_be_visible()
    ada.goto(f"/skills/review/{made.id}")
    expect(ada.get_by_role("heading", name="Yours waits for somebody else")).to_be_visible()
    expect(ada.get_by_role("button", name="Approve")).to_have_count(0)

    vera.goto(f"/skills/review/{made.id}")
    vera.get_by_role("button", name="Approve version 3").focus()
    vera.keyboard.press("Enter")
    expect(vera.get_by_text("is approved")).to_be_visible()
    expect(vera.get_by_role("heading", name="Nothing waits")).to_be_visible()
    assert models.Page.objects.get(pk=made.id).version == 3
    SkillSync(report=lambda _report: None).run_pending()
    assert registry.current().by_key["mcp:github"].skill.summary.startswith("Small pull requests")

    vera.goto("/skills/import")
    upload: FilePayload = {"name": "SKILL.md", "mimeType": "text/markdown", "buffer": IMPORTED}
    vera.set_input_files("#file", files=upload)
    vera.get_by_role("button", name="Look into it").click()
    expect(vera.get_by_text("Would be repaired")).to_be_visible()
    picture(vera, "import")
    vera.get_by_role("button", name="Bring in").click()
    expect(vera.get_by_text("What waits for review")).to_be_visible()


IMPORTED = b"---\nname: tides\ndescription: Use it: when tides matter.\n---\nBody.\n"
