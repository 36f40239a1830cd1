"""Keeps a folder the same as a library: what `skills sync` does, and what a harness can do for itself. No Django.

The folder holds a record of what this wrote, `.crewlet-sync.json`. A skill is fetched beside its place and put there
whole by two renames; one that somebody changed, or that stood there before, is never touched.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

import httpx

from skills.folders import packing
from skills.folders.codes import MAX_NAME, NAME
from skills.folders.packing import Archive, PackedFile

RECORD = ".crewlet-sync.json"
SECONDS = 60.0
_WORK = ".crewlet-sync-"


class MirrorError(RuntimeError):
    """The library cannot be asked, or what it answers cannot be taken. The sentence says what to do."""


class Done(StrEnum):
    """What became of one skill."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    LEFT_ALONE = "left alone"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One skill, what became of it, and why where it was left alone."""

    name: str
    done: Done
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A skill of the manifest."""

    name: str
    version: int
    digest: str


class Library:
    """A deployment's library, as the holder of a token sees it."""

    def __init__(self, url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        self._client = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=SECONDS,
            follow_redirects=False,
            transport=transport,
        )

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def manifest(self) -> list[Wanted]:
        """Every skill there is. Raises `MirrorError` for an answer that is no manifest, unsafe names included."""
        try:
            answer = json.loads(self._get("library-manifest"))
            wanted = [
                Wanted(name=str(one["name"]), version=int(one["version"]), digest=str(one["digest"]))
                for one in answer["skills"]
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise MirrorError("The address answered no manifest of a library. Give that of a deployment.") from error
        for one in wanted:
            if len(one.name) > MAX_NAME or not NAME.fullmatch(one.name):
                raise MirrorError(f"The library names a skill {one.name[:80]!r}, which no folder may be called.")
        return wanted

    def fetch(self, wanted: Wanted) -> list[PackedFile]:
        """The files of a skill. Raises `MirrorError` where they are not what the manifest promised."""
        archive = packing.open_archive(self._get(f"library/{quote(wanted.name)}.zip"))
        if not isinstance(archive, Archive):
            raise MirrorError(f"The zip of '{wanted.name}' cannot be taken: {archive.detail}")
        files: list[PackedFile] = []
        for path in archive.members:
            file = archive.read(path)
            if not isinstance(file, PackedFile) or not path.startswith(f"{wanted.name}/"):
                raise MirrorError(f"The zip of '{wanted.name}' cannot be taken: '{path[:200]}' is not to be had.")
            files.append(PackedFile(path=path.partition("/")[2], data=file.data, executable=file.executable))
        if packing.digest(files) != wanted.digest:
            raise MirrorError(f"'{wanted.name}' changed while it was fetched. Run the command again.")
        return files

    def _get(self, path: str) -> bytes:
        try:
            answer = self._client.get(path)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise MirrorError(f"The deployment cannot be reached: {error or type(error).__name__}.") from error
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            raise MirrorError("The deployment does not know the token. Make one with './crewlet iam token'.")
        if answer.status_code != httpx.codes.OK:
            raise MirrorError(f"The deployment answered {answer.status_code} for /api/v1/{path}.")
        return answer.content


def mirror(folder: Path, library: Library) -> Iterator[Step]:
    """Bring a folder to what the library holds, one skill after the other. Raises `MirrorError`, and OSError.

    Whatever was done before an error stays done and on record, so that the next run goes on from there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _clear_away(folder)
    record = _read_record(folder)
    wanted = {one.name: one for one in library.manifest()}
    for name, one in wanted.items():
        step = _bring(folder, library, one, known=record.get(name))
        if step.done is not Done.LEFT_ALONE and record.get(name) != one.digest:
            record[name] = one.digest
            _write_record(folder, record)
        yield step
    for name in sorted(record.keys() - wanted.keys()):
        step = _remove(folder, name, known=record[name])
        del record[name]
        _write_record(folder, record)
        yield step


def _bring(folder: Path, library: Library, wanted: Wanted, *, known: str | None) -> Step:
    place = folder / wanted.name
    there = _digest_of(place) if os.path.lexists(place) else None
    if there == wanted.digest:
        return Step(name=wanted.name, done=Done.UNCHANGED)
    if os.path.lexists(place) and (there is None or there != known):
        reason = "somebody changed it since it was fetched" if known else "it stood there before, and is another"
        return Step(name=wanted.name, done=Done.LEFT_ALONE, reason=reason)
    files = library.fetch(wanted)
    work = Path(tempfile.mkdtemp(prefix=_WORK, dir=folder))
    try:
        fresh = work / "new"
        for file in files:
            path = fresh / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
            path.chmod(0o755 if file.executable else 0o644)
        if there is not None:
            place.rename(work / "old")
        fresh.rename(place)
    except (FileExistsError, NotADirectoryError):
        reason = "two of its files cannot lie in one folder: one has the name of a folder the other lies in"
        return Step(name=wanted.name, done=Done.LEFT_ALONE, reason=reason)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Step(name=wanted.name, done=Done.ADDED if there is None else Done.UPDATED)


def _remove(folder: Path, name: str, *, known: str) -> Step:
    place = folder / name
    if not os.path.lexists(place):
        return Step(name=name, done=Done.REMOVED)
    if _digest_of(place) != known:
        return Step(name=name, done=Done.LEFT_ALONE, reason="it has left the library, and somebody changed it here")
    work = Path(tempfile.mkdtemp(prefix=_WORK, dir=folder))
    try:
        place.rename(work / "old")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Step(name=name, done=Done.REMOVED)


def _digest_of(place: Path) -> str | None:
    """The digest of a skill folder on disk; None for what is none, a link among its files included."""
    if place.is_symlink() or not place.is_dir():
        return None
    files: list[PackedFile] = []
    for parent, folders, names in os.walk(place):
        if any((Path(parent) / name).is_symlink() for name in folders):
            return None
        for name in names:
            path = Path(parent) / name
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                return None
            files.append(
                PackedFile(
                    path=path.relative_to(place).as_posix(),
                    data=path.read_bytes(),
                    executable=bool(status.st_mode & stat.S_IXUSR),
                )
            )
    return packing.digest(files)


def _read_record(folder: Path) -> dict[str, str]:
    path = folder / RECORD
    try:
        record = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise MirrorError(f"{path} cannot be read. Remove it; what it recorded is then left alone.") from error
    if not isinstance(record, dict) or not isinstance(record.get("skills"), dict):
        raise MirrorError(f"{path} is no record of this command. Remove it; what it recorded is then left alone.")
    return {
        name: str(digest) for name, digest in record["skills"].items() if len(name) <= MAX_NAME and NAME.fullmatch(name)
    }


def _write_record(folder: Path, record: dict[str, str]) -> None:
    path = folder / RECORD
    part = path.with_suffix(".part")
    part.write_text(json.dumps({"skills": dict(sorted(record.items()))}, indent=2) + "\n")
    part.replace(path)


def _clear_away(folder: Path) -> None:
    """Drop what an interrupted run has left. A skill it had taken aside is fetched anew, as one that is not there."""
    for work in folder.glob(f"{_WORK}*"):
        if work.is_dir() and not work.is_symlink():
            shutil.rmtree(work, ignore_errors=True)
