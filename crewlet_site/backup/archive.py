"""The file of a backup: what is in it and how it is checked. Knows zip and JSON, neither Django nor Postgres.

A zip of `database.dump` (pg_dump's custom format), `attachments/<sha256>`, `secret_key` where the deployment keeps
one, and `manifest.json`, which is written last: a file without it is no backup. Attachments are named by their
content, so each is checked against its own name; the dump and the key against the digests of the manifest.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

FORMAT = 1
DUMP, MANIFEST, SECRET_KEY, ATTACHMENTS = "database.dump", "manifest.json", "secret_key", "attachments/"
CHUNK = 1024 * 1024


class NotABackup(Exception):
    """A file cannot be restored; the text is one clear line."""


class Manifest(BaseModel):
    """What a backup holds. `rows` counts each table at its moment; `absent` names attachments whose bytes were gone."""

    model_config = ConfigDict(extra="ignore")

    format: int
    made_at: str
    postgres: str
    migrations: list[str]
    rows: dict[str, int]
    attachments: dict[str, int] = Field(description="Size in bytes by digest.")
    absent: list[str]
    digests: dict[str, str] = Field(description="SHA-256 of the members that are not attachments.")


class Writer:
    """Puts members into a backup. Use as a context manager; without `finish` the file is not there afterwards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._part = path.with_name(f"{path.name}.part")
        descriptor = os.open(self._part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)  # it holds the company's secrets
        self._file = os.fdopen(descriptor, "w+b")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED, allowZip64=True)
        self.digests: dict[str, str] = {}

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()
        self._part.unlink(missing_ok=True)

    def put(self, name: str, pieces: Iterable[bytes]) -> int:
        """Write a member; returns its size."""
        digest, size = hashlib.sha256(), 0
        with self._zip.open(name, "w", force_zip64=True) as member:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        self.digests[name] = digest.hexdigest()
        return size

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, and make the file be there, on the disk, under its name."""
        self._zip.writestr(MANIFEST, json.dumps(manifest.model_dump(), indent=2, sort_keys=True))
        self._zip.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._part.replace(self.path)


class Reader:
    """A backup that has been opened and whose manifest is understood."""

    def __init__(self, file: zipfile.ZipFile, manifest: Manifest) -> None:
        self._zip = file
        self.manifest = manifest

    @property
    def has_secret_key(self) -> bool:
        """Whether the deployment's own key came along."""
        return SECRET_KEY in self.manifest.digests

    def check(self) -> None:
        """Read every member once; raises NotABackup where one is missing or is not what was written."""
        for name, expected in self.manifest.digests.items():
            self._check(name, expected)
        for digest in self.manifest.attachments:
            self._check(f"{ATTACHMENTS}{digest}", digest)

    def _check(self, name: str, expected: str) -> None:
        digest = hashlib.sha256()
        try:
            with self.open(name) as member:
                while piece := member.read(CHUNK):
                    digest.update(piece)
        except (KeyError, zipfile.BadZipFile, OSError) as error:
            raise NotABackup(f"The backup is damaged: {name} cannot be read from it.") from error
        if digest.hexdigest() != expected:
            raise NotABackup(f"The backup is damaged: {name} is not what was written.")

    def open(self, name: str) -> IO[bytes]:
        """A member to read from."""
        return self._zip.open(name)

    def read(self, name: str) -> bytes:
        """The whole of a small member."""
        return self._zip.read(name)


@contextmanager
def opened(path: Path) -> Iterator[Reader]:
    """A backup; raises NotABackup for anything else, OSError where there is no such file."""
    try:
        file = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise NotABackup(f"{path} is no backup, or only a part of one.") from error
    with file:
        try:
            manifest = Manifest.model_validate_json(file.read(MANIFEST))
        except (KeyError, ValidationError, zipfile.BadZipFile) as error:
            raise NotABackup(f"{path} is no backup: it has no manifest that can be read.") from error
        if manifest.format > FORMAT:
            raise NotABackup(f"{path} was made by a newer release. Restore it with that one.")
        yield Reader(file, manifest)
