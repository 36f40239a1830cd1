"""Looking for a skill in Chromium, by keyboard: words while one types, meaning when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from knowledge.search.semantic.asking import _query_vectors
from knowledge.writes.pages import create_page
from skills.registry.sync import SkillSync
from skills.writes.alike import compare_skills
from tests.factories import admin, person
from tests.skills.test_search import BERTH, REFUND, Provider
from tests.skills.texts import skill_text

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
def provider(harbour: object, monkeypatch: pytest.MonkeyPatch) -> Provider:
    """A provider of embeddings, and two skills it has embedded."""
    made = Provider()
    monkeypatch.setattr("skills.writes.alike.provider_for", lambda company: made)
    monkeypatch.setattr("knowledge.search.semantic.asking.provider_for", lambda company: made)
    _query_vectors.cache_clear()
    for key, summary in (("skill:refunds", REFUND), ("skill:berths", BERTH)):
        create_page(actor=admin(), title=key, body=skill_text(key, summary=summary), container="TS")
    compare_skills()
    SkillSync().run_pending()
    made.asked.clear()
    return made


@pytest.fixture
def desk(browser: Browser, live_server: LiveServer, provider: Provider) -> Iterator[Page]:
    """Somebody at the list of skills."""
    person("ada", permissions=["knowledge"])
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto("/sign-in?next=/skills")
    page.get_by_label("Login").fill("ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/skills")
    yield page
    context.close()


@pytest.mark.covers("HS-06", "UI-02")
def test_typing_sends_no_question_and_a_search_by_meaning_is_one_key_away(desk: Page, provider: Provider) -> None:
    status = desk.locator("#shelf [role=status]")
    desk.get_by_label("Text").press_sequentially("moor my ship")
    expect(status).to_contain_text("0 of 2 skills")
    picture(desk, "typed")
    assert provider.asked == []
    desk.get_by_role("link", name="Find by meaning too").focus()
    desk.keyboard.press("Enter")
    expect(status).to_contain_text("by words and meaning")
    expect(desk.locator(".skill-key").first).to_have_text("skill:berths")
    assert provider.asked == ["moor my ship"]
    expect(status).to_contain_text("2 of 2 skills")
    assert "mode=hybrid" in desk.url, "the address leads back to what is seen"
    picture(desk, "meant")
    desk.reload()
    expect(status).to_contain_text("by words and meaning")
    desk.get_by_label("Text").press("End")
    desk.get_by_label("Text").press_sequentially("s")
    expect(status).to_contain_text("by the words they hold")
    assert provider.asked == ["moor my ship"], "typing on filters by words again"
    provider.is_away = True
    desk.goto("/skills?q=boat&mode=hybrid")
    expect(desk.get_by_text("Ranked by words alone: the question could not be read for its meaning")).to_be_visible()
    picture(desk, "away")
