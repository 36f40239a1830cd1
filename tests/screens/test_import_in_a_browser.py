"""A vault brought in with a browser: the form, how far it is, and the report, by keyboard and in a narrow window."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from crewlet_site.environment import storage_of
from knowledge.exchange.runs import run_import
from knowledge.models import ImportRun, Page
from knowledge.writes import import_runs
from knowledge.writes.import_runs import note_import_progress, take_up_import
from tests.knowledge.pages import page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.covers("PG-22", "UI-02")]

LONG = "Harbour/" + "a-very-long-name-without-a-space-" * 5 + ".md"


def vault() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("Tides.md", "# Tides\n\nSee [[Berths]].\n")
        archive.writestr("Harbour/Berths.md", "Back to [[Tides]] and [gone](gone.md).\n")
        archive.writestr("مرفأ.md", "نص\n")
        archive.writestr(LONG, b"\xff\xfe")
        for n in range(60):
            archive.writestr(f"Log/Day {n:02}.md", f"Day {n}.\n")
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def kept_here(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = storage_of("", folder=tmp_path / "attachments")
    settings.STORAGES = {**settings.STORAGES, "attachments": kept}
    monkeypatch.setattr(import_runs, "_tell_workers", lambda _run_id: None)


@pytest.fixture
def photographed(browser_page: Screen) -> Callable[[str], None]:
    """Reads the screen with axe, wide and narrow, light and dark; CREWLET_SHOTS names a folder for pictures."""

    def look(name: str) -> None:
        for width, scheme in ((1280, "light"), (320, "light"), (320, "dark")):
            browser_page.set_viewport_size({"width": width, "height": 900})
            browser_page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert browser_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (name, width)
            found = Axe().run(browser_page, context="#main", options={"runOnly": ["wcag2a", "wcag2aa"]})
            assert found.violations_count == 0, found.generate_report()
            if folder := os.environ.get("CREWLET_SHOTS"):
                browser_page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
        browser_page.set_viewport_size({"width": 1280, "height": 900})
        browser_page.emulate_media(color_scheme="light")

    return look


def test_a_vault_is_brought_in_with_its_progress_and_its_report(
    ada: Client, live_server: LiveServer, browser_page: Screen, photographed: Callable[[str], None], tmp_path: Any
) -> None:
    above = page("Notes")
    screen = browser_page
    cookie = {"name": "sessionid", "value": ada.cookies["sessionid"].value, "url": live_server.url}
    screen.context.add_cookies([cookie])  # type: ignore[list-item]
    screen.goto(f"{live_server.url}/knowledge/ENG")
    screen.get_by_role("link", name="Import").press("Enter")
    screen.get_by_role("button", name="Import").press("Enter")
    expect(screen.get_by_role("alert")).to_contain_text("Choose a zip first.")
    photographed("form")
    (tmp_path / "vault.zip").write_bytes(vault())
    screen.get_by_label("File").set_input_files(tmp_path / "vault.zip")
    under = screen.get_by_label("Under")
    under.press_sequentially("not")
    expect(screen.get_by_role("option", name="Notes")).to_be_visible()
    screen.keyboard.press("Enter")
    expect(under).to_have_value("Notes")
    screen.get_by_role("button", name="Import").press("Enter")

    said = screen.get_by_role("status").filter(has_text="waits for its turn")
    expect(said).to_be_visible()
    run = ImportRun.objects.get()
    assert run.parent_id == above.id
    take_up_import(run_id=run.pk)
    note_import_progress(run_id=run.pk, what="page", done=12, total=64)
    expect(screen.get_by_text("Writing the pages: 12 of 64.")).to_be_visible(timeout=30_000)
    assert screen.get_by_role("progressbar").get_attribute("value") == "12"
    photographed("running")

    run_import(run_id=run.pk, container="ENG")
    expect(screen.get_by_text("Done with")).to_be_visible(timeout=30_000)
    expect(screen.locator("details[open] summary")).to_have_text("1 Refused")
    expect(screen.get_by_text("it is no text in UTF-8")).to_be_visible()
    photographed("report")
    screen.locator("summary", has_text="Created").press("Enter")
    expect(screen.get_by_text("Log/Day 03.md")).to_be_visible()
    expect(screen.get_by_text("links that lead to no file here: gone.md")).to_be_visible()
    screen.get_by_role("link", name="Show more").press("Enter")
    expect(screen.get_by_text("مرفأ.md")).to_be_visible()
    expect(screen.get_by_role("link", name="Show more")).to_have_count(0)
    photographed("report-open")
    screen.get_by_role("link", name="Look at the pages").press("Enter")
    expect(screen).to_have_url(f"{live_server.url}/knowledge/pages/{above.id}")
    assert Page.objects.get(title="Tides").parent_id == above.id


def test_a_run_that_failed_says_why_and_an_empty_zip_says_so(
    ada: Client, live_server: LiveServer, browser_page: Screen, photographed: Callable[[str], None], tmp_path: Any
) -> None:
    screen = browser_page
    cookie = {"name": "sessionid", "value": ada.cookies["sessionid"].value, "url": live_server.url}
    screen.context.add_cookies([cookie])  # type: ignore[list-item]
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    screen.goto(f"{live_server.url}/knowledge/ENG/import")
    screen.get_by_label("File").set_input_files(tmp_path / "empty.zip")
    screen.get_by_label("Only tell me").press("Space")
    screen.get_by_role("button", name="Import").press("Enter")
    expect(screen.get_by_text("nothing is written")).to_be_visible()
    run = ImportRun.objects.get()
    run_import(run_id=run.pk, container="ENG")
    expect(screen.get_by_role("heading", name="No file in it")).to_be_visible(timeout=30_000)
    import_runs.fail_import(run_id=run.pk, reason="The upload is no longer there. Upload the file again.")
    screen.reload()
    expect(screen.get_by_role("alert")).to_contain_text("Upload the file again")
    photographed("failed")
