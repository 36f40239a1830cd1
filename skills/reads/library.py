"""Reads of the library: skill folders with their files, as they stand in the database at this moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from company.rules.windows import Listing, Window, encode_cursor
from knowledge import files as contents
from knowledge.reads.attachments import attachment_url
from knowledge.reads.sources import FolderFile, folder_files, source_page
from skills import registry
from skills.folders import packing
from skills.folders.codes import SKILL_FILE
from skills.folders.packing import PackedFile
from skills.reads.fresh import registry_now
from skills.registry import Registry, ServedFolder, source_of

CURSOR_WIDTH = 1


@dataclass(frozen=True, kw_only=True)
class LibraryFile:
    """A file of a skill, SKILL.md included. `url` is where the bytes of any other file are."""

    path: str
    size: int
    executable: bool
    sha256: str
    url: str | None = None


@dataclass(frozen=True, kw_only=True)
class LibrarySkill:
    """A skill folder: its version is that of its page, its digest covers every file with its path and mode."""

    served: ServedFolder
    files: tuple[LibraryFile, ...]

    @property
    def name(self) -> str:
        """What it is called and activated by."""
        return self.served.skill.name

    @property
    def version(self) -> int:
        """The version of its page, which grows when SKILL.md changes."""
        return self.served.page.version

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for file in self.files)

    @property
    def digest(self) -> str:
        """What tells one state of the folder from another: `sha256:` and a digest over every file."""
        return packing.digest_of((file.path, file.executable, file.sha256) for file in self.files)


@dataclass(frozen=True, kw_only=True)
class LibraryDetail:
    """One skill folder with the text of its SKILL.md, to the byte."""

    skill: LibrarySkill
    text: str


@dataclass(frozen=True, kw_only=True)
class PackedSkill:
    """A skill folder as a zip."""

    name: str
    digest: str
    data: bytes


def list_library(*, actor: Actor, window: Window) -> Listing[LibrarySkill]:
    """The skill folders by name. Two queries, and one for each page changed in the last moment."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    folders = library_now().folders
    names = list(folders)
    start = bisect_right(names, str(window.after[0])) if window.after else 0
    shown = names[start : start + window.limit]
    more = start + window.limit < len(names)
    return Listing(
        results=with_files(folders[name] for name in shown),
        total=len(names),
        after=encode_cursor((shown[-1],)) if more else None,
    )


def library_manifest(*, actor: Actor) -> tuple[LibrarySkill, ...]:
    """Every skill folder by name, for a harness to find out what has changed. Two queries."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    return with_files(library_now().folders.values())


def get_library_skill(*, actor: Actor, name: str) -> LibraryDetail:
    """One skill folder; `not_found` where there is none of this name."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    (skill,) = _with_files([folder_named(name)])
    return LibraryDetail(skill=skill, text=_text_of(skill.served))


def served_library(*, actor: Actor) -> tuple[ServedFolder, ...]:
    """Every skill folder by name, from memory, so that it may be a moment behind what was written. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    return tuple(registry.current().folders.values())


def file_of(*, actor: Actor, name: str, path: str) -> PackedFile:
    """One file of a skill folder with its bytes; `not_found` where the folder or the file is not there."""
    detail = get_library_skill(actor=actor, name=name)
    for file in detail.skill.files:
        if file.path == path:
            data = detail.text.encode() if path == SKILL_FILE else _bytes_of(file)
            return PackedFile(path=path, data=data, executable=file.executable)
    raise Refused(Code.NOT_FOUND, f"The skill '{name}' has no file '{path}'.")


def zip_of(*, actor: Actor, name: str) -> PackedSkill:
    """One skill folder as a zip that gives it back byte for byte; `not_found` where there is none of this name."""
    detail = get_library_skill(actor=actor, name=name)
    data = packing.pack(name, list(packed_files(detail)))
    return PackedSkill(name=name, digest=detail.skill.digest, data=data)


def files_of(served: ServedFolder) -> Iterator[PackedFile]:
    """Every file of a skill folder with its bytes. For commands and the engine: asks nobody for a permission."""
    (skill,) = _with_files([served])
    return packed_files(LibraryDetail(skill=skill, text=_text_of(served)))


def packed_files(detail: LibraryDetail) -> Iterator[PackedFile]:
    """Every file of a skill with its bytes."""
    for file in detail.skill.files:
        data = detail.text.encode() if file.path == SKILL_FILE else _bytes_of(file)
        yield PackedFile(path=file.path, data=data, executable=file.executable)


def library_now() -> Registry:
    """The registry with what was written a moment ago; empty while the company keeps no skills."""
    return registry_now(source_of(live.current()))


def folder_named(name: str) -> ServedFolder:
    """The skill folder that answers to a name; `not_found` where there is none."""
    served = library_now().folders.get(name)
    if served is None:
        raise Refused(Code.NOT_FOUND, "The library holds no skill of this name. GET /api/v1/library lists them.")
    return served


def with_files(folders: Iterable[ServedFolder]) -> tuple[LibrarySkill, ...]:
    """Skill folders with the files attached to their pages, SKILL.md first. One query."""
    return tuple(_with_files(folders))


def _with_files(folders: Iterable[ServedFolder]) -> Iterator[LibrarySkill]:
    served = list(folders)
    attached = folder_files(folder.page.page_id for folder in served)
    for folder in served:
        own = LibraryFile(path=SKILL_FILE, size=folder.page.size, executable=False, sha256=folder.page.digest)
        others = (_shown(file) for file in attached.get(folder.page.page_id, ()) if not _is_skill_file(file.path))
        yield LibrarySkill(served=folder, files=(own, *others))


def _is_skill_file(path: str) -> bool:
    """Whether a file stands where the page itself does: the page wins."""
    return path.casefold() == SKILL_FILE.casefold()


def _shown(file: FolderFile) -> LibraryFile:
    return LibraryFile(
        path=file.path, size=file.size, executable=file.executable, sha256=file.sha256, url=attachment_url(file.id)
    )


def _text_of(served: ServedFolder) -> str:
    page = source_page(served.page.page_id)
    if page is None or not page.published:
        raise Refused(Code.NOT_FOUND, "The skill left the library at this moment.")
    return page.body


def _bytes_of(file: LibraryFile) -> bytes:
    try:
        return b"".join(contents.read(file.sha256))
    except FileNotFoundError as error:
        raise Refused(
            Code.NOT_FOUND,
            f"The storage of attachments no longer holds '{file.path}'. An administrator can bring it back from a "
            "backup, or import the skill again.",
        ) from error
