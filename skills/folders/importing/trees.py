"""Whole trees of skill folders: finding them, judging each, and what belongs to which.

A folder with a SKILL.md is a skill, wherever it lies; its other files are the skill's, down to the next folder with a
SKILL.md of its own. A file that belongs to no skill is listed, not forgotten.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from company.rules.refusals import Code
from skills.folders import fence
from skills.folders.codes import SKILL_FILE
from skills.folders.importing.verdicts import FileReport, Verdict, judge, refusal
from skills.folders.packing import Archive, BadArchive
from skills.folders.registry import Unreadable, read_skill_file
from skills.frontmatter import Problem


@dataclass(frozen=True, kw_only=True)
class TreeReport:
    """Every SKILL.md of a tree with its verdict, sorted by path, and the files that belong to no skill."""

    files: tuple[FileReport, ...]
    others: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many files got each verdict."""
        counted = Counter(report.verdict for report in self.files)
        return {verdict: counted[verdict] for verdict in Verdict}


def check_tree(tree: Path) -> TreeReport:
    """Judge every SKILL.md below a folder. Raises NotADirectoryError where there is none.

    Links to folders are not followed but named like files, so that whoever reads one is told; a SKILL.md that is a
    link out of the tree is refused, and `.git` folders are passed over.
    """
    if not tree.is_dir():
        raise NotADirectoryError(f"{tree} is not a folder.")
    names: list[str] = []
    for place, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if name != ".git"]
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        names.extend((Path(place) / name).relative_to(tree).as_posix() for name in [*files, *links])

    def read(name: str) -> bytes | Unreadable:
        file = tree / name
        if file.is_symlink() and not fence.is_inside(file, [tree]):
            return Unreadable(detail=f"{name} is a link that leaves the tree, or leads nowhere")
        return read_skill_file(file)

    return judge_tree(names, read=read, root_name=tree.resolve().name)


def judge_tree(
    names: Iterable[str], *, read: Callable[[str], bytes | Unreadable], root_name: str | None = None
) -> TreeReport:
    """Judge a tree given as the paths of its files. `root_name` is the name of the folder all of it lies in."""
    paths = sorted(names)
    by_folder: dict[str, str] = {}
    reports: dict[str, FileReport] = {}
    for path in (path for path in paths if PurePosixPath(path).name.casefold() == SKILL_FILE.casefold()):
        folder = PurePosixPath(path).parent
        if str(folder) in by_folder:
            first = by_folder[str(folder)]
            detail = f"The folder holds '{PurePosixPath(first).name}' too. Keep one of them, named {SKILL_FILE}."
            reports[path] = refusal(path, (_file_problem(detail),))
            continue
        by_folder[str(folder)] = path
        data = read(path)
        if isinstance(data, Unreadable):
            reports[path] = refusal(path, (_file_problem(f"The file could not be read: {data.detail}."),))
        else:
            reports[path] = judge(path, data, folder=folder.name or root_name)
    files: dict[str, list[str]] = {}
    others: list[str] = []
    for path in paths:
        if path in reports:
            continue
        home = next((str(parent) for parent in PurePosixPath(path).parents if str(parent) in by_folder), None)
        if home is None:
            others.append(path)
        else:
            files.setdefault(home, []).append(PurePosixPath(path).relative_to(home).as_posix())
    found = tuple(
        replace(report, files=tuple(files.get(str(PurePosixPath(path).parent), ()))) for path, report in reports.items()
    )
    return TreeReport(files=found, others=tuple(others))


def judge_archive(archive: Archive, *, root_name: str | None = None) -> TreeReport:
    """Judge the tree a zip holds. `root_name` is the folder's name where its SKILL.md lies at the top of the zip."""

    def read(name: str) -> bytes | Unreadable:
        file = archive.read(name)
        return Unreadable(detail=file.detail.rstrip(".")) if isinstance(file, BadArchive) else file.data

    return judge_tree(archive.members, read=read, root_name=root_name)


def in_one_library(report: TreeReport) -> TreeReport:
    """The same tree as one library would take it: the first file of a name keeps it, the others are refused.

    A file that has its name as it stands goes before one that a repair gave it.
    """
    holders: dict[str, str] = {}
    for verdict in (Verdict.OK, Verdict.REPAIRED):
        for file in report.files:
            if file.verdict is verdict and file.name is not None:
                holders.setdefault(file.name, file.path)
    files: list[FileReport] = []
    for file in report.files:
        if file.verdict is Verdict.REFUSED or file.name is None:
            files.append(file)
        elif holders[file.name] != file.path:
            detail = f"'{file.name}' is the name of {holders[file.name]} too. Rename one of the two skills."
            problem = Problem(code=Code.INVALID, field="name", line=None, detail=detail)
            files.append(replace(refusal(file.path, (problem,), name=file.name), files=file.files))
        else:
            files.append(file)
    return replace(report, files=tuple(files))


def _file_problem(detail: str) -> Problem:
    return Problem(code=Code.INVALID, field="file", line=None, detail=detail)
