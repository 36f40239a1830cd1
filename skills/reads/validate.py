"""What a text would be as a page of the skills container, before anybody publishes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from company import live
from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_app
from skills import registry
from skills.folders import Accepted
from skills.frontmatter import Problem
from skills.prompts.documents import PromptSkill
from skills.registry.dialects import read_dialects
from skills.registry.findings import variables_in_force
from skills.tool_skills.rules.audit import (
    MatchesNothing,
    PartiallyDangling,
    audit_trigger,
    declared_surface,
    unresolved_variables,
)
from skills.tool_skills.rules.documents import Kind, ToolSkill
from skills.tool_skills.rules.parser import Sizes, sizes_of


@dataclass(frozen=True, kw_only=True)
class Validation:
    """The verdict. `skill` stands only where nothing is wrong; `warnings` are sentences and hinder nothing."""

    kind: Kind
    skill: dict[str, Any] | None
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
    sizes: Sizes


def validate_text(*, actor: Actor, text: str) -> Validation:
    """What `text` is, what is wrong with it, and what it would meet in the company as it stands. No query."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    readings = read_dialects(text)
    skill: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    if isinstance(readings.tool, ToolSkill):
        skill, warnings = readings.tool.as_dict(), _warnings(readings.tool)
    elif isinstance(readings.prompt, PromptSkill):
        skill, warnings = readings.prompt.as_detail(), _prompt_warnings(readings.prompt)
    elif isinstance(readings.folder, Accepted):
        skill, warnings = dict(readings.folder.skill.frontmatter), _folder_warnings(readings.folder)
    problems = tuple(problem for broken in readings.broken() for problem in broken.problems)
    return Validation(kind=readings.kind, skill=skill, problems=problems, warnings=warnings, sizes=sizes_of(text))


def _prompt_warnings(skill: PromptSkill) -> tuple[str, ...]:
    found: list[str] = []
    if not skill.triggers:
        found.append("It has no trigger, so no message brings it in.")
    if not skill.body.strip() and not skill.tools:
        found.append("It has no body and no tool, so it brings nothing in.")
    served = registry.current().prompts.get(skill.name)
    if served is not None:
        found.append(f"Page {served.page.page_id} is served under this name; the lower page number wins it.")
    return tuple(found)


def _folder_warnings(checked: Accepted) -> tuple[str, ...]:
    found = [problem.detail for problem in checked.warnings]
    served = registry.current().folders.get(checked.skill.name)
    if served is not None:
        found.append(f"Page {served.page.page_id} is served under this name; the lower page number wins it.")
    return tuple(found)


def _warnings(skill: ToolSkill) -> tuple[str, ...]:
    company = live.current()
    found: list[str] = []
    if skill.extra:
        found.append(f"These fields mean nothing here and are kept: {', '.join(skill.extra)}.")
    served = registry.current().by_key.get(skill.key)
    if served is not None:
        found.append(f"Page {served.page_id} is served under this key; two pages cannot share one.")
    for name, field in unresolved_variables(skill, variables_in_force(company)):
        found.append(f"'${{{name}}}' in the {field} has no value; declare '{name}' under 'skill_variables'.")
    match audit_trigger(skill, declared_surface(company)):
        case PartiallyDangling(tools=tools):
            found.append(f"No server the company declares lists {', '.join(tools)}.")
        case MatchesNothing():
            found.append("The trigger matches nothing the company declares, so the skill would reach nobody.")
    return tuple(found)
