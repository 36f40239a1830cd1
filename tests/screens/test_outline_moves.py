"""Moving pages in the outline: by keyboard and by pointer, and back again where the server says no."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from knowledge.models import Page
from knowledge.writes.pages import trash_page
from tests.factories import human
from tests.knowledge.pages import page
from tests.screens.browsers import browser_of

pytestmark = pytest.mark.django_db


def order(parent_id: int | None = None) -> list[str]:
    level = Page.objects.filter(container="ENG", parent_id=parent_id).exclude(status="trashed")
    return list(level.order_by("position", "address", "id").values_list("title", flat=True))


@pytest.mark.covers("OU-01")
def test_a_page_is_put_before_after_and_under_others(ada: Client) -> None:
    a, b, c = (page(title, by=human()).id for title in "ABC")
    assert ada.post(f"/knowledge/pages/{c}/place", {"parent": "", "before": a}).status_code == 204
    assert order() == ["C", "A", "B"]
    ada.post(f"/knowledge/pages/{c}/place", {"parent": "", "after": b})
    assert order() == ["A", "B", "C"]
    ada.post(f"/knowledge/pages/{b}/place", {"parent": a})
    assert (order(), order(a)) == (["A", "C"], ["B"])


@pytest.mark.covers("OU-01")
@pytest.mark.parametrize(
    "place", [{"parent": "x"}, {"before": "1", "after": "2"}, {"after": "987654"}, {"parent": "987654"}]
)
def test_a_place_that_is_none_is_refused_and_moves_nothing(ada: Client, place: dict[str, str]) -> None:
    page("A", by=human())
    made = page("B", by=human())
    answer = ada.post(f"/knowledge/pages/{made.id}/place", place, headers={"HX-Request": "true"})
    assert answer.status_code in (400, 409, 422)
    assert "<html" not in answer.content.decode()
    assert order() == ["A", "B"]


@pytest.mark.browser
@pytest.mark.covers("UI-02")
@pytest.mark.django_db(transaction=True)
def test_pages_are_moved_by_keyboard_and_by_pointer_and_go_back_where_that_is_refused(
    harbour: object, live_server: Any, browser_page: Screen
) -> None:
    client = browser_of("ada", "knowledge", seat="ada-marsh")
    cookie = client.cookies["sessionid"].value
    assert SessionStore(cookie).exists(cookie)
    made = {title: page(title, by=human()).id for title in ("Anchor", "Buoy", "Crane", "Dock")}
    browser_page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    browser_page.goto(f"{live_server.url}/knowledge/ENG")
    said = browser_page.locator("#move-said")

    browser_page.locator(f"#page-{made['Crane']}").focus()
    browser_page.keyboard.press("Alt+ArrowUp")
    expect(said).to_have_text("Moved “Crane” before “Buoy”.")
    assert order() == ["Anchor", "Crane", "Buoy", "Dock"]

    grip = browser_page.locator(f".outline-row:has(#page-{made['Dock']}) .grip").bounding_box()
    target = browser_page.locator(f".outline-row:has(#page-{made['Anchor']})").bounding_box()
    assert grip is not None
    assert target is not None
    browser_page.mouse.move(grip["x"] + 8, grip["y"] + 12)
    browser_page.mouse.down()
    browser_page.mouse.move(target["x"] + 80, target["y"] + 3, steps=5)
    expect(browser_page.locator(".drop-before")).to_have_count(1)
    browser_page.mouse.up()
    expect(said).to_have_text("Moved “Dock” before “Anchor”.")
    assert order() == ["Dock", "Anchor", "Crane", "Buoy"]

    trash_page(actor=human(), page_id=made["Crane"])
    browser_page.locator(f"#page-{made['Buoy']}").focus()
    browser_page.keyboard.press("Alt+ArrowUp")
    expect(said).to_contain_text("another page under the same parent")
    shown = browser_page.locator("#outline .outline-title > bdi").all_text_contents()
    assert shown == ["Dock", "Anchor", "Crane", "Buoy"]

    browser_page.reload()
    browser_page.locator(f"#page-{made['Buoy']}").focus()
    browser_page.keyboard.press("Alt+ArrowRight")
    browser_page.wait_for_url("**open=*")
    assert order(made["Anchor"]) == ["Buoy"]
    expect(browser_page.locator(f"#under-{made['Anchor']} .outline-title > bdi")).to_have_text("Buoy")
