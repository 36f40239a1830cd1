"""`./crewlet backup` and `restore`: what was there at one moment is there again, or the file is refused."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from crewlet_site.backup.archive import MANIFEST, Manifest, NotABackup, Writer, opened
from tests.deployments import Deployment, clean_environment, crewlet, data_directory, running, until

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def api_of(deployment: Deployment, secret: str) -> httpx.Client:
    """A client of its REST interface."""
    return httpx.Client(base_url=f"{deployment.url}/api/v1", headers={"Authorization": f"Bearer {secret}"}, timeout=60)


@contextmanager
def saving(api: httpx.Client, page: int, version: int) -> Iterator[list[int]]:
    """Saves of a page, one after another, as long as the block runs; the versions that were acknowledged."""
    acknowledged, enough = [version], threading.Event()

    def save() -> None:
        while not enough.is_set():
            base = acknowledged[-1]
            answer = api.patch(f"/pages/{page}", json={"base_version": base, "body": f"text {base + 1}"})
            if answer.status_code == 200:
                acknowledged.append(answer.json()["version"])

    thread = threading.Thread(target=save)
    thread.start()
    try:
        yield acknowledged
    finally:
        enough.set()
        thread.join(60)


@pytest.mark.slow
@pytest.mark.xdist_group("backup")
@pytest.mark.covers("OP-04")
def test_a_deployment_that_is_written_to_is_backed_up_and_restored_into_an_empty_one(tmp_path: Path) -> None:
    with data_directory() as old, data_directory() as new:
        file = tmp_path / "crewlet.backup"
        with running(old) as deployment:
            secret = deployment.crewlet("iam", "token", "backup", "--scopes", "read,write,admin").strip()
            with api_of(deployment, secret) as api:
                page = api.post("/pages", json={"container": "ENG", "title": "Kept", "body": "text 1"}).json()
                attached = api.post(f"/pages/{page['id']}/attachments", files={"file": ("map.png", PICTURE)})
                assert attached.status_code == 201, attached.text
                before = api.get(f"/pages/{page['id']}").json()["version"]
                with saving(api, page["id"], before) as acknowledged:
                    until(lambda: len(acknowledged) > 4)
                    certain = acknowledged[-1]
                    deployment.crewlet("backup", str(file))
                assert len(acknowledged) > 5
            refused = crewlet("restore", str(file), data_dir=old)
            assert refused.returncode == 1
            assert "not empty" in refused.stderr
        done = crewlet("restore", str(file), data_dir=new)
        assert done.returncode == 0, done.stderr
        with running(new) as restored, api_of(restored, secret) as api:
            shown = api.get(f"/pages/{page['id']}").json()
            assert certain <= shown["version"] <= acknowledged[-1]
            assert shown["body"] == f"text {shown['version']}"
            revisions = api.get(f"/pages/{page['id']}/revisions", params={"limit": 500}).json()["results"]
            assert [one["version"] for one in revisions] == list(range(shown["version"], 0, -1))
            assert api.get(f"/attachments/{attached.json()['id']}").content == PICTURE
            # What is written now is followed by every process, though this database counts transactions anew.
            again = api.patch(f"/pages/{page['id']}", json={"base_version": shown["version"], "body": "quokka burrow"})
            assert again.status_code == 200
            found = _found(api, "quokka burrow")
            assert found == [page["id"]]


def _found(api: httpx.Client, words: str) -> list[int]:
    ids: list[int] = []

    def is_there() -> bool:
        answer = api.get("/search/pages", params={"q": words, "mode": "keyword"}).json()
        ids[:] = [hit["page_id"] for hit in answer["hits"]]
        return bool(ids)

    until(is_there, 60)
    return ids


# --- the file ----------------------------------------------------------------------------------------------------


def manifest_of(**changes: Any) -> Manifest:
    given = {
        "format": 1, "made_at": "2030-01-01T00:00:00+00:00", "postgres": "18", "migrations": [], "rows": {},
        "attachments": {}, "absent": [], "digests": {},
    }  # fmt: skip
    return Manifest.model_validate(given | changes)


def written(path: Path) -> Path:
    """A backup with one member."""
    with Writer(path) as archive:
        archive.put("database.dump", [b"one", b"two"])
        archive.finish(manifest_of(digests=archive.digests))
    return path


def test_a_backup_is_its_owners_alone_to_read_and_is_not_there_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "backup"

    def half() -> Iterator[bytes]:
        yield b"one"
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"), Writer(path) as archive:
        archive.put("database.dump", half())
    assert list(tmp_path.iterdir()) == []
    written(path)
    assert path.stat().st_mode & 0o777 == 0o600
    with opened(path) as reader:
        reader.check()


def test_a_backup_with_a_changed_byte_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "backup")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"onetwo", b"onetwO"))
    with opened(path) as archive, pytest.raises(NotABackup, match=r"damaged: database\.dump"):
        archive.check()


@pytest.mark.parametrize("length", [0, 10, 100])
def test_a_file_that_ends_early_is_refused(tmp_path: Path, length: int) -> None:
    path = written(tmp_path / "backup")
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(NotABackup, match="no backup"), opened(path):
        pass


def test_a_zip_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "backup"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("readme", "hello")
    with pytest.raises(NotABackup, match="no manifest"), opened(path):
        pass
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(MANIFEST, json.dumps({"format": 1}))
    with pytest.raises(NotABackup, match="no manifest"), opened(path):
        pass


def test_a_backup_of_a_newer_format_is_left_to_the_release_that_made_it(tmp_path: Path) -> None:
    path = tmp_path / "backup"
    with Writer(path) as archive:
        archive.finish(manifest_of(format=2))
    with pytest.raises(NotABackup, match="newer release"), opened(path):
        pass


@pytest.mark.slow
@pytest.mark.xdist_group("backup")
@pytest.mark.covers("OP-04")
def test_a_damaged_or_newer_backup_changes_nothing_and_a_file_is_not_replaced_unasked(tmp_path: Path) -> None:
    with data_directory() as path:
        file = tmp_path / "crewlet.backup"
        assert crewlet("backup", str(file), data_dir=path).returncode == 0
        again = crewlet("backup", str(file), data_dir=path)
        assert again.returncode == 1
        assert "is there already" in again.stderr

        newer = tmp_path / "newer.backup"
        with opened(file) as archive, Writer(newer) as writer:
            for name in archive.manifest.digests:
                writer.put(name, [archive.read(name)])
            writer.finish(archive.manifest.model_copy(update={"migrations": ["company.9999_from_the_future"]}))
        refused = crewlet("restore", str(newer), data_dir=path)
        assert refused.returncode == 1
        assert "newer release (it has the migration company.9999_from_the_future)" in refused.stderr

        damaged = tmp_path / "damaged.backup"
        shutil.copy(file, damaged)
        with damaged.open("r+b") as bytes_of:
            bytes_of.seek(200)
            bytes_of.write(b"\x00\xff\x00\xff")
        refused = crewlet("restore", str(damaged), data_dir=path)
        assert refused.returncode == 1
        assert "damaged" in refused.stderr
        done = crewlet("restore", str(file), data_dir=path)
        assert done.returncode == 0, done.stderr
        assert (
            crewlet("restore", str(tmp_path / "absent"), data_dir=path, environment=clean_environment()).returncode == 1
        )
