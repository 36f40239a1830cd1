"""Skills as files on disk, in all three dialects: finds and reads them, and says what is wrong. Writes none.

A folder with a SKILL.md is a skill folder, and every file below belongs to it. Any other markdown file is a tool skill
or a prompt skill where its front matter says so, and is passed over where it says neither.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from company.rules.refusals import Code
from skills import frontmatter
from skills.folders import fence
from skills.folders.codes import SKILL_FILE
from skills.folders.importing import FileReport, TreeReport, Verdict, check_tree, judge
from skills.folders.packing import BadArchive, PackedFile
from skills.folders.registry import Unreadable, read_skill_file
from skills.frontmatter import Problem
from skills.prompts.documents import PromptSkill
from skills.prompts.documents import Undecodable as BrokenPrompt
from skills.registry.dialects import read_dialects
from skills.tool_skills.rules.documents import Kind, ToolSkill

_NO_FILE_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, kw_only=True)
class SkillFile:
    """One file: its dialect, its text where it is text, the skill where it is one, and everything wrong with it.

    `report` is the verdict on a SKILL.md, whose problems also stand here where it is repaired: a harness that repairs
    nothing meets them.
    """

    path: Path
    kind: Kind
    text: str = ""
    skill: ToolSkill | PromptSkill | None = None
    problems: tuple[Problem, ...] = ()
    report: FileReport | None = None

    @property
    def key(self) -> str | None:
        """What the skill answers to: a tool skill's key, another one's name."""
        if self.report is not None:
            return self.report.name
        if isinstance(self.skill, ToolSkill):
            return self.skill.key
        return self.skill.name if self.skill is not None else None

    def lines(self) -> Iterator[str]:
        """A line a problem, `path:line: field: code: detail`; line 1 stands for the file as a whole."""
        for problem in self.problems:
            yield f"{self.path}:{problem.line or 1}: {problem.field}: {problem.code.value}: {problem.detail}"


@dataclass(frozen=True, kw_only=True)
class Scan:
    """Everything found at a path, by path. `tree` is what there is of skill folders, below `root`."""

    root: Path
    files: tuple[SkillFile, ...]
    tree: TreeReport = field(default_factory=lambda: TreeReport(files=()))

    def read(self, name: str) -> PackedFile | BadArchive:
        """One file of the tree with its mode; a link that leaves the tree is not followed."""
        path = self.root / name
        if path.is_symlink() and not fence.is_inside(path, [self.root]):
            return BadArchive(detail=f"'{name}' is a link that leaves the tree, or leads nowhere.")
        data = read_skill_file(path)
        if isinstance(data, Unreadable):
            return BadArchive(detail=f"{data.detail}.")
        return PackedFile(path=name, data=data, executable=bool(path.stat().st_mode & stat.S_IXUSR))


def scan(path: Path, *, each: Callable[[Path], None] = lambda _: None) -> Scan:
    """Every skill at a path: a file, or all below a folder. Raises FileNotFoundError where nothing is.

    `each` hears of every markdown file beside the skill folders before it is read.
    """
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.is_dir():
        each(path)
        return _alone(path)
    tree = check_tree(path)
    folders = [_of_report(path, report) for report in tree.files]
    others: list[SkillFile] = []
    for name in tree.others:
        if name.endswith(".md"):
            each(path / name)
            others.append(_beside(path, name))
    found = sorted([*folders, *others], key=lambda one: one.path)
    return Scan(root=path, files=tuple(_once_each(found)), tree=tree)


def _beside(root: Path, name: str) -> SkillFile:
    """A markdown file beside the skill folders of a tree. A link is followed within the tree alone."""
    path = root / name
    if path.is_symlink() and not fence.is_inside(path, [root]):
        return _unknown(path, _file_problem(f"{name} is a link that leaves the tree, or leads nowhere"))
    return read_file(path)


def read_file(path: Path) -> SkillFile:
    """One file that is no SKILL.md. One that is no text, or cannot be read, is a tool skill with a problem: nobody can
    tell what it is. Never raises over what lies there."""
    data = read_skill_file(path)
    text = _file_problem(data.detail) if isinstance(data, Unreadable) else frontmatter.decode(data)
    if isinstance(text, Problem):
        return _unknown(path, text)
    readings = read_dialects(text)
    if isinstance(readings.tool, ToolSkill):
        return SkillFile(path=path, kind=Kind.TOOL_SKILL, text=text, skill=readings.tool)
    if readings.tool is not None:
        return SkillFile(path=path, kind=Kind.TOOL_SKILL, text=text, problems=readings.tool.problems)
    if isinstance(readings.prompt, PromptSkill):
        return SkillFile(path=path, kind=Kind.PROMPT_SKILL, text=text, skill=readings.prompt)
    if isinstance(readings.prompt, BrokenPrompt) and _has_triggers(text):
        return SkillFile(path=path, kind=Kind.PROMPT_SKILL, text=text, problems=readings.prompt.problems)
    return SkillFile(path=path, kind=Kind.PAGE, text=text)


def _unknown(path: Path, problem: Problem) -> SkillFile:
    return SkillFile(path=path, kind=Kind.TOOL_SKILL, problems=(problem,))


def _file_problem(detail: str) -> Problem:
    return Problem(code=Code.INVALID, field="file", line=None, detail=f"The file could not be read: {detail}.")


def _has_triggers(text: str) -> bool:
    """Whether a broken prompt skill is meant as one: other products keep `tools: Read, Grep` beside a description."""
    halves = frontmatter.split(text)
    return "\ntriggers:" in f"\n{getattr(halves, 'raw', '')}"


def _alone(path: Path) -> Scan:
    if path.name.casefold() != SKILL_FILE.casefold():
        return Scan(root=path.parent, files=(read_file(path),))
    data = read_skill_file(path)
    if isinstance(data, Unreadable):
        raise OSError(data.detail)
    report = judge(path.name, data, folder=path.resolve().parent.name)
    return Scan(root=path.parent, files=(_of_report(path.parent, report),), tree=TreeReport(files=(report,)))


def _of_report(root: Path, report: FileReport) -> SkillFile:
    return SkillFile(
        path=root / report.path,
        kind=Kind.AGENT_SKILL,
        text=report.text or "",
        problems=report.problems if report.verdict is not Verdict.OK else (),
        report=report,
    )


def _once_each(files: list[SkillFile]) -> Iterator[SkillFile]:
    """The files; a key or name that an earlier one of its dialect has is a problem of the later one.

    Skill folders are left out: trees of several plugins hold one name more than once, and an import decides then.
    """
    first_with: dict[tuple[Kind, str], Path] = {}
    for found in files:
        if found.skill is None or found.key is None:
            yield found
            continue
        earlier = first_with.setdefault((found.kind, found.key), found.path)
        if earlier == found.path:
            yield found
            continue
        name = "key" if found.kind is Kind.TOOL_SKILL else "name"
        detail = f"'{earlier}' has the {name} '{found.key}' already. Give this one a {name} of its own."
        twice = Problem(code=Code.INVALID, field=name, line=_line_of(name, found.text), detail=detail)
        yield replace(found, skill=None, problems=(twice,))


def _line_of(name: str, text: str) -> int | None:
    reading = frontmatter.parse(text)
    return reading.fields[name].line if isinstance(reading, frontmatter.Parsed) else None


def file_name(key: str, *, page_id: int, taken: set[str]) -> str:
    """The file a skill is exported to: its key as a file name, with the page's id where that clashes.

    `taken` holds the names given so far, folded, because some file systems do not tell capitals apart.
    """
    name = _NO_FILE_NAME.sub("-", key).strip(". ")[:100] or f"page-{page_id}"
    if name.casefold() in taken:
        name = f"{name}-{page_id}"
    taken.add(name.casefold())
    return name
