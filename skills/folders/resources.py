"""What a skill folder holds beside its SKILL.md: names only, never contents.

The model sees the names and opens what it needs with its own tools; that is what keeps a skill cheap.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from skills.folders.codes import RESOURCE_FOLDERS

SHOWN_A_FOLDER = 10
"""Contract §4, decision 8."""


@dataclass(frozen=True, kw_only=True)
class ResourceFolder:
    """One of the three folders: the names that are shown, relative to the skill, and how many more there are."""

    folder: str
    names: tuple[str, ...]
    more: int = 0


def of_names(names: Iterable[str]) -> tuple[ResourceFolder, ...]:
    """The resource folders of a skill from the paths of its files, relative to it; other files are passed over."""
    by_folder: dict[str, list[str]] = {folder: [] for folder in RESOURCE_FOLDERS}
    for name in names:
        folder, divided, _ = name.partition("/")
        if divided and folder in by_folder:
            by_folder[folder].append(name)
    return tuple(
        ResourceFolder(
            folder=folder,
            names=tuple(sorted(found)[:SHOWN_A_FOLDER]),
            more=max(0, len(found) - SHOWN_A_FOLDER),
        )
        for folder, found in by_folder.items()
        if found
    )


def of_directory(directory: Path) -> tuple[ResourceFolder, ...]:
    """The resource folders of a skill on disk. Symbolic links are named, not followed; raises OSError on a bad disk."""

    def fail(error: OSError) -> None:
        raise error

    names: list[str] = []
    for folder in RESOURCE_FOLDERS:
        top = directory / folder
        if top.is_symlink() or not top.is_dir():
            continue
        for place, folders, files in os.walk(top, onerror=fail):
            links = [name for name in folders if (Path(place) / name).is_symlink()]
            names.extend((Path(place) / name).relative_to(directory).as_posix() for name in [*files, *links])
    return of_names(names)


def shown(folders: Sequence[ResourceFolder]) -> tuple[str, ...]:
    """The names in the order of the answer, without the count of what is not shown."""
    return tuple(name for folder in folders for name in folder.names)


def lines(folders: Sequence[ResourceFolder]) -> list[str]:
    """The lines of the `<resources>` block: each name, and after a folder's tenth how many more it holds."""
    result: list[str] = []
    for folder in folders:
        result.extend(folder.names)
        if folder.more:
            result.append(f"(... {folder.more} more)")
    return result
