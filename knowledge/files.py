"""The bytes of attachments: one file a content, named by its SHA-256, in whatever storage the deployment names.

Owns where bytes lie and nothing else: whose they are stands in the table of attachments. By default that is a folder
of the data directory; with `CREWLET_ATTACHMENTS_URL` a bucket. Several attachments share one file, so a file is
removed only under the lock on its name, by `writes.attachments`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from knowledge.rules.attachments import HEAD_BYTES, check_size, media_type_of

CHUNK = 64 * 1024
UNFINISHED = ".part"


class DurableFiles(FileSystemStorage):
    """Files of a folder that are there whole or not at all, and on the disk once saving them has returned."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The name itself: a name says the content, so what is there already is the same."""
        return name

    def _save(self, name: str, content: File[Any]) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
        try:
            with part.open("xb") as file:
                for chunk in content.chunks(CHUNK):
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return name


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a content is: its digest and size, and the media type it is served by."""

    sha256: str
    size: int
    media_type: str


def measure(content: IO[bytes], *, check: Callable[[int], None] = check_size) -> Measured:
    """Read a content once, a piece at a time, and leave it at its beginning.

    `check` refuses a size, and that of an attachment above 25 MiB (`too_long`) unless another is given.
    """
    content.seek(0)
    digest, size, head = hashlib.sha256(), 0, b""
    while chunk := content.read(CHUNK):
        head = head or chunk[:HEAD_BYTES]
        size += len(chunk)
        check(size)
        digest.update(chunk)
    content.seek(0)
    return Measured(sha256=digest.hexdigest(), size=size, media_type=media_type_of(head))


def put(content: IO[bytes], *, sha256: str, size: int) -> bool:
    """Keep a content under its digest; whether it was not there yet. The caller holds the lock on the digest.

    A file of another size is what an interrupted copy has left, and is written again.
    """
    store, key = _store(), key_of(sha256)
    if store.exists(key):
        if store.size(key) == size:
            return False
        store.delete(key)
    content.seek(0)
    store.save(key, File(content))
    return True


class Pieces:
    """An open file, a piece at a time."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __iter__(self) -> Pieces:
        return self

    def __next__(self) -> bytes:
        piece = self._file.read(CHUNK)
        if not piece:
            self.close()
            raise StopIteration
        return piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(sha256: str) -> Pieces:
    """The bytes, a piece at a time. The file is opened at once: raises FileNotFoundError where it is not there."""
    return Pieces(_store().open(key_of(sha256), "rb"))


def remove(sha256: str) -> None:
    """Drop the bytes of a digest; nothing where they are gone already."""
    _store().delete(key_of(sha256))


def kept() -> Iterator[tuple[str, list[str]]]:
    """What is kept, a folder at a time: its name, and the names of its files, unfinished ones included."""
    store = _store()
    try:
        folders, _files = store.listdir("")
    except FileNotFoundError:  # nothing was ever kept
        return
    for folder in sorted(folders):
        yield folder, sorted(store.listdir(folder)[1])


def modified_at(folder: str, name: str) -> datetime:
    """When a file was written."""
    return _store().get_modified_time(f"{folder}/{name}")


def remove_unfinished(folder: str, name: str) -> None:
    """Drop what an interrupted copy has left."""
    _store().delete(f"{folder}/{name}")


def key_of(sha256: str) -> str:
    """The name of a content in the storage."""
    return f"{sha256[:2]}/{sha256}"


def _store() -> Storage:
    return storages["attachments"]
