"""`skills sync`: a folder follows a library, skill by skill, and touches nothing that is not its own."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import httpx
import pytest
from django.test import Client
from pytest_django import Settings

from company.rules.refusals import Refused
from crewlet_site.environment import storage_of
from skills.commands.syncing import sync_folder
from skills.folders import packing
from skills.folders.packing import PackedFile
from skills.mirror import RECORD, Done, Library, MirrorError, mirror
from skills.writes.library import import_upload, trash_library_skill
from tests.factories import admin, install_company, token_for

pytestmark = pytest.mark.covers("HS-04")


def skill(name: str, body: str = "x", *more: PackedFile) -> bytes:
    text = f"---\nname: {name}\ndescription: d\n---\n{body}".encode()
    return packing.pack(name, [PackedFile(path="SKILL.md", data=text), *more])


def publish(data: bytes) -> None:
    import_upload(actor=admin(), name="skills.zip", data=data)


@pytest.fixture
def library(db: None, settings: Settings, tmp_path: Path) -> Library:
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=tmp_path / "attachments")}
    install_company()
    script = PackedFile(path="scripts/run.sh", data=b"#!/bin/sh\n", executable=True)
    publish(skill("berths", "Berths.", script))
    publish(skill("tides", "Tides."))
    token = token_for(seat="engineer-bot")
    client = Client()

    def handle(request: httpx.Request) -> httpx.Response:
        answer = client.get(request.url.path, headers={"Authorization": request.headers["Authorization"]})
        return httpx.Response(answer.status_code, content=answer.content)

    return Library("http://testserver", token, transport=httpx.MockTransport(handle))


def run(folder: Path, library: Library) -> dict[str, Done]:
    return {step.name: step.done for step in mirror(folder, library)}


def test_what_changed_is_fetched_whole_and_what_left_the_library_goes(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    assert run(folder, library) == {"berths": Done.ADDED, "tides": Done.ADDED}
    script = folder / "berths" / "scripts" / "run.sh"
    assert script.read_bytes() == b"#!/bin/sh\n"
    assert script.stat().st_mode & 0o777 == 0o755
    assert (folder / "tides" / "SKILL.md").read_text().endswith("Tides.")
    assert run(folder, library) == {"berths": Done.UNCHANGED, "tides": Done.UNCHANGED}
    publish(skill("berths", "Other berths."))
    trash_library_skill(actor=admin(), name="tides")
    assert run(folder, library) == {"berths": Done.UPDATED, "tides": Done.REMOVED}
    assert sorted(path.name for path in folder.iterdir()) == [RECORD, "berths"]
    assert [path.name for path in (folder / "berths").iterdir()] == ["SKILL.md"]
    assert list(json.loads((folder / RECORD).read_text())["skills"]) == ["berths"]


def test_what_it_did_not_write_or_somebody_changed_is_left_alone(library: Library, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "skills", tmp_path / "elsewhere"
    (folder / "tides").mkdir(parents=True)
    (folder / "tides" / "SKILL.md").write_text("my own")
    (folder / "mine").mkdir()
    elsewhere.mkdir()
    assert run(folder, library) == {"berths": Done.ADDED, "tides": Done.LEFT_ALONE}
    (folder / "berths" / "notes.txt").write_text("mine")
    publish(skill("berths", "Other berths."))
    assert run(folder, library)["berths"] is Done.LEFT_ALONE
    trash_library_skill(actor=admin(), name="berths")
    assert run(folder, library)["berths"] is Done.LEFT_ALONE
    assert (folder / "berths" / "notes.txt").exists()
    shutil.rmtree(folder / "tides")
    (folder / "tides").symlink_to(elsewhere)
    assert run(folder, library) == {"tides": Done.LEFT_ALONE}
    assert list(elsewhere.iterdir()) == []
    assert (folder / "tides").is_symlink()
    assert (folder / "mine").is_dir()


def test_a_folder_that_is_the_same_already_is_taken_over_and_an_interrupted_run_is_cleared_away(
    library: Library, tmp_path: Path
) -> None:
    folder = tmp_path / "skills"
    run(folder, library)
    (folder / RECORD).unlink()
    (folder / ".crewlet-sync-dead").mkdir()
    assert run(folder, library) == {"berths": Done.UNCHANGED, "tides": Done.UNCHANGED}
    assert sorted(path.name for path in folder.iterdir()) == [RECORD, "berths", "tides"]


def answering(answers: dict[str, tuple[int, bytes]]) -> Library:
    def handle(request: httpx.Request) -> httpx.Response:
        status, content = answers[request.url.path.removeprefix("/api/v1/")]
        return httpx.Response(status, content=content)

    return Library("http://testserver", "t", transport=httpx.MockTransport(handle))


def manifest(name: str, digest: str = "sha256:0") -> bytes:
    return json.dumps({"skills": [{"name": name, "version": 1, "digest": digest, "size": 1}]}).encode()


@pytest.mark.parametrize(
    "answers",
    [
        {"library-manifest": (200, b"<html>")},
        {"library-manifest": (200, b'{"skills": [{"name": "a"}]}')},
        {"library-manifest": (200, b"[]")},
        {"library-manifest": (302, b"")},
        {"library-manifest": (401, b"")},
        {"library-manifest": (200, manifest("../etc"))},
        {"library-manifest": (200, manifest("a/b"))},
        {"library-manifest": (200, manifest("a")), "library/a.zip": (404, b"")},
        {"library-manifest": (200, manifest("a")), "library/a.zip": (200, b"PK no zip")},
        {"library-manifest": (200, manifest("a")), "library/a.zip": (200, skill("a"))},
        {"library-manifest": (200, manifest("a")), "library/a.zip": (200, skill("b"))},
    ],
)
def test_an_answer_that_cannot_be_trusted_writes_nothing(answers: dict[str, tuple[int, bytes]], tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    with pytest.raises(MirrorError):
        run(folder, answering(answers))
    assert list(folder.iterdir()) == []


def test_the_command_says_in_one_line_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREWLET_TOKEN", raising=False)
    (tmp_path / "file").touch()
    for given in (
        {"token": None},
        {"token": "grüße"},
        {"url": "crewlet.example"},
        {"path": tmp_path / "file"},
        {"url": "http://127.0.0.1:1"},
    ):
        arguments = {"path": tmp_path / "skills", "url": "http://127.0.0.1:1", "token": "t"} | given
        with pytest.raises(Refused):
            sync_folder(argparse.Namespace(**arguments))
