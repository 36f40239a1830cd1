"""Moving a page from its own screen: a dialog with a search of pages, and the same form as a screen without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from knowledge.models import Page
from tests.factories import human
from tests.knowledge.pages import page, row
from tests.screens.browsers import browser_of

pytestmark = pytest.mark.django_db


@pytest.mark.covers("PG-08", "PG-09")
def test_without_scripts_the_form_is_a_screen_that_takes_a_title_and_says_what_is_wrong(ada: Client) -> None:
    made, guides, elsewhere = page("Tides", by=human()), page("Guides"), page("Berths", container="PROD")
    url = f"/knowledge/pages/{made.id}/move"
    assert 'name="parent"' in ada.get(url).content.decode()
    assert "<html" not in ada.get(url, headers={"HX-Request": "true"}).content.decode()
    wrong = ada.post(url, {"container": "ENG", "parent": "Berths"})
    assert (wrong.status_code, "ENG has no page “Berths”" in wrong.content.decode()) == (422, True)
    assert 'value="Berths"' in wrong.content.decode()
    beneath = ada.post(f"/knowledge/pages/{guides.id}/move", {"container": "ENG", "parent": str(guides.id)})
    assert beneath.status_code == 422
    ada.post(url, {"container": "PROD", "parent": "berths"})
    assert (row(made.id).container, row(made.id).parent_id) == ("PROD", elsewhere.id)


@pytest.mark.covers("PG-08")
def test_the_search_offers_pages_of_the_chosen_space_and_not_the_page_itself(ada: Client) -> None:
    made, _, _ = page("Tide", by=human()), page("Tide tables"), page("Tide at sea", container="PROD")
    shown = ada.get(f"/knowledge/link-options?q=tide&container=ENG&within=1&but={made.id}").content.decode()
    assert 'data-title="Tide tables"' in shown
    assert "Tide at sea" not in shown
    assert 'data-title="Tide"' not in shown


@pytest.mark.browser
@pytest.mark.covers("PG-08", "PG-09")
@pytest.mark.django_db(transaction=True)
def test_a_page_is_moved_from_its_screen_with_the_keyboard_alone(
    harbour: object, browser_page: Screen, live_server: Any
) -> None:
    client = browser_of("ada", "knowledge", seat="ada-marsh")
    cookie = client.cookies["sessionid"].value
    assert SessionStore(cookie).exists(cookie)
    made, _, _ = page("Tides", by=human()), page("Guides"), page("Guidelines")
    target = page("Guides to berths", container="PROD")
    screen = browser_page
    screen.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    screen.goto(f"{live_server.url}/knowledge/pages/{made.id}")
    screen.locator("details.more summary").press("Enter")
    screen.locator("[data-move]").press("Enter")
    dialog = screen.get_by_role("dialog")
    expect(dialog.get_by_label("Under")).to_be_focused()
    screen.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    screen.locator("details.more summary").press("Enter")
    screen.locator("[data-move]").press("Enter")
    dialog.get_by_label("Space", exact=True).select_option("PROD")
    under = dialog.get_by_label("Under")
    under.focus()
    under.press_sequentially("guid")
    expect(dialog.get_by_role("option", name="Guides to berths")).to_be_visible()
    screen.keyboard.press("Enter")
    expect(under).to_have_value("Guides to berths")
    screen.keyboard.press("Enter")
    expect(screen.get_by_text("Moved to PROD.")).to_be_visible()
    assert Page.objects.get(pk=made.id).parent_id == target.id
