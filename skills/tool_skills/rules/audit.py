"""The audit: compares what triggers name with what the company declares, and what texts refer to with what it says.

Pure. Matching is by exact name, so that a tool renamed by its server silently stops teaching and gating; the audit is
how somebody hears of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from company.rules.chart import Company, Seat
from skills.tool_skills.rules.documents import ToolSkill
from skills.tool_skills.rules.guard import NEVER_GATED
from skills.tool_skills.rules.triggers import McpServer, Surface, Tool, leaves, matches
from skills.tool_skills.rules.variables import missing_in

SANDBOX_TOOL = "run_sandbox"

OWN_TOOLS = NEVER_GATED | {
    "check_tool",
    "comment_on_page",
    "comment_on_work_item",
    "create_work_item",
    "get_page",
    "get_work_item",
    "list_pages",
    "list_projects",
    "list_tool_skills",
    "list_work_items",
    "match_prompt_skills",
    "reflect_and_persist",
    "refresh_memory",
    "save_page",
    "search_knowledge",
    "search_work_items",
    "skill",
    "update_work_item",
    "write_page",
}
"""The tools this product itself serves to agents (contract section 5) and the plumbing of a turn."""


@dataclass(frozen=True, kw_only=True)
class Live:
    """Everything a trigger names exists."""


@dataclass(frozen=True, kw_only=True)
class PartiallyDangling:
    """Some of it exists and these tools do not: a name has most likely changed."""

    tools: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MatchesNothing:
    """The trigger fires for nobody here: it was plausibly written for a stack the company does not run."""


Finding = Live | PartiallyDangling | MatchesNothing


def declared_surface(company: Company) -> Surface:
    """Every tool and server the company declares, with the tools the product serves itself."""
    tools = set(OWN_TOOLS).union(*(server.tools for server in company.servers))
    if any(seat.sandbox for seat in company.seats):
        tools.add(SANDBOX_TOOL)
    return Surface(tools=frozenset(tools), servers=frozenset(server.name for server in company.servers))


def seat_surface(company: Company, seat: Seat, *, servers: frozenset[str] | None = None) -> Surface:
    """What the company declares for one seat: the servers that reach it (or others in their place), their tools, and
    those of the product."""
    reached = seat.servers if servers is None else servers
    tools = set(OWN_TOOLS)
    for name in reached:
        server = company.server_by_name.get(name)
        tools.update(server.tools if server is not None else ())
    if seat.sandbox:
        tools.add(SANDBOX_TOOL)
    return Surface(tools=frozenset(tools), servers=reached)


def audit_trigger(skill: ToolSkill, declared: Surface) -> Finding:
    """What the declared surface makes of a skill's trigger."""
    named = tuple(leaves(skill.trigger))
    dangling = tuple(
        dict.fromkeys(leaf.name for leaf in named if isinstance(leaf, Tool) and leaf.name not in declared.tools)
    )
    lives = any(leaf.name in (declared.servers if isinstance(leaf, McpServer) else declared.tools) for leaf in named)
    if dangling and lives:
        return PartiallyDangling(tools=dangling)
    return Live() if matches(skill.trigger, declared) else MatchesNothing()


def unresolved_variables(skill: ToolSkill, variables: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Each variable a skill refers to that has no value, with the field it stands in: `(variable, field)`."""
    texts = (("summary", skill.summary), ("title", skill.title), ("body", skill.body))
    return tuple((name, field) for field, text in texts for name in missing_in(text, variables))
