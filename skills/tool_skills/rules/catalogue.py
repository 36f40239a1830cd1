"""The catalogue of a phase: the text a prompt carries so that its model knows which skills there are. Pure.

The same skills and variables make the same bytes, whatever order they come in: a prompt's prefix stays cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skills.tool_skills.rules.documents import Phase, ToolSkill, on_one_line
from skills.tool_skills.rules.triggers import Surface, matches
from skills.tool_skills.rules.variables import render

HEADING = "## Tool skills"
REVIEW_HEADING = "## Tool skills to weigh the work against"
ENFORCEMENT = (
    "Skills marked as required hold back the tools they are for until you have read them: "
    "call `load_tool_skill(key)` first, once per session."
)
REQUIRED_MARK = " (required — load before use)"


def surface_in(phase: Phase, surface: Surface) -> Surface:
    """The surface a phase is judged by: a review has no tools of its own, only the servers that reach the seat."""
    return Surface(servers=surface.servers) if phase is Phase.REVIEW else surface


def is_listed(skill: ToolSkill, *, phase: Phase, surface: Surface) -> bool:
    """Whether a phase's catalogue lists a skill."""
    return phase in skill.phases and matches(skill.trigger, surface_in(phase, surface))


def render_catalogue(skills: Iterable[ToolSkill], *, phase: Phase, variables: Mapping[str, str]) -> str:
    """The catalogue of skills that were found to match; empty where there are none."""
    listed = sorted(skills, key=lambda skill: skill.key)
    if not listed:
        return ""
    marks = phase is not Phase.REVIEW
    parts = [HEADING if marks else REVIEW_HEADING]
    if marks and any(skill.required for skill in listed):
        parts.append(ENFORCEMENT)
    parts.append(
        "\n".join(
            f"- {skill.key}{REQUIRED_MARK if marks and skill.required else ''}: "
            f"{on_one_line(render(skill.summary, variables))}"
            for skill in listed
        )
    )
    return "\n\n".join(parts)
