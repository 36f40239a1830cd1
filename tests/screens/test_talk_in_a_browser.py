"""Comments and notifications in Chromium: two people talk beneath a page, one names the other, who reads it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from knowledge.models import Comment, Notification
from knowledge.writes.comments import add_comment
from knowledge.writes.pages import create_page, save_page
from tests.factories import agent, human, person

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
        person(login, permissions=["knowledge"], seat=seat)
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/sign-in?next=/knowledge")
        page.get_by_label("Login").fill(login)
        page.get_by_label("Password").fill("a long password")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Knowledge")).to_be_visible()
        return page

    yield sign_in
    for context in contexts:
        context.close()
    assert complaints == []


def picture(page: Page, name: str) -> None:
    """Keep a picture of the screen where `CREWLET_PICTURES` names a folder, for whoever wants to look."""
    if folder := os.environ.get("CREWLET_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.covers("PG-14", "PG-15", "UI-02")
def test_a_comment_with_a_mention_reaches_the_other_persons_inbox_and_is_read_there(signed_in: SignIn) -> None:
    page_id = create_page(actor=agent(), title="Tide limits", body="# Limits\n\nUp to 2.1 m.\n", container="ENG").id
    ada, root = signed_in("ada", seat="ada-marsh"), signed_in("root")
    root.goto(f"/knowledge/pages/{page_id}")
    box = root.get_by_label("Your comment")
    box.click()
    root.keyboard.type("Is this right, @mar")
    expect(root.get_by_role("option")).to_have_count(1)
    picture(root, "completion")
    root.keyboard.press("Enter")
    expect(box).to_have_value("Is this right, @ada-marsh ")
    root.keyboard.type("? Not `@engineer-bot`.")
    root.keyboard.press("Control+Enter")
    comment = root.locator("article.comment")
    expect(comment).to_contain_text("Is this right, @ada-marsh")
    expect(comment.locator(".mention")).to_have_text("@ada-marsh")
    expect(comment).to_be_focused()
    expect(root.get_by_label("Your comment")).to_have_value("")

    ada.goto("/knowledge")
    expect(ada.locator(".badge")).to_contain_text("1")
    ada.wait_for_load_state()
    ada.keyboard.press("g")
    ada.keyboard.press("n")
    expect(ada.get_by_text("mentions you")).to_be_visible()
    picture(ada, "inbox")
    ada.get_by_role("link", name="Tide limits").click()
    expect(ada.get_by_role("heading", name="Comments")).to_be_visible()
    expect(ada.locator(".badge")).to_have_count(0)
    ada.locator("summary", has_text="Reply").click()
    expect(ada.get_by_label("Your reply")).to_be_focused()
    ada.keyboard.type("Yes, since **March**.")
    ada.get_by_role("button", name="Reply").click()
    expect(ada.locator(".replies")).to_contain_text("Yes, since March.")
    reply = ada.locator(".replies article")
    reply.get_by_role("link", name="Edit").click()
    expect(ada.locator(".replies textarea")).to_be_focused()
    ada.locator(".replies textarea").fill("Yes, since April.")
    ada.get_by_role("button", name="Save").click()
    expect(ada.locator(".replies article")).to_contain_text("edited")
    picture(ada, "talk")
    ada.locator(".replies").get_by_text("Remove", exact=True).click()
    ada.get_by_role("button", name="Remove for good").click()
    expect(ada.locator(".replies")).to_have_count(0)
    assert Comment.objects.get().author_name == "root"
    assert {note.seat for note in Notification.objects.filter(what__contains=["mentioned"])} == {"ada-marsh"}


@pytest.mark.covers("PG-14")
def test_a_refused_comment_stays_in_its_form(signed_in: SignIn) -> None:
    page_id = create_page(actor=agent(), title="Tide limits", body="x", container="ENG").id
    ada = signed_in("ada", seat="ada-marsh")
    ada.goto(f"/knowledge/pages/{page_id}")
    ada.get_by_label("Your comment").fill("é" * 17_000)
    ada.get_by_role("button", name="Comment").click()
    expect(ada.get_by_role("alert")).to_contain_text("at most 32768 are kept")
    expect(ada.get_by_label("Your comment")).to_have_value("é" * 17_000)


@pytest.mark.covers("PG-15", "UI-05")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("narrow", {"viewport": {"width": 390, "height": 844}}),
        ("dark", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"}),
    ],
)
def test_the_screens_of_talk_fit_their_window(signed_in: SignIn, name: str, options: dict[str, object]) -> None:
    page = create_page(actor=human(), title="Season start", body="# Plan\n\nA word.\n\n# Then\n", container="ENG")
    first = add_comment(actor=agent(), page_id=page.id, body="What about `holds`, @ada-marsh?\n\n- one\n- two")
    add_comment(actor=human(), page_id=page.id, body="Later." + " quay" * 60, reply_to=first.id)
    save_page(actor=agent("product-bot"), page_id=page.id, base_version=1, body="# Plan\n\nAnother.\n\n# Then\n",
              message="Dates of the spring tides")  # fmt: skip
    other = create_page(actor=human(), title="A long title " * 8, body="x", container="ENG")
    save_page(actor=agent("lead-bot"), page_id=other.id, base_version=1, body="y")
    ada = signed_in("ada", seat="ada-marsh", **options)
    for screen in (f"knowledge/pages/{page.id}", "notifications", f"knowledge/pages/{page.id}/activity"):
        ada.goto(f"/{screen}")
        fits = ada.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        picture(ada, f"{name}-{re.sub(r'[^a-z]', '', screen)}")
        assert fits, screen
