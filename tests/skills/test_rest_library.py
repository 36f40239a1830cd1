"""The library at the REST door: importing, listing, the manifest, zips byte for byte, the trash."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import DjangoAssertNumQueries, Settings

from company.models.records import AuditEntry
from crewlet_site.environment import storage_of
from knowledge.models import Attachment, Page, Revision
from knowledge.writes.pages import create_page, restore_page, save_page
from skills.folders import packing
from skills.folders.packing import Archive, PackedFile
from skills.registry.dialects import FOLDER_LABEL
from skills.registry.sync import SkillSync
from tests.factories import admin, install_company, person, token_for
from tests.skills.doors import Door
from tests.skills.served import DEPLOY, NOTES
from tests.skills.texts import skill_text

pytestmark = pytest.mark.covers("HS-04")

SKILL = b"\xef\xbb\xbf---\r\nname: berths\r\ndescription: Use when a berth is booked.\r\n---\r\n\r\n# Berths \r\n\r\n"
FILES = (
    PackedFile(path="SKILL.md", data=SKILL),
    PackedFile(path="scripts/check.sh", data=b"#!/bin/sh\necho ok\n", executable=True),
    PackedFile(path="references/gr\u00f6\u00dfe.md", data="# Größe\r\n".encode()),
    PackedFile(path="assets/map.bin", data=bytes(range(256))),
    PackedFile(path="assets/empty", data=b""),
    PackedFile(path="LICENSE.txt", data=b"MIT\n"),
)


@pytest.fixture(autouse=True)
def somewhere_for_files(settings: Settings, tmp_path: Path) -> None:
    """Each test keeps files of its own."""
    kept = storage_of("", folder=tmp_path / "attachments")
    settings.STORAGES = {**settings.STORAGES, "attachments": kept}


@pytest.fixture
def door(db: None) -> Door:
    install_company()
    return Door(token_for(holder=person("root", permissions=["admin"])))


@pytest.fixture
def reader(door: Door) -> Door:
    return Door(token_for(seat="engineer-bot", name="reader"))


def upload(door: Door, data: bytes, *, name: str = "skills.zip", expect: int = 200, key: str | None = None) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    answer = door.client.post("/api/v1/library-import", {"file": SimpleUploadedFile(name, data)}, headers=headers)
    assert answer.status_code == expect, answer.content
    return answer.json()


def verdicts(answer: Any) -> list[tuple[str, str | None, str]]:
    return [(file["path"], file["name"], file["verdict"]) for file in answer["files"]]


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def download(door: Door, name: str) -> tuple[Any, bytes]:
    answer = door.client.get(f"/api/v1/library/{name}.zip")
    assert answer.status_code == 200, answer.content
    return answer, answer.content


def test_a_folder_comes_in_and_goes_out_byte_for_byte_with_its_modes(door: Door, reader: Door) -> None:
    sent = packing.pack("berths", FILES)
    assert verdicts(upload(door, sent)) == [("berths/SKILL.md", "berths", "ok")]
    answer, data = download(reader, "berths")
    assert data == sent
    assert answer["Content-Disposition"] == 'attachment; filename="berths.zip"'
    archive = packing.open_archive(data)
    assert isinstance(archive, Archive)
    for file in FILES:
        assert archive.read(f"berths/{file.path}") == PackedFile(
            path=f"berths/{file.path}", data=file.data, executable=file.executable
        )
    page = Page.objects.get()
    assert (page.title, page.labels, page.body.encode()) == ("berths", [FOLDER_LABEL], SKILL)


def test_one_skill_tells_its_text_and_files_and_the_manifest_its_digest(door: Door, reader: Door) -> None:
    upload(door, packing.pack("berths", FILES))
    detail = reader.get("library/berths")
    assert detail["body"].encode() == SKILL
    assert detail["frontmatter"] == {"name": "berths", "description": "Use when a berth is booked."}
    assert [(file["path"], file["executable"], file["size"]) for file in detail["files"]] == [
        ("SKILL.md", False, len(SKILL)),
        ("LICENSE.txt", False, 4),
        ("assets/empty", False, 0),
        ("assets/map.bin", False, 256),
        ("references/größe.md", False, 11),
        ("scripts/check.sh", True, 18),
    ]
    assert reader.client.get(detail["files"][5]["url"]).getvalue() == FILES[1].data
    entry = {"name": "berths", "version": 1, "digest": packing.digest(FILES), "size": sum(len(f.data) for f in FILES)}
    assert reader.get("library-manifest") == {"skills": [entry]}
    listed = reader.get("library")
    assert listed["results"] == [
        {**entry, "description": "Use when a berth is booked.", "page_id": Page.objects.get().pk}
    ]
    assert (listed["total"], listed["after"]) == (1, None)
    etag = reader.client.get("/api/v1/library-manifest")["ETag"]
    assert reader.client.get("/api/v1/library-manifest", headers={"If-None-Match": etag}).status_code == 304
    packed = reader.client.get("/api/v1/library/berths.zip")
    assert packed["ETag"] == f'"{entry["digest"]}"'
    assert reader.client.get("/api/v1/library/berths.zip", headers={"If-None-Match": packed["ETag"]}).status_code == 304


def test_importing_twice_changes_nothing_and_a_changed_folder_changes_what_it_must(door: Door, reader: Door) -> None:
    sent = packing.pack("berths", FILES)
    upload(door, sent)
    before = (Revision.objects.count(), AuditEntry.objects.count(), Attachment.objects.count())
    assert verdicts(upload(door, sent)) == [("berths/SKILL.md", "berths", "ok")]
    assert (Revision.objects.count(), AuditEntry.objects.count(), Attachment.objects.count()) == before
    changed = (
        PackedFile(path="SKILL.md", data=SKILL + b"More.\r\n"),
        PackedFile(path="scripts/check.sh", data=FILES[1].data, executable=False),
        PackedFile(path="assets/map.bin", data=b"smaller"),
    )
    upload(door, packing.pack("berths", changed))
    assert download(reader, "berths")[1] == packing.pack("berths", changed)
    (entry,) = reader.get("library-manifest")["skills"]
    assert (entry["version"], entry["digest"]) == (2, packing.digest(changed))
    assert Page.objects.count() == 1


def test_a_script_alone_changes_the_digest_and_not_the_version(door: Door, reader: Door) -> None:
    upload(door, packing.pack("berths", FILES))
    other = tuple(PackedFile(path=f.path, data=f.data + b"#" if f.executable else f.data) for f in FILES)
    upload(door, packing.pack("berths", other))
    (entry,) = reader.get("library-manifest")["skills"]
    assert (entry["version"], entry["digest"]) == (1, packing.digest(other))


@pytest.mark.covers("HS-05")
def test_every_file_of_an_import_has_one_verdict_and_what_is_taken_in_is_in_the_library(
    door: Door, reader: Door
) -> None:
    files = {
        "repo/README.md": b"# Not a skill\n",
        "repo/skills/good/SKILL.md": b"---\nname: good\ndescription: d\n---\nx",
        "repo/skills/good/references/more.md": b"---\nname: no-skill\n---\n",
        "repo/skills/colon/SKILL.md": b"---\nname: colon\ndescription: Use when: a berth is free\n---\nx",
        "repo/skills/folder/SKILL.md": b"---\nname: other-name\ndescription: d\n---\nx",
        "repo/skills/tagged/SKILL.md": b"---\nname: tagged\ndescription: !!str d\n---\nx",
        "repo/skills/ads/SKILL.md": b"---\nname: ads\ndescription: d\ntriggers:\n- paid ads\n---\nBid low.\n",
        "repo/skills/sub/SKILL.md": b"---\nname: sub\ndescription: d\ntools: Read, Grep\n---\nx",
        "repo/again/SKILL.md": b"---\nname: good\ndescription: twice\n---\nx",
        "repo/bare/SKILL.md": b"# No front matter\n",
    }
    answer = upload(door, zipped(files))
    assert verdicts(answer) == [
        ("repo/again/SKILL.md", "good", "refused"),
        ("repo/bare/SKILL.md", None, "refused"),
        ("repo/skills/ads/SKILL.md", "ads", "ok"),
        ("repo/skills/colon/SKILL.md", "colon", "repaired"),
        ("repo/skills/folder/SKILL.md", "other-name", "repaired"),
        ("repo/skills/good/SKILL.md", "good", "ok"),
        ("repo/skills/sub/SKILL.md", "sub", "ok"),
        ("repo/skills/tagged/SKILL.md", None, "refused"),
    ]
    by_path = {file["path"]: file for file in answer["files"]}
    assert by_path["repo/skills/colon/SKILL.md"]["repairs"][0].startswith("line 3: description: ")
    assert by_path["repo/skills/colon/SKILL.md"]["problems"] == []
    (problem, *_) = by_path["repo/skills/tagged/SKILL.md"]["problems"]
    assert (problem["field"], problem["line"]) == ("frontmatter", 3)
    taken_in = sorted({file["name"] for file in answer["files"] if file["verdict"] != "refused"})
    assert [row["name"] for row in reader.get("library")["results"]] == taken_in
    assert [one["name"] for one in reader.get("library-manifest")["skills"]] == taken_in
    SkillSync(report=lambda _report: None).run_pending()
    assert [one["name"] for one in reader.get("/api/skills")["skills"]] == ["ads"]
    assert reader.get("skill-problems")["results"] == []
    opened = reader.post("sessions", {"phase": "execute", "tools": [], "servers": []}, expect=201)
    for name in taken_in:
        assert reader.post(f"sessions/{opened['id']}/skill", {"name": name})["kind"] == "ok"


def test_one_skill_file_comes_in_alone(door: Door, reader: Door) -> None:
    assert verdicts(upload(door, NOTES.encode(), name="SKILL.md")) == [("SKILL.md", "release-notes", "ok")]
    assert verdicts(upload(door, NOTES.encode(), name="notes.md")) == [("notes.md", "release-notes", "repaired")]
    assert reader.get("library/release-notes")["body"] == NOTES
    assert verdicts(upload(door, b"\xff\xfe-\x00", name="SKILL.md"))[0][2] == "refused"
    assert verdicts(upload(door, b"", name="SKILL.md"))[0][2] == "refused"


@pytest.mark.covers("HS-05")
def test_a_folder_that_cannot_be_written_is_refused_whole_and_the_others_come_in(door: Door, reader: Door) -> None:
    create_page(actor=admin(), container="TS", title="taken", body="prose")
    good = b"---\nname: %s\ndescription: d\n---\nx"
    answer = upload(
        door,
        zipped(
            {
                "taken/SKILL.md": good % b"taken",
                "colon/SKILL.md": good % b"colon",
                "colon/assets/a:b.txt": b"x",
                "huge/SKILL.md": good % b"huge" + b"x" * 600_000,
                "good/SKILL.md": good % b"good",
            }
        ),
    )
    problems = {file["name"]: [problem["code"] for problem in file["problems"]] for file in answer["files"]}
    assert problems == {"colon": ["invalid"], "good": [], "huge": ["too_long"], "taken": ["title_taken"]}
    assert [row["name"] for row in reader.get("library")["results"]] == ["good"]
    assert Page.objects.filter(container="TS").count() == 2
    assert not Attachment.objects.exists()


@pytest.mark.covers("HS-03", "HS-04")
@pytest.mark.parametrize(
    "name", ["../SKILL.md", "/etc/SKILL.md", "a/../../SKILL.md", "a\\SKILL.md", "C:/SKILL.md", "a/\x07/SKILL.md"]
)
def test_a_zip_with_a_path_that_leaves_its_folder_is_refused_whole(door: Door, reader: Door, name: str) -> None:
    data = zipped({"good/SKILL.md": NOTES.encode(), name: NOTES.encode()})
    error = upload(door, data, expect=400)["errors"][0]
    assert (error["code"], error["attr"]) == ("invalid", "file")
    assert reader.get("library")["total"] == 0


def test_zips_that_are_none_links_and_bombs_are_refused(door: Door) -> None:
    link = zipfile.ZipInfo("a/SKILL.md")
    link.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/SKILL.md", NOTES)
        archive.writestr("a/assets/zeros", b"\0" * (26 * 1024 * 1024))
    for data in (b"PK\x03\x04rubbish", buffer.getvalue(), bomb.getvalue()):
        assert upload(door, data, expect=400)["errors"][0]["code"] == "invalid"
    assert upload(door, b"no zip", expect=400)["errors"][0]["code"] == "invalid"
    nested = zipped({"a/SKILL.md": NOTES.replace("release-notes", "a").encode(), "a/assets/more.zip": bomb.getvalue()})
    assert verdicts(upload(door, nested)) == [("a/SKILL.md", "a", "ok")]  # a zip inside is a file like any other


def test_a_skill_goes_to_the_trash_and_comes_back_with_its_files(door: Door, reader: Door) -> None:
    upload(door, packing.pack("berths", FILES))
    page = Page.objects.get()
    assert reader.ask("DELETE", "library/berths", expect=403)["errors"][0]["code"] == "reserved_container"
    door.ask("DELETE", "library/berths", expect=204)
    for path in ("library/berths", "library/berths.zip"):
        assert reader.get(path, expect=404)["errors"][0]["code"] == "not_found"
    assert reader.get("library-manifest") == {"skills": []}
    door.ask("DELETE", "library/berths", expect=404)
    restore_page(actor=admin(), page_id=page.pk)
    assert download(reader, "berths")[1] == packing.pack("berths", FILES)


@pytest.mark.covers("HS-01")
def test_an_agent_skill_written_as_a_page_is_in_the_library_and_no_other_page_is(door: Door, reader: Door) -> None:
    for title, body in (("Notes", NOTES), ("Deploy", DEPLOY), ("GitHub", skill_text()), ("Prose", "prose")):
        create_page(actor=admin(), container="TS", title=title, body=body)
    assert [row["name"] for row in reader.get("library")["results"]] == ["release-notes"]
    upload(door, packing.pack("release-notes", [PackedFile(path="SKILL.md", data=NOTES.encode())]))
    page = Page.objects.get(title="Notes")
    assert (page.labels, page.version) == ([FOLDER_LABEL], 1)


def test_the_library_shows_what_was_saved_a_moment_ago(door: Door, reader: Door) -> None:
    page = create_page(actor=admin(), container="TS", title="Notes", body=NOTES)
    SkillSync(report=lambda _report: None).run_pending()
    save_page(actor=admin(), page_id=page.id, base_version=1, body=NOTES.replace("release-notes", "notes"))
    assert [row["name"] for row in reader.get("library")["results"]] == ["notes"]
    assert reader.get("library/notes")["version"] == 2


def test_the_number_of_queries_does_not_grow_with_the_library(
    door: Door, reader: Door, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    upload(door, zipped({f"s-{n}/SKILL.md": b"---\nname: s-%d\ndescription: d\n---\nx" % n for n in range(60)}))
    SkillSync(report=lambda _report: None).run_pending()
    for path in ("library?limit=10", "library?limit=60", "library-manifest"):
        with django_assert_max_num_queries(6):
            reader.get(path)
    first = reader.get("library?limit=40")
    rest = reader.get(f"library?limit=40&after={first['after']}")
    assert len(first["results"]) + len(rest["results"]) == first["total"] == 60


def test_the_same_request_with_one_key_is_done_once(door: Door) -> None:
    data = packing.pack("berths", FILES)
    first = upload(door, data, key="import-1")
    assert upload(door, data, key="import-1") == first
    other = packing.pack("berths", FILES[:1])
    error = upload(door, other, expect=422, key="import-1")["errors"][0]
    assert error["code"] == "idempotency_mismatch"


def test_who_may_do_what(door: Door, reader: Door) -> None:
    data = packing.pack("berths", FILES)
    ada = Door(token_for(holder=person("ada", seat="ada-marsh"), name="ada"))
    for one in (reader, ada):
        assert upload(one, data, expect=403)["errors"][0]["code"] == "forbidden"
    assert upload(Door(None), data, expect=401)["errors"][0]["code"] == "not_authenticated"
    assert not Page.objects.exists()
    upload(door, data)
    assert ada.ask("DELETE", "library/berths", expect=403)["errors"][0]["code"] == "forbidden"
    outsider = Door(token_for(holder=person("grace"), name="grace"))
    for path in ("library", "library/berths", "library/berths.zip", "library-manifest"):
        assert Door(None).get(path, expect=401)["errors"][0]["code"] == "not_authenticated"
        assert outsider.get(path, expect=403)["errors"][0]["code"] == "forbidden"
        ada.client.get(f"/api/v1/{path}")
    assert door.client.post("/api/v1/library-import", {}).json()["errors"][0]["code"] == "required"
    both = {"file": SimpleUploadedFile("a.zip", data), "folder": "x"}
    assert door.client.post("/api/v1/library-import", both).json()["errors"][0]["code"] == "unknown_field"


def test_a_company_without_a_skills_container_has_an_empty_library(door: Door, reader: Door) -> None:
    install_company(skills_container=None)
    assert reader.get("library") == {"results": [], "total": 0, "after": None}
    error = upload(door, packing.pack("berths", FILES), expect=422)["errors"][0]
    assert error["code"] == "unknown_container"
