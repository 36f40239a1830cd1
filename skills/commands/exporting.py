"""`skills export`: writes every skill of the container into a folder, as it stands."""

from __future__ import annotations

import argparse
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from company.rules.refusals import Code, Refused
from skills.commands.saying import counted, say, tell
from skills.files import file_name
from skills.folders import packing
from skills.folders.packing import PackedFile


@dataclass(frozen=True, kw_only=True)
class Exported:
    """One file to write: its path in the folder, and the page it comes from."""

    file: PackedFile
    page_id: int


def export_files(arguments: argparse.Namespace) -> int:
    """Write each skill to a folder; 1 where a file was left alone because it holds another content."""
    from skills.writes.publishing import skills_home

    skills_home()
    folder: Path = arguments.path
    if folder.exists() and not folder.is_dir():
        raise Refused(Code.INVALID, f"'{folder}' is a file; give a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    pages: set[int] = set()
    left = 0
    for exported in _skills():
        pages.add(exported.page_id)
        left += _write(folder, exported, force=bool(arguments.force))
    tell(f"{counted(len(pages), 'skill')}, {left} left alone.")
    return 1 if left else 0


def _skills() -> Iterator[Exported]:
    """The files of every skill: folders first, then pages of the other dialects and those that cannot be read."""
    from knowledge.reads.sources import source_page
    from skills.reads.library import files_of, library_now

    held = library_now()
    taken: set[str] = set()
    folders = {served.page.page_id for served in held.folders.values()}
    for name, served in held.folders.items():
        taken.add(name)
        for file in files_of(served):
            path = f"{name}/{file.path}"
            yield Exported(
                file=PackedFile(path=path, data=file.data, executable=file.executable), page_id=served.page.page_id
            )
    for page_id, page in sorted(held.pages.items()):
        if page_id in folders or not page.readings.is_skill:
            continue
        source = source_page(page_id)
        if source is not None:
            name = file_name(page.readings.name or page.title, page_id=page_id, taken=taken)
            yield Exported(file=PackedFile(path=f"{name}.md", data=source.body.encode()), page_id=page_id)


def _write(folder: Path, exported: Exported, *, force: bool) -> bool:
    """Write one file unless another content stands there; whether it was left alone."""
    file = exported.file
    unsafe = packing.problem_of_path(file.path)
    path = folder / file.path
    if unsafe is not None or not path.resolve().is_relative_to(folder.resolve()):
        say(f"{path}: left alone: {unsafe or 'it leads out of the folder through a link.'}")
        return True
    before = path.read_bytes() if path.is_file() else None
    runs = before is not None and bool(path.stat().st_mode & stat.S_IXUSR)
    if before == file.data and runs is file.executable:
        say(f"{path}: unchanged: page {exported.page_id}")
        return False
    if (before is not None or path.exists()) and not force:
        say(f"{path}: left alone: it holds another text than page {exported.page_id}; --force writes over it")
        return True
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o755 if file.executable else 0o644)
    except OSError as error:  # a file lies where a folder has to be, the disk is full: the other skills go on
        say(f"{path}: left alone: {error.strerror or error}")
        return True
    say(f"{path}: written: page {exported.page_id}")
    return False
