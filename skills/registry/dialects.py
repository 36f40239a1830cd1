"""What a page of the skills container is, in each of the three dialects. Pure; never raises.

A page has one dialect, told by its front matter (contract section 3): a `trigger` makes a tool skill, `name` and
`description` with `triggers` or `tools` a prompt skill, `name` and `description` alone an agent skill. A page that the
library took in as a skill folder carries the label `skill-folder` and is an agent skill whatever other fields its
author wrote for other harnesses; where those fields are a good prompt skill or tool skill, it is that besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from skills import frontmatter
from skills.folders import validation
from skills.folders.validation import Accepted, Rejected
from skills.frontmatter import Broken, Parsed, Problem, Reading
from skills.prompts import documents as prompts
from skills.prompts.documents import PromptSkill, is_prompt_skill, read_prompt_skill
from skills.tool_skills.rules import documents as tools
from skills.tool_skills.rules.documents import Kind, OtherDialect, ToolSkill
from skills.tool_skills.rules.parser import read_reading

FOLDER_LABEL = "skill-folder"
"""The label of a page that the library took in as a skill folder."""

_FIELD_LINE = re.compile(r"^(name|description|triggers|tools)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class BrokenReading:
    """A reading that may not be served: the dialect it was meant in, the name it would have, everything wrong."""

    kind: Kind
    name: str | None
    problems: tuple[Problem, ...]

    @property
    def reason(self) -> str:
        """The problems as one line for a log."""
        return "; ".join(
            (f"line {problem.line}: " if problem.line else "") + f"{problem.field}: {problem.detail}"
            for problem in self.problems
        )


@dataclass(frozen=True, kw_only=True)
class Readings:
    """What a page is in each dialect; None where it is nothing there. An agent skill is held without its body."""

    tool: ToolSkill | tools.Undecodable | None = None
    prompt: PromptSkill | prompts.Undecodable | None = None
    folder: Accepted | Rejected | None = None
    declared_name: str | None = None
    """The name in the front matter of a prompt or agent skill, good or not, where one can be told."""

    @property
    def kind(self) -> Kind:
        """The dialect by its front matter alone; an ordinary page where it is no skill."""
        if self.tool is not None:
            return Kind.TOOL_SKILL
        if self.prompt is not None:
            return Kind.PROMPT_SKILL
        return Kind.AGENT_SKILL if self.folder is not None else Kind.PAGE

    @property
    def is_skill(self) -> bool:
        """Whether it is meant as a skill of any dialect, good or not."""
        return self != NOTHING

    @property
    def name(self) -> str | None:
        """The key or name it declares, where one can be told."""
        return self.tool.key if self.tool is not None else self.declared_name

    def broken(self) -> Iterator[BrokenReading]:
        """The readings that may not be served."""
        if isinstance(self.tool, tools.Undecodable):
            yield BrokenReading(kind=Kind.TOOL_SKILL, name=self.tool.key, problems=self.tool.problems)
        if isinstance(self.prompt, prompts.Undecodable):
            yield BrokenReading(kind=Kind.PROMPT_SKILL, name=self.declared_name, problems=self.prompt.problems)
        if isinstance(self.folder, Rejected):
            yield BrokenReading(kind=Kind.AGENT_SKILL, name=self.declared_name, problems=self.folder.problems)


NOTHING = Readings()


def read_dialects(text: str, *, in_folder: bool = False) -> Readings:
    """What the text of a page is. `in_folder`: the page is the SKILL.md of a folder the library took in."""
    reading = frontmatter.parse(text)
    tool = read_reading(reading)
    if in_folder:
        return _read_folder(reading, tool=tool)
    if isinstance(tool, ToolSkill | tools.Undecodable):
        return Readings(tool=tool)
    if isinstance(tool, OtherDialect) and isinstance(reading, Parsed):
        if tool.kind is Kind.PROMPT_SKILL:
            return Readings(prompt=read_prompt_skill(reading), declared_name=tool.name or None)
        return Readings(folder=_without_body(reading), declared_name=tool.name or None)
    if isinstance(reading, Broken):
        return _meant_by(reading)
    return NOTHING


def _read_folder(reading: Reading, *, tool: tools.Verdict) -> Readings:
    fields = reading.fields if isinstance(reading, Parsed) else {}
    named = fields.get("name")
    prompt = read_prompt_skill(reading) if isinstance(reading, Parsed) and is_prompt_skill(fields) else None
    return Readings(
        tool=tool if isinstance(tool, ToolSkill) else None,
        prompt=prompt if isinstance(prompt, PromptSkill) else None,
        folder=_without_body(reading),
        declared_name=named.text if named is not None else None,
    )


def _without_body(reading: Reading) -> Accepted | Rejected:
    checked = validation.check_reading(reading, folder=None)
    return replace(checked, skill=replace(checked.skill, body="")) if isinstance(checked, Accepted) else checked


def _meant_by(reading: Broken) -> Readings:
    """Front matter that cannot be read, by the fields its lines begin with: a broken skill does not vanish unsaid."""
    named = {match[1] for match in _FIELD_LINE.finditer(reading.raw)}
    if not {"name", "description"} <= named:
        return NOTHING
    if named & {"triggers", "tools"}:
        return Readings(prompt=prompts.Undecodable(problems=reading.problems))
    return Readings(folder=validation.check_reading(reading, folder=None))
