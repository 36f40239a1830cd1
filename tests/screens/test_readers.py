"""Who read a page, and what nobody reads, on screen."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect

from company.rules.occasions import Occasion
from knowledge.models import Page, PageReading
from knowledge.writes.reading import PageRead, Via, open_page, record_read
from tests.factories import agent
from tests.screens.test_in_a_browser import desk  # noqa: F401 (a fixture)
from tests.screens.test_pages import made, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.covers("RD-02")]


def read_by_search(page_id: int, seat: str, query: str, title: str = "Tariffs") -> None:
    shown = PageRead(id=page_id, container="ENG", title=title, rank=1)
    record_read(seat=seat, via=Via.SEARCH, query=query, pages=[shown], occasion=Occasion(turn_id="t-7"))


def test_a_page_shows_who_read_it_and_how(ada: Client) -> None:
    page = made("Tariffs")
    address = f"/knowledge/pages/{page.id}"
    assert "No agent has, in the last 30 days." in text_of(ada.get(address))
    open_page(actor=agent(), page_id=page.id)
    open_page(actor=agent(), page_id=page.id)
    read_by_search(page.id, "product-bot", "night ferry <b>")
    shown = text_of(ada.get(address))
    assert "<bdi>Engineer Bot</bdi>" in shown
    assert "opened it 2 times" in shown
    whole = text_of(ada.get(f"{address}/readers"))
    assert "found it by a search" in whole
    assert ">night ferry <b><" in whole
    assert "t-7" in whole
    PageReading.objects.update(day=timezone.now().date() - timedelta(days=8))
    assert "No agent has read it today" in text_of(ada.get(f"{address}/readers?days=1"))
    assert "Product Bot" in text_of(ada.get(f"{address}/readers"))
    assert ada.get(f"{address}/readers?days=31").status_code == 400


def test_a_space_shows_what_nobody_read(ada: Client, stranger: Client) -> None:
    page = made("Forgotten")
    assert 'href="/knowledge/ENG/unread"' in text_of(ada.get("/knowledge/ENG"))
    assert "Every page is read" in text_of(ada.get("/knowledge/ENG/unread"))
    Page.objects.update(created_at=timezone.now() - timedelta(days=120))
    assert f'href="/knowledge/pages/{page.id}"' in text_of(ada.get("/knowledge/ENG/unread"))
    open_page(actor=agent(), page_id=page.id)
    assert "Every page is read" in text_of(ada.get("/knowledge/ENG/unread"))
    assert ada.get("/knowledge/NOPE/unread").status_code == 404
    assert stranger.get("/knowledge/ENG/unread").status_code == 403


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.covers("UI-01")
def test_readers_are_legible_wide_narrow_and_in_the_dark(desk: BrowserPage) -> None:  # noqa: F811
    page = made("Tariffs")
    open_page(actor=agent(), page_id=page.id, occasion=Occasion(turn_id="turn-of-the-night-shift-81"))
    for number, seat in enumerate(("product-bot", "lead-bot", "engineer-bot")):
        read_by_search(page.id, seat, "what does a car pay on the night ferry " * number)
    Page.objects.update(created_at=timezone.now() - timedelta(days=120))
    made("Forgotten")
    Page.objects.update(created_at=timezone.now() - timedelta(days=120))
    base = desk.url.split("/knowledge")[0]
    for address in (f"/knowledge/pages/{page.id}", f"/knowledge/pages/{page.id}/readers", "/knowledge/ENG/unread"):
        for width, scheme in ((1280, "light"), (320, "dark")):
            desk.set_viewport_size({"width": width, "height": 800})
            desk.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            desk.goto(f"{base}{address}")
            expect(desk.locator("h1")).to_be_visible()
            assert desk.evaluate("document.documentElement.scrollWidth <= innerWidth")
            found = [v for v in Axe().run(desk).response["violations"] if v["impact"] in ("serious", "critical")]
            assert found == []
