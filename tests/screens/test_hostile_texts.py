"""Hostile texts, put in through REST, on every screen that shows text, in Chromium: nothing runs, loads or steers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from rest_framework.test import APIClient

from crewlet_site.environment import storage_of
from knowledge.rules.markdown import Rendered
from knowledge.search.indexing import Indexing
from knowledge.search.pages import PageCorpus
from knowledge.views import reading
from tests.factories import token_for
from tests.hostile import BODIES, LINES, MARKDOWN, MARKUP, gathered
from tests.screens.browsers import browser_of
from tests.screens.watching import Watched
from tests.skills.served import serve
from tests.skills.texts import skill_text

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

# Presses everything in the text that can be pressed, and lets what follows from it begin.
PRESS = """async () => {
  for (const one of document.querySelectorAll(".prose :is(a, button, summary)"))
    one.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  for (let frame = 0; frame < 3; frame += 1) await new Promise((then) => requestAnimationFrame(then));
}"""
IMAGE = b"\x89PNG\r\n\x1a\n" + b"\x00" * 32


class Agent:
    """An agent at the REST door, which is how most texts come in."""

    def __init__(self) -> None:
        self._api = APIClient()
        self._api.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(seat='engineer-bot')}")

    def post(self, address: str, data: dict[str, Any], *, status: int = 201, kind: str = "json") -> dict[str, Any]:
        """What a POST answers; fails the test where it is refused."""
        return self._answer(self._api.post(f"/api/v1/{address}", data, format=kind), status)

    def patch(self, address: str, data: dict[str, Any]) -> dict[str, Any]:
        """What a PATCH answers; fails the test where it is refused."""
        return self._answer(self._api.patch(f"/api/v1/{address}", data, format="json"), 200)

    def _answer(self, answer: Any, status: int) -> dict[str, Any]:
        assert answer.status_code == status, answer.content
        return dict(answer.json()) if answer.content else {}

    def page(self, title: str, body: str, **more: Any) -> int:
        """A new page's number."""
        return int(self.post("pages", {"container": "ENG", "title": title, "body": body, **more})["id"])


@pytest.fixture
def engineer(harbour: object) -> Agent:
    """The engineer agent."""
    return Agent()


@pytest.fixture
def watched(browser: Browser, live_server: LiveServer) -> Iterator[Watched]:
    """A browser whose every deed is noted."""
    context = browser.new_context(base_url=live_server.url)
    yield Watched(context=context, origin=live_server.url)
    context.close()


def line(number: int) -> str:
    """A hostile line of its own, for what has to be unlike its neighbours."""
    return f"{LINES[number % len(LINES)]} {number}"


def look(watched: Watched, page: Page, *addresses: str) -> list[str]:
    """Open each address and tell what is not as it should be."""
    faults = []
    for address in addresses:
        answer = page.goto(address)
        assert answer is not None
        if answer.status != 200:
            faults.append(f"{address}: answered {answer.status}")
        faults += [f"{address}: {fault}" for fault in watched.faults(page)]
    return faults


@pytest.mark.covers("PG-19")
def test_no_page_makes_its_reader_run_load_or_ask_for_anything(watched: Watched, engineer: Agent, ada: Client) -> None:
    assert len(BODIES) >= 100
    pages = [engineer.page(line(n), body, message=line(n), labels=[line(n)]) for n, body in enumerate(gathered())]
    watched.sign_in(ada)
    page = watched.context.new_page()
    faults = look(watched, page, *(f"/knowledge/pages/{page_id}" for page_id in pages))
    assert faults == [], "\n".join(faults)


@pytest.mark.covers("PG-19", "PG-14")
def test_no_preview_comment_or_difference_does_either(watched: Watched, engineer: Agent, ada: Client) -> None:
    talk = engineer.page("Talk", "x", watchers=["ada-marsh"])
    first: dict[str, Any] = {}
    for n, body in enumerate(BODIES):
        reply = {"reply_to": first["id"]} if n % 3 else {}
        made = engineer.post(f"pages/{talk}/comments", {"body": f"{body}\n\n@ada-marsh", **reply})
        first = first if reply else made
    changed = engineer.page("Changed", "\n".join(MARKUP), message=line(0))
    engineer.patch(f"pages/{changed}", {"base_version": 1, "body": "\n".join(MARKUP).replace("ran()", "ran( )"),
                                        "message": line(1)})  # fmt: skip
    engineer.patch(f"pages/{changed}", {"base_version": 2, "body": "\n".join(MARKDOWN), "message": line(2)})
    engineer.patch(f"pages/{changed}", {"base_version": 3, "body": BODIES[-1], "message": line(4)})
    watched.sign_in(ada)
    page = watched.context.new_page()
    between = f"/knowledge/pages/{changed}/compare"
    faults = look(
        watched, page, f"/knowledge/pages/{talk}", f"/knowledge/pages/{talk}/activity", "/notifications",
        f"{between}?from=1&to=2", f"{between}?from=1&to=2&as=split", f"{between}?from=2&to=3",
        f"{between}?from=2&to=3&as=split", f"{between}?from=3&to=4&as=split",
        *(f"/knowledge/pages/{changed}/history/{version}" for version in (1, 2, 4)),
        *(f"/knowledge/pages/{changed}/history/{version}?show=text" for version in (2, 3)),
        f"/knowledge/pages/{changed}/history/1/restore", f"/knowledge/pages/{changed}/history",
    )  # fmt: skip
    page.goto(f"/knowledge/pages/{talk}")
    page.locator("article.comment").first.wait_for()
    assert page.locator("article.comment").count() == len(BODIES)

    page.goto(f"/knowledge/pages/{talk}/edit")
    text, shown = page.get_by_label("Text, in markdown"), page.locator("#preview")
    for n, body in enumerate(gathered()):
        text.fill(f"{body}\n\nThe end of {n}.")
        expect(shown).to_contain_text(f"The end of {n}.", timeout=20_000)
        faults += [f"preview of {body!r}: {fault}" for fault in watched.faults(page)]
    assert faults == [], "\n".join(faults)


@pytest.mark.covers("PG-19")
def test_no_title_label_note_or_name_does_on_any_screen(
    watched: Watched, engineer: Agent, root: Client, tmp_path: Path, settings: Settings
) -> None:
    settings.INDEX_DIR = tmp_path / "index"
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=tmp_path / "files")}
    top = engineer.page(f"Top {LINES[0]}", "The quay.", message=line(1))
    for n, text in enumerate(LINES):
        body = f"See [it](/pages/{top}).\n\n{MARKUP[n]}\n\n{MARKDOWN[n]} and ran() on the quay"
        marks = {"labels": ["template", text], "message": text}
        beneath = engineer.page(line(n), body, parent_id=top, container=None, **marks)
        engineer.post(f"pages/{beneath}/comments", {"body": text})
        engineer.post(f"pages/{top}/attachments",
                      {"file": SimpleUploadedFile(text.replace("/", "-"), IMAGE)}, kind="multipart")  # fmt: skip
        engineer.patch(f"pages/{beneath}", {"title": f"{line(n)} renamed"})
    gone = [engineer.page(f"{text} gone", text) for text in LINES]
    for page_id in gone:
        engineer.post(f"pages/{page_id}/trash", {}, status=200)
    serve(*(skill_text(f"skill:s{n}", trigger="{tool: post_message}", title=repr(text), summary=repr(text), body=text)
            for n, text in enumerate(LINES)))  # fmt: skip
    Indexing(settings.INDEX_DIR, wanted=[PageCorpus()]).catch_up()

    watched.sign_in(root)
    page = watched.context.new_page()
    faults = look(
        watched, page, "/knowledge", "/knowledge/ENG", f"/knowledge/ENG?open={top}", f"/knowledge/pages/{top}",
        f"/knowledge/pages/{top}/linked-from", f"/knowledge/pages/{top}/move", f"/knowledge/pages/{top}/rename",
        f"/knowledge/pages/{top}/labels", f"/knowledge/pages/{top}/history", f"/knowledge/pages/{beneath}/activity",
        f"/knowledge/new?container=ENG&template={beneath}", f"/knowledge/new?parent={top}&title=%3Cscript%3Eran()",
        "/knowledge/trash", "/knowledge/ENG/trash", f"/knowledge/pages/{gone[0]}", "/skills", "/skills/skill%3As0",
        "/skills/skill%3As2", "/skills/new", "/search?q=quay", "/search?q=ran()+%3Cscript%3E+onerror",
        "/search?q=%22%3E%3Cimg%20src%3Dx%20onerror%3Dran()%3E&space=%22onload%3Dran()", "/company/people",
    )  # fmt: skip
    page.goto(f"/knowledge/pages/{top}/edit")
    page.keyboard.press("Control+End")
    page.keyboard.type("[[")
    words = page.get_by_role("combobox", name="Link to a page")
    expect(words).to_be_focused()
    words.fill("ran")
    expect(page.get_by_role("option")).not_to_have_count(0)
    faults += [f"link completion: {fault}" for fault in watched.faults(page)]
    page.keyboard.press("Enter")
    expect(page.locator("#preview")).to_contain_text("ran()")
    faults += [f"a completed link: {fault}" for fault in watched.faults(page)]

    page.goto("/knowledge")
    page.keyboard.press("Control+k")
    page.keyboard.type("ran")
    expect(page.get_by_role("option").first).to_contain_text("ran()")
    faults += [f"palette: {fault}" for fault in watched.faults(page)]

    page.goto(f"/knowledge/pages/{beneath}/edit")
    page.get_by_label("Text, in markdown").fill("\n".join(MARKUP))
    engineer.patch(f"pages/{beneath}", {"base_version": 2, "body": "\n".join(MARKDOWN)})
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Two edits met")).to_be_visible()
    faults += [f"two edits: {fault}" for fault in watched.faults(page)]
    page.get_by_role("link", name="Keep theirs").click()

    page.locator("summary", has_text="More actions").click()
    page.get_by_role("button", name="Move to trash").click()
    expect(page.get_by_role("status").first).to_contain_text("ran()")
    faults += [f"what was done: {fault}" for fault in watched.faults(page)]

    page.goto("/skills/new")
    for label in ("Title", "Summary", "Body"):
        page.get_by_label(label, exact=True).fill(f"{LINES[0]} {LINES[2]}")
    expect(page.locator("#seen")).to_contain_text("ran()")
    faults += [f"preview of a skill: {fault}" for fault in watched.faults(page)]
    assert faults == [], "\n".join(faults)


@pytest.mark.covers("PG-19")
def test_no_work_item_does_on_any_screen(watched: Watched, engineer: Agent, tmp_path: Path, settings: Settings) -> None:
    settings.INDEX_DIR = tmp_path / "index"
    items = [
        engineer.post("items", {"project": "ENG", "title": line(n), "description": body, "labels": [line(n)]})["key"]
        for n, body in enumerate(gathered())
    ]
    first, second = items[0], items[1]
    for text in (*LINES, *MARKDOWN[-6:]):
        engineer.post(f"items/{first}/comments", {"body": text})
    engineer.patch(f"items/{first}", {"base_version": 1, "title": f"{LINES[1]} renamed", "description": MARKUP[0]})
    engineer.post(f"items/{second}/trash", {}, status=200)
    watched.sign_in(browser_of("ada", "knowledge", "tracker", seat="ada-marsh"))
    page = watched.context.new_page()
    faults = look(
        watched, page, *(f"/tracker/items/{key}" for key in items if key != second), "/tracker", "/tracker/board",
        "/tracker/mine", f"/tracker?q={LINES[2]}", "/tracker/trash", "/tracker/new?project=ENG",
        f"/tracker/items/{first}/edit", f"/tracker/items/{first}/activity", f"/tracker/items/{first}/history",
        f"/tracker/items/{first}/history/1", f"/tracker/items/{first}/history/2", f"/tracker/items/{first}/move",
    )  # fmt: skip
    assert faults == [], "\n".join(faults)


@pytest.mark.covers("PG-19")
def test_where_the_renderer_fails_the_policy_of_the_site_still_lets_nothing_run_or_load(
    watched: Watched, engineer: Agent, ada: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(reading, "prose", lambda request, actor, text, **more: Rendered(html=text, headings=()))
    pages = [engineer.page(f"Raw {n}", body) for n, body in enumerate(MARKUP)]
    watched.sign_in(ada)
    page = watched.context.new_page()
    refused: set[str] = set()
    for page_id, body in zip(pages, MARKUP, strict=True):
        assert deeds(watched, page, page_id) == [], body
        refused |= set(watched.refused)
    assert {"script-src-attr", "script-src-elem", "style-src-elem", "style-src-attr", "img-src", "frame-src",
            "media-src", "object-src", "base-uri", "form-action"} <= refused  # fmt: skip

    settings.CONTENT_SECURITY_POLICY = None
    sample = pages[::4]
    had_their_way = [page_id for page_id in sample if deeds(watched, page, page_id)]
    assert len(had_their_way) > len(sample) / 2, "without the policy they run and load, or this proves nothing"


def deeds(watched: Watched, page: Page, page_id: int) -> list[str]:
    """What a page's text ran and asked of others and of us, by being opened and by everything in it being pressed."""
    watched.forget()
    page.goto(f"/knowledge/pages/{page_id}")
    page.evaluate(PRESS)
    own = [one.url for one in watched.asked if one.url.startswith(f"{watched.origin}/api/")]
    return watched.ran + watched.left + own
