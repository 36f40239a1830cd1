"""Tool skills as markdown files: finds them, reads them, and says what is wrong with each. Writes none."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from company.rules.refusals import Code
from skills import frontmatter
from skills.frontmatter import Problem
from skills.tool_skills.rules.documents import Kind, OtherDialect, ToolSkill, Undecodable
from skills.tool_skills.rules.parser import read_page


@dataclass(frozen=True, kw_only=True)
class SkillFile:
    """One file: what it is, its text where it is text, the skill where it is one, and everything wrong with it."""

    path: Path
    kind: Kind
    text: str = ""
    skill: ToolSkill | None = None
    problems: tuple[Problem, ...] = ()

    def lines(self) -> Iterator[str]:
        """A line a problem, `path:line: field: code: detail`; line 1 stands for the file as a whole."""
        for problem in self.problems:
            yield f"{self.path}:{problem.line or 1}: {problem.field}: {problem.code.value}: {problem.detail}"


def markdown_files(path: Path) -> tuple[Path, ...]:
    """The markdown files at `path`: itself, or all below it, by name. Raises FileNotFoundError where nothing is."""
    if path.is_dir():
        return tuple(sorted(found for found in path.rglob("*.md") if found.is_file()))
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return (path,)


def read_file(path: Path) -> SkillFile:
    """One file read; one that is no text is a tool skill with a problem, because nobody can tell what it is."""
    text = frontmatter.decode(path.read_bytes())
    if isinstance(text, Problem):
        return SkillFile(path=path, kind=Kind.TOOL_SKILL, problems=(text,))
    verdict = read_page(text)
    if isinstance(verdict, ToolSkill):
        return SkillFile(path=path, kind=Kind.TOOL_SKILL, text=text, skill=verdict)
    if isinstance(verdict, Undecodable):
        return SkillFile(path=path, kind=Kind.TOOL_SKILL, text=text, problems=verdict.problems)
    kind = verdict.kind if isinstance(verdict, OtherDialect) else Kind.PAGE
    return SkillFile(path=path, kind=kind, text=text)


def read_files(paths: Iterable[Path]) -> Iterator[SkillFile]:
    """Each file in turn; a key an earlier one has is a problem of the later one."""
    first_with: dict[str, Path] = {}
    for path in paths:
        found = read_file(path)
        if found.skill is not None:
            earlier = first_with.setdefault(found.skill.key, path)
            if earlier != path:
                detail = f"'{earlier}' has the key '{found.skill.key}' already. Give this one a key of its own."
                twice = Problem(code=Code.INVALID, field="key", line=_line_of_key(found.text), detail=detail)
                found = SkillFile(path=path, kind=found.kind, text=found.text, problems=(twice,))
        yield found


def _line_of_key(text: str) -> int | None:
    reading = frontmatter.parse(text)
    return reading.fields["key"].line if isinstance(reading, frontmatter.Parsed) else None


def file_name(key: str, *, page_id: int, taken: set[str]) -> str:
    """The file a skill is exported to: its key as a file name, with the page's id where that clashes.

    `taken` holds the names given so far, folded, because some file systems do not tell capitals apart.
    """
    name = key.replace(":", "-")
    if name.casefold() in taken:
        name = f"{name}-{page_id}"
    taken.add(name.casefold())
    return f"{name}.md"
