"""Writes pages into a zip, one file a page, so that another deployment can take them in.

The zip follows from what the pages say and from nothing else (no time, no id), so the same pages give the same bytes.
Bodies and files pass through a few at a time: memory does not grow with what is exported.
"""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import IO
from urllib.parse import quote

from company import live
from company.rules.actors import Actor
from knowledge import files
from knowledge.reads.attachments import AttachmentView
from knowledge.reads.exporting import (
    ExportedPage,
    address_of,
    bodies_of,
    branch_to_export,
    files_of,
    leaves_of,
    spaces_to_export,
)
from knowledge.rules.exporting import MANIFEST, Leaf, aim_at_files, file_places, places
from knowledge.rules.importing.documents import FileEntry, PageDocument, write_document

FORMAT = "crewlet pages"
VERSION = 1

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip can tell, for every file of it."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """How much went into a zip, and the paths of files whose bytes the storage no longer has."""

    spaces: tuple[str, ...]
    pages: int
    files: int
    missing: tuple[str, ...]


Told = Callable[[int, int], None]


def export_spaces(*, actor: Actor, to: IO[bytes], container: str | None = None, told: Told | None = None) -> Exported:
    """Write one space, or every space with pages, into `to`; `not_found` for a space nobody declares.

    `told` hears how many pages of how many are written.
    """
    keys = spaces_to_export(actor=actor, container=container)
    return _write(actor, to, {key: leaves_of(actor=actor, container=key) for key in keys}, told)


def export_branch(*, actor: Actor, to: IO[bytes], page_id: int, told: Told | None = None) -> Exported:
    """Write one page and all beneath it into `to`; refuses as reading the page does."""
    container, leaves = branch_to_export(actor=actor, page_id=page_id)
    return _write(actor, to, {container: leaves}, told)


def _write(actor: Actor, to: IO[bytes], spaces: dict[str, list[Leaf]], told: Told | None) -> Exported:
    by_space = {key: places(leaves, top=key) for key, leaves in spaces.items()}
    order = [place for found in by_space.values() for place in found]
    attached = files_of([place.id for place in order])
    # a space can be taken in alone, so what leads into another one is written by address
    paths = {key: {place.id: place.path for place in found} for key, found in by_space.items()}
    where: dict[int, str] = {}
    for place in order:
        own = [(file.id, file.path or file.name) for file in attached.get(place.id, ())]
        where |= file_places([(file_id, name.rpartition("/")[2]) for file_id, name in own], folder=place.folder)

    @cache
    def elsewhere(page_id: int) -> str | None:
        found = address_of(actor=actor, page_id=page_id)
        return None if found is None else f"{found[0]}/{quote(found[1], safe='')}"

    base = live.current().dashboard_base_url.rstrip("/")
    missing: list[str] = []
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        manifest = {"format": FORMAT, "version": VERSION, "spaces": list(spaces)}
        archive.writestr(_member(MANIFEST), json.dumps(manifest, indent=2) + "\n")
        pages = bodies_of([place.id for place in order])
        by_id = {place.id: place for place in order}
        for number, page in enumerate(pages, 1):
            place = by_id[page.id]
            body = aim_at_files(
                page.body,
                at=place.path,
                pages=paths[place.path.partition("/")[0]],
                files=where,
                elsewhere=elsewhere,
                base_urls=(base,),
            )
            own_files = attached.get(page.id, [])
            archive.writestr(_member(place.path), _document(page, body, own_files, where).encode())
            missing += [where[file.id] for file in own_files if not _copy(archive, where[file.id], file)]
            if told is not None:
                told(number, len(order))
    return Exported(spaces=tuple(spaces), pages=len(order), files=len(where) - len(missing), missing=tuple(missing))


def _document(page: ExportedPage, body: str, own: list[AttachmentView], where: dict[int, str]) -> str:
    return write_document(
        PageDocument(
            title=page.title,
            body=body,
            labels=page.labels,
            draft=page.draft,
            order=page.position,
            files=tuple(
                FileEntry(
                    file=where[file.id].rpartition("/")[2], name=file.name, path=file.path, executable=file.executable
                )
                for file in own
            ),
        )
    )


def _copy(archive: zipfile.ZipFile, path: str, file: AttachmentView) -> bool:
    """The bytes of a file into the zip; whether the storage still has them."""
    try:
        pieces = files.read(file.sha256)
    except FileNotFoundError:
        return False
    member = _member(path, executable=file.executable)
    member.file_size = file.size
    try:
        with archive.open(member, "w") as entry:
            for piece in pieces:
                entry.write(piece)
    finally:
        pieces.close()
    return True


def _member(path: str, *, executable: bool = False) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(path, date_time=_EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3  # Unix, which is whose modes these are
    member.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
    return member
