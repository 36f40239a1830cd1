"""What a page of the skills container is: a tool skill, another dialect's, an ordinary page, or a broken skill. Pure.

Owns the values a verdict carries and the caps every registered skill holds (contract section 3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from skills.frontmatter import Problem, size_of
from skills.tool_skills.rules import triggers
from skills.tool_skills.rules.triggers import Coverage, Trigger

MAX_SUMMARY_BYTES = 240
MAX_BODY_BYTES = 32_768
MAX_TITLE_BYTES = 256
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._-]{0,127}")
MAX_KEY_LENGTH = 128


class Phase(StrEnum):
    """The phases of a turn a skill may be shown in."""

    EXECUTE = "execute"
    REVIEW = "review"
    SUBAGENT = "subagent"


PHASES = tuple(phase.value for phase in Phase)


class Kind(StrEnum):
    """What `skill-validate` calls a text."""

    TOOL_SKILL = "tool_skill"
    PROMPT_SKILL = "prompt_skill"
    AGENT_SKILL = "agent_skill"
    PAGE = "page"


@dataclass(frozen=True, kw_only=True)
class ToolSkill:
    """A tool skill as its page writes it, variables unresolved. Raises ValueError for one that breaks a cap.

    `extra` names the front matter keys nobody knows; they are kept in the page and mean nothing here.
    """

    key: str
    title: str
    summary: str
    body: str
    phases: tuple[Phase, ...]
    trigger: Trigger
    required: bool = True
    extra: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if KEY.fullmatch(self.key) is None:
            raise ValueError(f"{self.key!r} is no key of a skill")
        if size_of(self.summary) > MAX_SUMMARY_BYTES or size_of(self.body) > MAX_BODY_BYTES:
            raise ValueError(f"the skill {self.key} is larger than a registered skill may be")

    @cached_property
    def covers(self) -> Coverage:
        """The calls the skill is for."""
        return triggers.coverage_of(self.trigger)

    def as_dict(self, *, page_id: int | None = None, page_version: int | None = None) -> dict[str, Any]:
        """The shape of a skill in every public answer."""
        return {
            "key": self.key,
            "title": self.title,
            "summary": self.summary,
            "body": self.body,
            "phases": [phase.value for phase in self.phases],
            "required": self.required,
            "trigger": triggers.as_dict(self.trigger),
            "page_id": page_id,
            "page_version": page_version,
            "covers": self.covers.as_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class OrdinaryPage:
    """A page that declares no trigger."""


@dataclass(frozen=True, kw_only=True)
class OtherDialect:
    """A prompt skill or an agent skill: the other readers' business."""

    kind: Kind
    name: str


@dataclass(frozen=True, kw_only=True)
class Undecodable:
    """A page that declares a trigger and cannot be read, with everything that is wrong; never served."""

    problems: tuple[Problem, ...]
    key: str | None = None

    @property
    def reason(self) -> str:
        """The problems as one line for a log."""
        return "; ".join(
            (f"line {problem.line}: " if problem.line else "") + f"{problem.field}: {problem.detail}"
            for problem in self.problems
        )


Verdict = ToolSkill | OrdinaryPage | OtherDialect | Undecodable


def strip_blank_lines(text: str) -> str:
    """`text` without its outer blank lines and without the line end of its last line."""
    lines = text.split("\n")
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return "\n".join(lines[first:last]).removesuffix("\r")


def on_one_line(text: str) -> str:
    """`text` with every run of white space made one space."""
    return " ".join(text.split())
