"""Links between pages on screen: what links here, links that lead nowhere, and the list an editor opens."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from knowledge.models import Page
from knowledge.writes.pages import restore_page, save_page, trash_page
from tests.factories import agent, human
from tests.screens.test_pages import made, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.covers("PG-18")]


def test_a_page_lists_what_links_to_it_and_goes_on_in_windows(ada: Client) -> None:
    target = made("Target")
    assert "Linked from" not in text_of(ada.get(f"/knowledge/pages/{target.id}"))
    for n in range(21):
        made(f"Source {n:02}", f"[it](/pages/{target.id})")
    shown = text_of(ada.get(f"/knowledge/pages/{target.id}"))
    assert "Linked from" in shown
    assert "Source 19" in shown
    assert "Source 20" not in shown
    address = shown.split('hx-get="/knowledge/pages/')[1].split('"')[0]
    rest = text_of(ada.get(f"/knowledge/pages/{address}", headers={"HX-Request": "true"}))
    assert "Source 20" in rest
    assert "<html" not in rest
    assert "Source 20" in text_of(ada.get(f"/knowledge/pages/{address}"))


def test_a_link_to_a_page_in_the_trash_says_so_until_it_is_back(ada: Client) -> None:
    target = made("Target", by=human())
    source = made("Source", f"[it](/pages/{target.id}) and [none](/pages/987654)")
    address = f"/knowledge/pages/{source.id}"
    link = f'<a href="/knowledge/pages/{target.id}"'
    assert f"{link}>it</a>" in text_of(ada.get(address))
    trash_page(actor=human(), page_id=target.id)
    shown = text_of(ada.get(address))
    assert f'{link} data-gone="trash">it</a>' in shown
    assert 'data-gone="nowhere">none</a>' in shown
    preview = text_of(ada.post("/knowledge/preview", {"body": f"[it](/pages/{target.id})"}))
    assert 'data-gone="trash"' in preview
    restore_page(actor=human(), page_id=target.id)
    assert f"{link}>it</a>" in text_of(ada.get(address))
    assert f"{link}>it</a>" in text_of(ada.get(f"{address}/history/1?show=text"))


def test_the_list_of_pages_is_a_fragment_in_which_every_title_is_text(ada: Client) -> None:
    page = made("<b>Tide</b> [1] & 'more'")
    shown = ada.get("/knowledge/link-options?q=tide&container=ENG").content.decode()
    assert "<b>" not in shown
    assert f"(/pages/{page.id})" in shown
    assert "No page has" in text_of(ada.get("/knowledge/link-options?q=zzz"))


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_two_brackets_open_a_list_of_pages_and_the_keyboard_alone_puts_the_link_in(
    ada: Client, live_server: LiveServer, browser_page: BrowserPage
) -> None:
    made("Tide tables")
    other = made("Tide [draft] gauge")
    page = made("Source", "Before\n")
    browser_page.context.add_cookies(
        [{"name": "sessionid", "value": ada.cookies["sessionid"].value, "url": live_server.url}]
    )
    browser_page.goto(f"{live_server.url}/knowledge/pages/{page.id}/edit")
    expect(browser_page.locator("#toolbar")).to_be_visible()
    body = browser_page.locator("#body")
    body.press("Control+End")
    body.press_sequentially("See [[")
    words = browser_page.get_by_role("combobox", name="Link to a page")
    expect(words).to_be_focused()
    words.press_sequentially("tide")
    expect(browser_page.get_by_role("option")).to_have_count(2)
    assert (
        Axe().run(browser_page, context="#link-picker", options={"runOnly": ["wcag2a", "wcag2aa"]}).violations_count
        == 0
    )
    words.press("ArrowDown")
    expect(words).to_have_attribute("aria-activedescendant", "link-option-2")
    words.press("ArrowUp")
    words.press("Enter")
    expect(body).to_be_focused()
    expect(body).to_have_value(f"Before\nSee [Tide \\[draft\\] gauge](/pages/{other.id})")
    body.press("Control+z")
    expect(body).to_have_value("Before\nSee [[")
    body.press("Control+End")
    body.press_sequentially(" and `[[")
    expect(words).not_to_be_visible()
    body.press_sequentially("`\n[[")
    expect(words).to_be_focused()
    words.press("Escape")
    expect(body).to_be_focused()
    body.press("Control+s")
    browser_page.wait_for_url("**/edit")
    expect(browser_page.get_by_text("Saved as version 2")).to_be_visible()
    assert Page.objects.get(pk=page.id).body == "Before\nSee [[ and `[[`\n[["
    save_page(actor=agent(), page_id=page.id, base_version=2, body="done")
