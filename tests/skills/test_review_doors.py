"""Review of skills through its doors: form, REST, command line and imports wait alike; agents get what was approved."""

from __future__ import annotations

import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from company.models.records import AuditEntry
from crewlet_site.cli import parser
from crewlet_site.environment import storage_of
from knowledge.models import Page, PageStatus, Revision
from knowledge.writes.attachments import attach_file
from knowledge.writes.pages import approve_page, create_page, save_page
from skills import registry
from skills.folders import packing
from skills.folders.packing import Archive, PackedFile
from skills.registry.sync import SkillSync
from tests.factories import admin, install_company, person, token_for
from tests.screens.browsers import browser_of
from tests.skills.doors import Door
from tests.skills.served import GITHUB, NOTES
from tests.skills.texts import skill_text

pytestmark = [pytest.mark.django_db, pytest.mark.covers("HS-07")]

EDITED = GITHUB.replace("Keep a pull request small.", "One change a pull request.")
assert EDITED != GITHUB
FOLDER = (
    PackedFile(path="SKILL.md", data=NOTES.encode()),
    PackedFile(path="scripts/collect.sh", data=b"git log\n", executable=True),
)


@pytest.fixture(autouse=True)
def reviewing(db: None, settings: Settings, tmp_path: Path) -> None:
    kept = storage_of("", folder=tmp_path / "attachments")
    settings.STORAGES = {**settings.STORAGES, "attachments": kept}
    install_company(skills_review=True)


@pytest.fixture
def writer() -> Door:
    """The administrator who writes."""
    return Door(token_for(holder=person("root", permissions=["admin"])))


@pytest.fixture
def reviewer() -> Door:
    """Another administrator."""
    return Door(token_for(holder=person("vera", permissions=["admin"]), name="vera"))


@pytest.fixture
def reader() -> Door:
    return Door(token_for(seat="engineer-bot", name="reader"))


@pytest.fixture
def vera(reviewer: Door) -> Client:
    """The other administrator at her browser."""
    from company.models.credentials import Person

    client = Client()
    client.force_login(Person.objects.get(login="vera"))
    return client


def served() -> registry.Registry:
    SkillSync(report=lambda _report: None).run_pending()
    return registry.current()


def approved(text: str = GITHUB, title: str = "GitHub") -> int:
    """A skill's page that was approved: made while review was off, as before anybody asked for it."""
    install_company(skills_review=False)
    made = create_page(actor=admin(), title=title, body=text, container="TS")
    install_company(skills_review=True)
    return made.id


def upload(door: Door, *files: PackedFile, expect: int = 200) -> Any:
    data = packing.pack("release-notes", list(files))
    answer = door.client.post("/api/v1/library-import", {"file": SimpleUploadedFile("skills.zip", data)})
    assert answer.status_code == expect, answer.content
    return answer.json()


def test_a_save_answers_202_with_the_pending_version_and_agents_get_the_approved_text(
    writer: Door, reviewer: Door, reader: Door
) -> None:
    page_id = approved()
    saved = writer.ask("PATCH", f"pages/{page_id}", {"base_version": 1, "body": EDITED}, expect=202)
    assert (saved["version"], saved["pending_version"], saved["status"], saved["body"]) == (2, 2, "draft", EDITED)
    assert writer.get(f"pages/{page_id}")["version"] == 1
    assert writer.get(f"pages/{page_id}")["pending_version"] == 2
    assert "pending_version" not in reader.get(f"pages/{page_id}")
    assert served().by_key["mcp:github"].page_version == 1
    assert "One change" not in reader.get("skills/mcp%3Agithub")["body"]
    own = writer.ask("POST", f"pages/{page_id}/approve", {"version": 2}, expect=403)
    assert own["errors"][0]["code"] == "forbidden"
    stale = reviewer.ask("POST", f"pages/{page_id}/approve", {"version": 1}, expect=409)
    assert (stale["errors"][0]["code"], stale["current_version"]) == ("stale_version", 2)
    done = reviewer.post(f"pages/{page_id}/approve", {"version": 2})
    assert (done["version"], done["body"]) == (2, EDITED)
    assert reviewer.post(f"pages/{page_id}/approve", {"version": 2})["version"] == 2, "the second one is not told no"
    assert served().by_key["mcp:github"].page_version == 2
    (newest, oldest) = reader.get(f"pages/{page_id}/revisions")["results"]
    assert newest["review"]["by"] == {"name": "vera", "kind": "operator"}
    assert "review" not in oldest


def test_a_rollback_waits_too_and_what_waits_is_listed(writer: Door, reviewer: Door, reader: Door) -> None:
    page_id = approved()
    install_company(skills_review=False)
    save_page(actor=admin("vera"), page_id=page_id, base_version=1, body=EDITED)
    install_company(skills_review=True)
    back = writer.ask("POST", f"pages/{page_id}/revisions/1/restore", {"base_version": 2}, expect=202)
    assert (back["version"], back["review"]["state"], back["body"]) == (3, "pending", GITHUB)
    (row,) = reviewer.get("reviews")["results"]
    assert (row["page_id"], row["version"], row["author"]["name"], row["new"]) == (page_id, 3, "root", False)
    assert reader.get("reviews")["total"] == 0
    sent = reviewer.post(f"pages/{page_id}/send-back", {"version": 3, "message": "Why?"})
    assert (sent["version"], sent["body"]) == (2, EDITED)
    assert reviewer.get("reviews")["total"] == 0
    assert writer.get(f"pages/{page_id}/revisions/3")["review"]["message"] == "Why?"


def test_form_and_rest_refuse_an_approval_and_a_sending_back_with_the_same_words(
    writer: Door, reviewer: Door, vera: Client
) -> None:
    page_id = approved()
    writer.ask("PATCH", f"pages/{page_id}", {"base_version": 1, "body": EDITED}, expect=202)
    root = browser_of("rooted", "admin")
    save_page(actor=admin("rooted"), page_id=page_id, base_version=2, body=EDITED + "More.\n")
    for verb in ("approve", "send-back"):
        rest = reviewer.ask("POST", f"pages/{page_id}/{verb}", {"version": 2}, expect=409)
        form = vera.post(f"/skills/review/{page_id}/{verb}", {"version": "2", "word": "Kept as it was typed"})
        assert form.status_code == 409
        assert rest["errors"][0]["detail"] in unescape(form.content.decode())
    assert "Kept as it was typed" in form.content.decode()
    own = root.post(f"/skills/review/{page_id}/approve", {"version": "3"})
    assert own.status_code == 403
    assert "Ask another administrator" in unescape(own.content.decode())
    assert vera.post(f"/skills/review/{page_id}/send-back", {"version": "3", "word": "x" * 300}).status_code == 400
    assert vera.post(f"/skills/review/{page_id}/approve", {}).status_code == 400
    assert Page.objects.get(pk=page_id).held_version == 3
    assert vera.post(f"/skills/review/{page_id}/approve", {"version": "3"})["Location"] == "/skills/review"
    assert Page.objects.get(pk=page_id).version == 3
    assert vera.get(f"/skills/review/{page_id}")["Location"] == f"/knowledge/pages/{page_id}"
    ada = browser_of("ada", "knowledge", seat="ada-marsh")
    assert ada.post(f"/skills/review/{page_id}/approve", {"version": "3"}).status_code == 403
    assert "Nothing waits" in ada.get("/skills/review").content.decode()


def test_the_queue_shows_what_waits_and_costs_the_same_however_long_it_is(
    vera: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page_id = approved()
    save_page(actor=admin(), page_id=page_id, base_version=1, body=EDITED, message="Shorter")
    for number in range(12):
        create_page(actor=admin(), title=f"Skill {number}", body=skill_text(f"tool:t{number}"), container="TS")
    assert '<span class="count">13</span>' in vera.get("/skills").content.decode()
    with django_assert_max_num_queries(7):
        shown = unescape(vera.get("/skills/review").content.decode())
    assert "Shorter" in shown
    assert shown.index("GitHub") < shown.index("Skill 0") < shown.index("Skill 11")
    proposal = unescape(vera.get(f"/skills/review/{page_id}").content.decode())
    assert "Approve version 2" in proposal
    assert "Send back" in proposal


def test_a_file_that_waits_shows_what_it_changes_and_that_it_can_be_run(
    vera: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=tmp_path)}
    page_id = approved()
    for content, program in ((b"echo one\nls\n", False), (b"rm -r /\nls\n", True)):
        attach_file(
            actor=admin(), page_id=page_id, name="run.sh", content=io.BytesIO(content), path="scripts/run.sh",
            executable=program,
        )  # fmt: skip
        if not program:
            approve_page(actor=admin("vera"), page_id=page_id, version=2)
    shown = unescape(re.sub("<[^>]+>", "", vera.get(f"/skills/review/{page_id}").content.decode()))
    assert "scripts/run.sh" in shown
    assert "from now on can be run" in shown
    assert "echo one" in shown
    assert "rm -r /" in shown


def test_an_edit_in_the_form_waits_and_the_next_one_begins_from_it(vera: Client) -> None:
    page_id = approved()
    save_page(actor=admin(), page_id=page_id, base_version=1, body=EDITED)
    shown = vera.get(f"/skills/pages/{page_id}/edit").content.decode()
    assert "One change a pull request." in shown
    assert 'name="base_version" value="2"' in shown
    assert "One change a pull request." in vera.get(f"/knowledge/pages/{page_id}/edit").content.decode()
    page = vera.get(f"/knowledge/pages/{page_id}").content.decode()
    assert "Keep a pull request small." in page, "what is read is what was approved"
    assert f"/skills/review/{page_id}" in page


def test_an_imported_folder_waits_with_its_files_and_a_second_import_changes_nothing(
    writer: Door, reviewer: Door, reader: Door
) -> None:
    assert [file["verdict"] for file in upload(writer, *FOLDER)["files"]] == ["ok"]
    page = Page.objects.get(title="release-notes")
    assert (page.status, page.held_version, Revision.objects.filter(page=page).count()) == (PageStatus.DRAFT, 1, 1)
    assert reader.get("library-manifest")["skills"] == []
    upload(writer, *FOLDER)
    assert Page.objects.get(pk=page.pk).held_version == 1
    reviewer.post(f"pages/{page.pk}/approve", {"version": 1})
    (before,) = reader.get("library-manifest")["skills"]
    changed = (FOLDER[0], PackedFile(path="scripts/other.sh", data=b"rm -rf /\n", executable=True))
    upload(writer, *changed)
    upload(writer, *changed)
    assert reader.get("library-manifest")["skills"] == [before]
    zipped = reader.client.get("/api/v1/library/release-notes.zip").content
    archive = packing.open_archive(zipped)
    assert isinstance(archive, Archive)
    assert Page.objects.get(pk=page.pk).held_version == 2, "the files wait as one version, whatever they are"
    reviewer.post(f"pages/{page.pk}/approve", {"version": 2})
    (after,) = reader.get("library-manifest")["skills"]
    assert after["digest"] != before["digest"]
    assert [file["path"] for file in reader.get("library/release-notes")["files"]] == ["SKILL.md", "scripts/other.sh"]


def test_an_imported_folder_that_was_sent_back_comes_again_once_it_is_mended(writer: Door, reviewer: Door) -> None:
    upload(writer, *FOLDER)
    page = Page.objects.get(title="release-notes")
    reviewer.post(f"pages/{page.pk}/send-back", {"version": 1, "message": "Which tag?"})
    upload(writer, *FOLDER)
    assert Page.objects.get(pk=page.pk).held_version is None, "the same again is no answer"
    mended = PackedFile(path="SKILL.md", data=NOTES.replace("since $1", "since the tag $1").encode())
    assert [file["verdict"] for file in upload(writer, mended, FOLDER[1])["files"]] == ["ok"]
    page.refresh_from_db()
    assert (page.held_version, page.status) == (page.version, PageStatus.DRAFT)


def test_the_command_says_what_waits_and_finds_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reviewer: Door
) -> None:
    def run() -> str:
        arguments = parser().parse_args(["skills", "import", str(tmp_path / "in")])
        assert arguments.run(arguments) == 0
        return capsys.readouterr().out

    page_id = approved()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "github.md").write_bytes(EDITED.encode())
    (tmp_path / "in" / "new.md").write_bytes(skill_text("tool:new", title="New").encode())
    said = run()
    assert f"updated: mcp:github on page {page_id}, waits for review" in said
    assert "created: tool:new" in said
    assert said.count("waits for review") == 2
    assert run().count("unchanged") == 2
    assert list(served().by_key) == ["mcp:github"]
    assert AuditEntry.objects.filter(verb="propose_page", door="command").count() == 1
    new = Page.objects.get(title="New")
    reviewer.post(f"pages/{new.pk}/approve", {"version": 1})
    assert list(served().by_key) == ["mcp:github", "tool:new"]


def test_attaching_by_rest_to_a_skill_waits_only_where_the_file_belongs_to_its_folder(
    writer: Door, reader: Door
) -> None:
    page_id = approved(NOTES, "release-notes")
    answer = writer.client.post(f"/api/v1/pages/{page_id}/attachments", {"file": io.BytesIO(b"a picture of it")})
    assert answer.status_code == 201
    assert Page.objects.get(pk=page_id).held_version is None
    assert reader.get(f"pages/{page_id}/attachments")["total"] == 1
