"""Files to bring in, from a folder or a zip, read warily: nothing outside of it, no link, nothing without a bound.

A tree lists its files by path without opening them. What is not taken is named with its reason: `refused` is what
should not be there, `skipped` what was left aside on purpose.
"""

from __future__ import annotations

import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from company.rules.refusals import Code, Refused

MAX_FILES = 500_000
MAX_BYTES = 16 * 1024**3
"""All files of a zip together, unpacked."""
MAX_RATIO = 200
"""How many times its packed size a file may unpack to; prose comes to 5, tables of one repeated word to 100."""
SMALL = 1024 * 1024
"""Below this a ratio says nothing."""

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""What reading a member of a bad zip raises; NotImplementedError, for an unknown way of packing, is a RuntimeError."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file of a tree."""

    size: int
    executable: bool
    open: Callable[[], IO[bytes]]


@dataclass(frozen=True, kw_only=True)
class Tree:
    """The files by path (NFC, divided by `/`), in the order of their paths, and what was not taken and why."""

    files: dict[str, Entry]
    refused: tuple[tuple[str, str], ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    close: Callable[[], None] = field(default=lambda: None)


def open_tree(path: Path) -> Tree:
    """The tree at a path: a folder, a zip, or one markdown file. Refuses anything else (`invalid`)."""
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise Refused(Code.INVALID, f"There is no folder and no file '{path}'.", attr="path")
    if zipfile.is_zipfile(path):
        return open_zip(path, name=str(path), packed=path.stat().st_size)
    if is_page(path.name):
        return Tree(files={path.name: _entry_of(path, path.stat())})
    raise Refused(Code.INVALID, f"'{path}' is neither a folder, nor a zip, nor a markdown file.", attr="path")


def is_page(name: str) -> bool:
    """Whether a file's name says that it is markdown."""
    return name.casefold().endswith((".md", ".markdown"))


def _folder(root: Path) -> Tree:
    found: dict[str, Entry] = {}
    refused: list[tuple[str, str]] = []
    skipped: list[tuple[str, str]] = []

    def walk(folder: Path, prefix: str) -> None:
        try:
            children = sorted(os.scandir(folder), key=lambda child: child.name)
        except OSError as error:
            refused.append((prefix.rstrip("/"), f"the folder cannot be read: {error.strerror}"))
            return
        for child in children:
            shown = prefix + child.name.encode("utf-8", "replace").decode()
            path = unicodedata.normalize("NFC", shown)
            if child.name.startswith("."):
                skipped.append((path, "hidden"))
            elif child.is_symlink():
                skipped.append((path, "a symbolic link"))
            elif child.is_dir(follow_symlinks=False):
                walk(Path(child.path), f"{path}/")
            elif not child.is_file(follow_symlinks=False):
                skipped.append((path, "no ordinary file"))
            elif shown != prefix + child.name:
                refused.append((path, "its name is no Unicode"))
            elif path in found:
                refused.append((path, "two files have this name, written with different code points"))
            else:
                found[path] = _entry_of(Path(child.path), child.stat(follow_symlinks=False))

    walk(root, "")
    return Tree(files=dict(sorted(found.items())), refused=tuple(refused), skipped=tuple(skipped))


def _entry_of(path: Path, status: os.stat_result) -> Entry:
    return Entry(size=status.st_size, executable=bool(status.st_mode & stat.S_IXUSR), open=lambda: path.open("rb"))


def open_zip(
    content: Path | IO[bytes], *, name: str, packed: int, attr: str = "path", most_files: int = MAX_FILES
) -> Tree:
    """The tree in a zip of `packed` bytes, which refusals call `name` (`invalid`, at `attr`).

    Closing the tree leaves an open file that was given open.
    """
    try:
        archive = zipfile.ZipFile(content)
    except BROKEN as error:
        raise Refused(Code.INVALID, f"'{name}' is no zip that can be read: {error}.", attr=attr) from error
    members = [member for member in archive.infolist() if not member.is_dir()]
    problem = _problem_of_all(members, packed=packed, most_files=most_files)
    if problem is not None:
        archive.close()
        raise Refused(Code.INVALID, f"'{name}' {problem}. Bring it in parts.", attr=attr)
    found: dict[str, Entry] = {}
    refused: list[tuple[str, str]] = []
    skipped: list[tuple[str, str]] = []
    for member in members:
        path = unicodedata.normalize("NFC", member.filename)
        reason = _problem_of(member)
        if reason is None and path in found:
            reason = "it is in the zip twice"
        if reason is not None:
            refused.append((_shown(path), reason))
        elif stat.S_ISLNK(member.external_attr >> 16):
            skipped.append((path, "a symbolic link"))
        elif any(part.startswith(".") for part in path.split("/")) or path.startswith("__MACOSX/"):
            skipped.append((path, "hidden"))
        else:
            found[path] = Entry(
                size=member.file_size,
                executable=bool(member.external_attr >> 16 & stat.S_IXUSR),
                open=lambda member=member: archive.open(member),  # type: ignore[misc]  # mypy cannot infer the default
            )
    return Tree(files=dict(sorted(found.items())), refused=tuple(refused), skipped=tuple(skipped), close=archive.close)


def _problem_of_all(members: Sequence[zipfile.ZipInfo], *, packed: int, most_files: int) -> str | None:
    """Why a zip is not taken at all: it holds or unpacks to more than any collection of pages does."""
    total = sum(member.file_size for member in members)
    if len(members) > most_files:
        return f"holds more than {most_files:,} files"
    if total > MAX_BYTES:
        return f"unpacks to more than {MAX_BYTES // 1024**3} GiB"
    if total > SMALL and total > MAX_RATIO * packed:
        return f"unpacks to more than {MAX_RATIO} times its size"
    return None


def _problem_of(member: zipfile.ZipInfo) -> str | None:
    """Why one member of a zip is not taken."""
    name = member.filename
    kind = stat.S_IFMT(member.external_attr >> 16)
    outside = not name or name.startswith("/") or "\\" in name or ":" in name.partition("/")[0]
    problems = (
        (outside, "its path is not inside the zip"),
        (
            any(part in ("", ".", "..") for part in name.split("/")),
            "its path leads out of the zip, or has a part that says nothing",
        ),
        (any(unicodedata.category(c) in ("Cc", "Cs") for c in name), "its name holds a control character"),
        (kind not in (0, stat.S_IFREG, stat.S_IFLNK), "it is a device"),
        (bool(member.flag_bits & 0x1), "it is encrypted"),
        (
            member.file_size > SMALL and member.file_size > MAX_RATIO * max(member.compress_size, 1),
            f"it unpacks to more than {MAX_RATIO} times its size",
        ),
    )
    return next((problem for holds, problem in problems if holds), None)


def _shown(name: str) -> str:
    """A name that may hold anything, as a report can print it."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name)
