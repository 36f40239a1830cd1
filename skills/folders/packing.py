"""A skill folder as one thing to carry: its digest, and a zip that gives it back byte for byte, modes included. Pure.

Reading is wary: a zip comes from anywhere, so no path may leave the folder, no link is taken, and what it unpacks to is
bounded before it is unpacked.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from skills.folders.codes import MAX_FILE_BYTES

MAX_ARCHIVE_FILES = 50_000
"""A tree of thousands of skills with their resources fits; a zip made to exhaust the server does not."""
MAX_ARCHIVE_BYTES = 1024 * 1024 * 1024
"""Unpacked, all files together."""

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,  # a password is needed; NotImplementedError, for an unknown way of packing, is one of these
    ValueError,  # an offset outside the file, a name that is no text
)
"""What Python's zipfile raises over bytes that are no good zip."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip can tell. The same folder gives the same bytes, so a digest of the zip means something."""
_MODE_FILE = 0o644
_MODE_PROGRAM = 0o755


@dataclass(frozen=True, kw_only=True)
class PackedFile:
    """One file of a skill: its path relative to the folder, its bytes, and whether it can be run."""

    path: str
    data: bytes
    executable: bool = False

    @cached_property
    def sha256(self) -> str:
        """The digest of its bytes."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Archive:
    """What a zip holds: the files by path, each read when asked for."""

    members: Mapping[str, zipfile.ZipInfo]
    _zip: zipfile.ZipFile

    def read(self, path: str) -> PackedFile | BadArchive:
        """One file; its size was checked when the archive was opened, its checksum is checked now."""
        info = self.members[path]
        try:
            data = self._zip.read(info)
        except _BROKEN as error:
            return BadArchive(detail=f"'{path[:200]}' cannot be unpacked: {error}.")
        return PackedFile(path=path, data=data, executable=bool(info.external_attr >> 16 & stat.S_IXUSR))


@dataclass(frozen=True, kw_only=True)
class BadArchive:
    """A zip that is not taken, and why."""

    detail: str


Opened: TypeAlias = Archive | BadArchive


def digest(files: Iterable[PackedFile]) -> str:
    """The digest of a folder: `sha256:` over paths, modes and bytes, whatever order the files come in."""
    return digest_of((file.path, file.executable, file.sha256) for file in files)


def digest_of(files: Iterable[tuple[str, bool, str]]) -> str:
    """The same digest from each file's path, whether it can be run, and the SHA-256 of its bytes."""
    whole = hashlib.sha256()
    for path, executable, inner in sorted(files):
        whole.update(f"{path}\0{'x' if executable else '-'}\0{inner}\n".encode())
    return f"sha256:{whole.hexdigest()}"


def pack(name: str, files: Sequence[PackedFile]) -> bytes:
    """A zip with the folder `name` in it, the same bytes for the same folder. Raises ValueError for an unsafe path."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(files, key=lambda file: file.path):
            problem = problem_of_path(file.path)
            if problem is not None:
                raise ValueError(problem)
            info = zipfile.ZipInfo(f"{name}/{file.path}", date_time=_EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, which is whose modes these are
            info.external_attr = (stat.S_IFREG | (_MODE_PROGRAM if file.executable else _MODE_FILE)) << 16
            archive.writestr(info, file.data)
    return buffer.getvalue()


def open_archive(data: bytes) -> Opened:
    """Look into a zip without unpacking it. Never raises; anything unsafe in it refuses all of it, naming the file."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN as error:
        return BadArchive(detail=f"This is no zip that can be read: {error}.")
    members: dict[str, zipfile.ZipInfo] = {}
    total = 0
    for info in archive.infolist():
        if info.is_dir():
            continue
        problem = _problem_of_member(info, known=members)
        total += info.file_size
        if problem is None and total > MAX_ARCHIVE_BYTES:
            problem = f"The files of the zip are more than {MAX_ARCHIVE_BYTES} bytes together. Bring them in parts."
        if problem is None and len(members) >= MAX_ARCHIVE_FILES:
            problem = f"The zip holds more than {MAX_ARCHIVE_FILES} files. Bring them in parts."
        if problem is not None:
            return BadArchive(detail=problem)
        members[info.filename] = info
    return Archive(members=MappingProxyType(members), _zip=archive)


def problem_of_path(path: str) -> str | None:
    """Why a relative path may not be written; None when it may."""
    shown = path[:200].encode("utf-8", "replace").decode()
    parts = path.split("/")
    if not path or path.startswith("/") or "\\" in path or ":" in parts[0]:
        return f"'{shown}' is not a path inside the folder. Use relative paths with '/'."
    if any(part in ("", ".", "..") for part in parts):
        return f"'{shown}' leaves the folder or says nothing in one of its parts. Use plain names."
    if any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in path):
        return f"'{shown!r}' holds a control character. Rename the file."
    return None


def _problem_of_member(info: zipfile.ZipInfo, *, known: Mapping[str, zipfile.ZipInfo]) -> str | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    shown = info.filename[:200]
    problem = problem_of_path(info.filename)
    if problem is None and info.filename in known:
        problem = f"'{shown}' is in the zip twice. Keep one of them."
    if problem is None and kind not in (0, stat.S_IFREG):
        problem = f"'{shown}' is a link or a device. Put the file itself into the zip."
    if problem is None and info.flag_bits & 0x1:
        problem = f"'{shown}' is encrypted. Make the zip without a password."
    if problem is None and info.file_size > MAX_FILE_BYTES:
        problem = f"'{shown}' has {info.file_size} bytes; at most {MAX_FILE_BYTES} are taken. Shorten it."
    return problem
