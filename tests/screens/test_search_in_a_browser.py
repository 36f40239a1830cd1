"""Search by keyboard in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from knowledge.search.indexing import Indexing
from knowledge.search.pages import PageCorpus
from tests.knowledge.pages import page
from tests.screens.test_in_a_browser import desk  # noqa: F401 (a fixture)
from tests.skills.served import GITHUB, serve

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.mark.covers("UI-01", "SE-13")
def test_a_page_is_found_by_its_title_and_by_its_text_without_a_mouse(
    desk: Page,  # noqa: F811
    tmp_path: Path,
    settings: Settings,
) -> None:
    settings.INDEX_DIR = tmp_path / "index"
    operations = page("Operations", "How we run the quay.")
    for number in range(4):
        page(f"Berth {number}", f"Where ferry {number} moors, under the lighthouse. " * 9, parent_id=operations.id)
    made = page("Git workflow", "Of branches.")
    serve(GITHUB)
    Indexing(settings.INDEX_DIR, wanted=[PageCorpus()]).catch_up()

    desk.keyboard.press("Control+k")
    desk.keyboard.type("git")
    expect(desk.get_by_role("option", name="Git workflow")).to_have_attribute("aria-selected", "true")
    expect(desk.get_by_role("option", name="mcp:github")).to_be_visible()
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(f"{desk.url.split('/knowledge')[0]}/knowledge/pages/{made.id}")

    desk.keyboard.press("/")
    desk.keyboard.type("ferries lighthouse")
    desk.keyboard.press("Enter")
    expect(desk.locator(".hits li")).to_have_count(4)
    expect(desk.locator(".hits mark").first).to_be_visible()
    desk.get_by_label("Where").select_option("PROD")
    expect(desk.get_by_role("heading", name="No page matches")).to_be_visible()
