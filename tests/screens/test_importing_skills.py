"""Importing, trashing and rolling back skills by form, as REST does each."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
import zipfile
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from crewlet_site.environment import storage_of
from knowledge.models import Attachment, Page, PageStatus
from knowledge.writes.pages import create_page, save_page
from skills.registry.sync import SkillSync
from tests.factories import admin, install_company
from tests.skills.served import NOTES

pytestmark = [pytest.mark.django_db, pytest.mark.covers("HS-05")]

COLON = "---\nname: tides\ndescription: Use it: when tides matter.\nallowed-tools: Read\n---\nBody.\n"
BAD = "---\nname: Bad Name!\n---\nBody.\n"


@pytest.fixture(autouse=True)
def somewhere_for_files(settings: Settings, tmp_path: Path) -> None:
    kept = storage_of("", folder=tmp_path / "attachments")
    settings.STORAGES = {**settings.STORAGES, "attachments": kept}


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return buffer.getvalue()


def zipped_in_order(*files: tuple[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files:
            archive.writestr(path, text)
    return buffer.getvalue()


TREE = zipped(**{
    "release-notes/SKILL.md": NOTES, "release-notes/scripts/a.sh": "echo\n", "tides/SKILL.md": COLON,
    "bad/SKILL.md": BAD,
})  # fmt: skip


def send(client: Client, data: bytes, *, name: str = "skills.zip", **fields: str) -> Any:
    return client.post("/skills/import", {"file": SimpleUploadedFile(name, data), **fields})


def words(answer: Any) -> str:
    return unescape(answer.content.decode())


def checked(answer: Any) -> str:
    found = re.search(r'name="checked" value="(\w+)"', answer.content.decode())
    assert found is not None
    return found[1]


def test_an_upload_shows_verdicts_and_repairs_before_anything_is_written_and_then_does_just_that(root: Client) -> None:
    rest = root.post("/api/v1/library-import", {"file": SimpleUploadedFile("skills.zip", TREE)}).json()["files"]
    Page.objects.all().delete()
    shown = send(root, TREE, do="check")
    text = words(shown)
    assert "Nothing is written yet." in text
    for file in rest:
        assert file["path"] in text
        for told in (*file["repairs"], *(problem["detail"] for problem in file["problems"])):
            assert told in text
    assert {file["verdict"] for file in rest} == {"ok", "repaired", "refused"}
    assert not Page.objects.exists()
    done = send(root, TREE, do="import", checked=checked(shown))
    assert "2 created" in words(done)
    assert set(Page.objects.values_list("title", flat=True)) == {"release-notes", "tides"}
    assert Attachment.objects.get().path == "scripts/a.sh"
    assert "allowed-tools: Read\n" in Page.objects.get(title="tides").body, "a repair widens nothing"


def test_another_upload_than_the_one_that_was_shown_is_shown_first(root: Client) -> None:
    digest = checked(send(root, TREE, do="check"))
    other = send(root, zipped(**{"tides/SKILL.md": COLON}), do="import", checked=digest)
    assert "another file than the one whose report was shown" in words(other)
    assert not Page.objects.exists()
    assert "Nothing is written yet." in words(send(root, TREE, do="import"))
    assert not Page.objects.exists(), "nothing is brought in unseen"


def test_form_and_rest_refuse_the_same_uploads_with_the_same_words(root: Client, ada: Client) -> None:
    for data in (b"PK\x03\x04 no zip", zipped(**{"../out/SKILL.md": NOTES})):
        form = send(root, data)
        rest = root.post("/api/v1/library-import", {"file": SimpleUploadedFile("skills.zip", data)})
        assert form.status_code == rest.status_code == 400
        assert rest.json()["errors"][0]["detail"] in words(form)
    assert root.post("/skills/import", {}).status_code == 400
    form, rest = send(ada, TREE), ada.post("/api/v1/library-import", {"file": SimpleUploadedFile("s.zip", TREE)})
    assert form.status_code == rest.status_code == 403
    assert rest.json()["errors"][0]["detail"] in words(form)
    assert ada.get("/skills/import").status_code == 403


def test_an_import_waits_where_the_company_asks_for_review(root: Client) -> None:
    install_company(skills_review=True, dashboard_base_url="")
    done = send(root, TREE, do="import", checked=checked(send(root, TREE, do="check")))
    assert "waits for review" in words(done)
    assert set(Page.objects.values_list("status", "held_version")) == {(PageStatus.DRAFT, 1)}


def test_a_skill_is_trashed_restored_and_rolled_back_by_form_as_by_rest(root: Client, ada: Client) -> None:
    page = create_page(actor=admin(), title="release-notes", body=NOTES, container="TS", labels=["skill-folder"])
    save_page(actor=admin(), page_id=page.id, base_version=1, body=NOTES + "More.\n")
    SkillSync(report=lambda _report: None).run_pending()
    pairs: tuple[tuple[str, dict[str, str], str, str, dict[str, int]], ...] = (
        (f"/knowledge/pages/{page.id}/trash", {}, "delete", "library/release-notes", {}),
        (f"/knowledge/pages/{page.id}/history/1/restore", {"base_version": "2"}, "post",
         f"pages/{page.id}/revisions/1/restore", {"base_version": 2}),
    )  # fmt: skip
    for address, fields, method, route, body in pairs:
        form = ada.post(address, fields)
        rest = getattr(ada, method)(f"/api/v1/{route}", body, content_type="application/json")
        assert form.status_code == rest.status_code == 403
        assert rest.json()["errors"][0]["detail"] in words(form)
    assert f'action="/knowledge/pages/{page.id}/trash"' in words(root.get("/skills/release-notes?dialect=agent_skill"))
    assert root.post(f"/knowledge/pages/{page.id}/history/1/restore", {"base_version": "2"}).status_code == 302
    assert Page.objects.get(pk=page.id).body == NOTES
    assert root.post(f"/knowledge/pages/{page.id}/trash").status_code == 302
    assert root.delete("/api/v1/library/release-notes").status_code == 404
    assert root.post(f"/knowledge/pages/{page.id}/restore").status_code == 302
    assert root.delete("/api/v1/library/release-notes").status_code == 204


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/etc/x", 400), ("../x", 400), ("a/../../x", 400), ("a\\..\\x", 400), ("C:/x", 400), ("a/b\nc", 400),
        ("./a/y", 400),
        ("a/SKILL.md", 400), ("a/turned\u202e", 200), ("a/" + "b" * 300, 200), ("a/f/g", 200), ("a/skill.md", 200),
        ("a/E\u0301.md", 200),
    ],
)  # fmt: skip
def test_a_zip_with_a_path_that_cannot_be_kept_says_so_and_brings_nothing_in(
    root: Client, path: str, status: int
) -> None:
    good = "---\nname: a\ndescription: d\n---\nx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of the name that is in the zip twice
        upload = zipped_in_order(("a/SKILL.md", good), ("a/f", ""), ("a/\u00c9.md", ""), (path, good))
    for fields in ({"do": "check"}, {"do": "import", "checked": hashlib.sha256(upload).hexdigest()}):
        answer = send(root, upload, **fields)
        assert answer.status_code == status
        assert 'role="alert"' in words(answer) if status == 400 else 'id="refused-files"' in words(answer)
        assert not Page.objects.filter(title="a").exists() or path == "a/skill.md"
        assert not Attachment.objects.exists() or path == "a/skill.md"
