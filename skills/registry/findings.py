"""What is wrong with the skills a registry holds, in the light of what the company declares. Pure.

One list serves the screens, the REST door and the log, so that they never disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from company.rules.chart import Company
from company.rules.refusals import Code
from skills.frontmatter import Problem
from skills.registry.held import Registry
from skills.tool_skills.rules.audit import (
    MatchesNothing,
    PartiallyDangling,
    audit_trigger,
    declared_surface,
    unresolved_variables,
)
from skills.tool_skills.rules.documents import Kind
from skills.tool_skills.rules.variables import variables_of


class FindingKind(StrEnum):
    """What `skill-problems` tells apart, in the order one page's are listed."""

    UNDECODABLE = "undecodable"
    DUPLICATED = "duplicated"
    UNRESOLVED = "unresolved"
    DANGLING = "dangling"
    MATCHES_NOTHING = "matches_nothing"


@dataclass(frozen=True, kw_only=True)
class LogLine:
    """A line the sync writes once, when it comes to stand. `identity` tells an edited page's line from its last one."""

    level: str
    event: str
    fields: tuple[tuple[str, Any], ...]
    identity: int = 0


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something wrong with one page in one dialect. `key` is a tool skill's key or another skill's name; `served` and
    `shadowed` are the pages of one that stands twice.
    """

    kind: FindingKind
    page_id: int
    problems: tuple[Problem, ...]
    dialect: Kind = Kind.TOOL_SKILL
    key: str | None = None
    served: int | None = None
    shadowed: int | None = None
    lines: tuple[LogLine, ...] = ()


def variables_in_force(company: Company) -> dict[str, str]:
    """The skill variables of a company, the engine's own included."""
    return variables_of(declared=company.skill_variables, dashboard_base_url=company.dashboard_base_url)


def findings(registry: Registry, company: Company) -> tuple[Finding, ...]:
    """Everything that is wrong, by page, then by kind."""
    found = [*_undecodable(registry), *_duplicated(registry), *_against(registry, company)]
    order = list(FindingKind)
    return tuple(sorted(found, key=lambda one: (one.page_id, order.index(one.kind))))


def _undecodable(registry: Registry) -> Iterator[Finding]:
    for page, reading in registry.broken:
        fields = (("page_id", page.page_id), ("reason", reading.reason))
        yield Finding(
            kind=FindingKind.UNDECODABLE,
            page_id=page.page_id,
            dialect=reading.kind,
            key=reading.name,
            problems=reading.problems,
            lines=(LogLine(level="warning", event="skill_page_undecodable", fields=fields, identity=page.version),),
        )


def _duplicated(registry: Registry) -> Iterator[Finding]:
    for twin in registry.duplicates:
        field = "key" if twin.kind is Kind.TOOL_SKILL else "name"
        detail = (
            f"The {field} '{twin.key}' is served from page {twin.served}, which has the lower id. "
            f"Give this page a {field} of its own, or remove it."
        )
        fields = (("key", twin.key), ("served", twin.served), ("shadowed", twin.shadowed))
        yield Finding(
            kind=FindingKind.DUPLICATED,
            page_id=twin.shadowed,
            dialect=twin.kind,
            key=twin.key,
            served=twin.served,
            shadowed=twin.shadowed,
            problems=(Problem(code=Code.INVALID, field=field, line=None, detail=detail),),
            lines=(LogLine(level="warning", event="skill_key_duplicated", fields=fields),),
        )


def _against(registry: Registry, company: Company) -> Iterator[Finding]:
    declared = declared_surface(company)
    variables = variables_in_force(company)
    for key, served in registry.by_key.items():
        unresolved = unresolved_variables(served.skill, variables)
        if unresolved:
            yield Finding(
                kind=FindingKind.UNRESOLVED,
                page_id=served.page_id,
                key=key,
                problems=tuple(
                    Problem(
                        code=Code.INVALID,
                        field=field,
                        line=None,
                        detail=f"'${{{name}}}' has no value. Declare '{name}' under 'skill_variables'.",
                    )
                    for name, field in unresolved
                ),
                lines=tuple(
                    LogLine(
                        level="warning",
                        event="skill_variable_unresolved",
                        fields=(("key", key), ("variable", name), ("field", field)),
                    )
                    for name, field in unresolved
                ),
            )
        match audit_trigger(served.skill, declared):
            case PartiallyDangling(tools=tools):
                names = ", ".join(f"'{tool}'" for tool in tools)
                detail = f"No server the company declares lists {names}. Correct the name, or list it under the server."
                yield Finding(
                    kind=FindingKind.DANGLING,
                    page_id=served.page_id,
                    key=key,
                    problems=(Problem(code=Code.INVALID, field="trigger", line=None, detail=detail),),
                    lines=(
                        LogLine(
                            level="warning",
                            event="skill_trigger_partially_dangling",
                            fields=(("key", key), ("tools", tools)),
                        ),
                    ),
                )
            case MatchesNothing():
                detail = "The trigger matches nothing the company declares, so the skill reaches nobody."
                yield Finding(
                    kind=FindingKind.MATCHES_NOTHING,
                    page_id=served.page_id,
                    key=key,
                    problems=(Problem(code=Code.INVALID, field="trigger", line=None, detail=detail),),
                    lines=(LogLine(level="info", event="skill_trigger_matches_nothing", fields=(("key", key),)),),
                )
