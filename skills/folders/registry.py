"""The seam between the skill tool and wherever skills come from.

A `SkillRegistry` discovers (front matter only, never a body) and loads one skill. `FilesystemSkillRegistry` reads
folders on disk; the library is another implementation. The tool above knows neither.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeAlias

from company.rules.refusals import Code
from skills.folders import fence, resources, validation
from skills.folders.codes import MAX_FILE_BYTES, SKILL_FILE, ErrorCode
from skills.folders.resources import ResourceFolder
from skills.folders.validation import Accepted, Skill
from skills.frontmatter import Problem


@dataclass(frozen=True, kw_only=True)
class SkillEntry:
    """A skill that was discovered. `skill` holds its front matter; its body is empty until the skill is loaded.

    `root` is the configured root it lies in, None for skills that do not come from a disk. `shadowed` are the folders
    of skills of the same name in later roots, which this one hides.
    """

    skill: Skill
    dir: str
    root_index: int = 0
    root: Path | None = None
    shadowed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.skill.name

    @property
    def description(self) -> str:
        return self.skill.description


@dataclass(frozen=True, kw_only=True)
class BrokenSkill:
    """A folder with a SKILL.md that may not be used: absent from the catalogue, and activating it says why."""

    name: str
    dir: str
    root_index: int
    code: ErrorCode
    problems: tuple[Problem, ...]
    declared_name: str | None = None


Found: TypeAlias = SkillEntry | BrokenSkill | None
Memo: TypeAlias = dict[tuple[str, int], tuple[tuple[int, ...], Found]]
"""What was found in a folder of a root, with the stamp its SKILL.md had then."""


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """What a registry holds at one moment. `root_problems` says which roots could not be read."""

    entries: tuple[SkillEntry, ...] = ()
    broken: tuple[BrokenSkill, ...] = ()
    root_problems: tuple[str, ...] = ()
    _by_name: Mapping[str, SkillEntry | BrokenSkill]

    @classmethod
    def of(
        cls,
        *,
        entries: Sequence[SkillEntry],
        broken: Sequence[BrokenSkill] = (),
        root_problems: Sequence[str] = (),
    ) -> Discovery:
        """A discovery of these skills, in the order of their roots: the first of a name hides the others.

        A skill that may be used goes before a broken one of its name, and a broken folder is found by its own name
        before it is found by the name it gives itself.
        """
        served: dict[str, SkillEntry] = {}
        for entry in entries:
            if entry.name in served:
                first = served[entry.name]
                served[entry.name] = replace(first, shadowed=(*first.shadowed, entry.dir))
            else:
                served[entry.name] = entry
        by_name: dict[str, SkillEntry | BrokenSkill] = {}
        for found in broken:
            by_name.setdefault(found.name, found)
        for found in broken:
            if found.declared_name:
                by_name.setdefault(found.declared_name, found)
        by_name.update(served)
        return cls(
            entries=tuple(sorted(served.values(), key=lambda entry: entry.name)),
            broken=tuple(broken),
            root_problems=tuple(root_problems),
            _by_name=MappingProxyType(by_name),
        )

    def find(self, name: str) -> Found:
        """The skill that answers to a name."""
        return self._by_name.get(name)


@dataclass(frozen=True, kw_only=True)
class LoadedSkill:
    """A skill with its body and the names of its resources."""

    skill: Skill
    resources: tuple[ResourceFolder, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A skill that was discovered and cannot be loaded any more; `detail` says why."""

    detail: str


class SkillRegistry(Protocol):
    """Where skills come from."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders skills may lie in; empty where they do not come from a disk."""
        ...

    def discover(self) -> Discovery:
        """Every skill there is. Never raises over one bad skill or root."""
        ...

    def load(self, entry: SkillEntry) -> LoadedSkill | Unreadable:
        """One discovered skill with its body."""
        ...


class FilesystemSkillRegistry:
    """Skills in folders on disk: `<root>/<name>/SKILL.md`, earlier roots before later ones.

    Only immediate folders of the roots are looked at. Raises ValueError for a root that is not absolute (`~` is taken
    for the home folder): what a relative one means would depend on where the process was started.
    """

    def __init__(self, roots: Sequence[str | Path], *, memo: Memo | None = None) -> None:
        """`memo` keeps what was found in each folder from one discovery to the next; a changed file is read again."""
        self._memo = memo
        self._roots = tuple(dict.fromkeys(Path(root).expanduser() for root in roots))
        for root in self._roots:
            if not root.is_absolute():
                raise ValueError(f"A skill root is an absolute folder; '{root}' is relative.")

    @property
    def roots(self) -> tuple[Path, ...]:
        return self._roots

    def discover(self) -> Discovery:
        entries: list[SkillEntry] = []
        broken: list[BrokenSkill] = []
        root_problems: list[str] = []
        for root_index, root in enumerate(self._roots):
            try:
                folders = sorted(root.iterdir())
            except OSError as error:
                root_problems.append(f"The skill root {root} cannot be read: {error.strerror or error}.")
                continue
            for folder in folders:
                found = self._examine(folder, root=root, root_index=root_index)
                if isinstance(found, SkillEntry):
                    entries.append(found)
                elif found is not None:
                    broken.append(found)
        return Discovery.of(entries=entries, broken=broken, root_problems=root_problems)

    def load(self, entry: SkillEntry) -> LoadedSkill | Unreadable:
        """Read a skill again. Front matter that is no longer what was discovered and judged is not served."""
        folder = Path(entry.dir)
        file = folder / SKILL_FILE
        if not fence.is_inside(file, self._roots):
            return Unreadable(detail=f"{file} is gone, or has left the skill roots")
        data = read_skill_file(file)
        if isinstance(data, Unreadable):
            return data
        checked = validation.check_file(data, folder=folder.name)
        if not isinstance(checked, Accepted) or not same_front_matter(checked.skill, entry.skill):
            return Unreadable(
                detail=f"the front matter of {file} has changed since this session listed it; start a new session"
            )
        try:
            listed = resources.of_directory(folder)
        except OSError as error:
            return Unreadable(detail=f"the resources in {folder} cannot be listed: {error.strerror or error}")
        return LoadedSkill(skill=checked.skill, resources=listed)

    def _examine(self, folder: Path, *, root: Path, root_index: int) -> Found:
        if self._memo is None:
            return self._read(folder, root=root, root_index=root_index)
        try:
            status = (folder / SKILL_FILE).stat()
        except OSError:
            return self._read(folder, root=root, root_index=root_index)
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        place = (str(folder), root_index)
        kept = self._memo.get(place)
        if kept is None or kept[0] != stamp:
            kept = self._memo[place] = (stamp, self._read(folder, root=root, root_index=root_index))
        return kept[1]

    def _read(self, folder: Path, *, root: Path, root_index: int) -> Found:
        file = folder / SKILL_FILE
        data: bytes | Unreadable
        try:
            file.lstat()
            data = read_skill_file(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            data = Unreadable(detail=f"{file} cannot be read: {error.strerror or error}")
        if isinstance(data, Unreadable):
            problem = Problem(code=Code.INVALID, field="file", line=None, detail=data.detail)
            return BrokenSkill(
                name=folder.name, dir=str(folder), root_index=root_index, code=ErrorCode.IO_ERROR, problems=(problem,)
            )
        checked = validation.check_file(data, folder=folder.name)
        if isinstance(checked, Accepted):
            header = replace(checked.skill, body="")
            return SkillEntry(skill=header, dir=str(folder), root_index=root_index, root=root)
        return BrokenSkill(
            name=folder.name,
            dir=str(folder),
            root_index=root_index,
            code=checked.code,
            problems=checked.problems,
            declared_name=checked.name,
        )


def read_skill_file(file: Path) -> bytes | Unreadable:
    """The bytes of a SKILL.md; a device, a pipe or a file past 25 MiB is not read."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            return Unreadable(detail=f"{file} is not a regular file")
        if status.st_size > MAX_FILE_BYTES:
            return Unreadable(detail=f"{file} has {status.st_size} bytes; at most {MAX_FILE_BYTES} are read")
        return file.read_bytes()
    except OSError as error:
        return Unreadable(detail=f"{file} cannot be read: {error.strerror or error}")


def same_front_matter(one: Skill, other: Skill) -> bool:
    """Whether two readings say the same, so that the front matter that was judged is the one that is served."""
    return json.dumps(dict(one.frontmatter)) == json.dumps(dict(other.frontmatter))
