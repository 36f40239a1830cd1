"""The catalogue of a phase: the text a prompt carries so that its model knows which skills there are. Pure.

The same skills, variables and limit make the same bytes, whatever order they come in: a prompt's prefix stays cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from skills.budget import Catalogue, Entry, Form, compose
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
    """The catalogue of skills that were found to match, whatever it weighs; empty where there are none."""
    return compose_catalogue(skills, phase=phase, variables=variables).text


def previews_of(skill: ToolSkill, *, variables: Mapping[str, str]) -> tuple[tuple[Phase, str], ...]:
    """The catalogue of each of its phases if a skill stood there alone."""
    return tuple((phase, render_catalogue([skill], phase=phase, variables=variables)) for phase in skill.phases)


def compose_catalogue(
    skills: Iterable[ToolSkill], *, phase: Phase, variables: Mapping[str, str], limit: int = 0
) -> Catalogue:
    """The catalogue of skills that were found to match, cut to a limit in bytes; 0 is no limit.

    What holds tools back is never left out: a model would run into blocks it was never told of. A review has none.
    """
    marks = phase is not Phase.REVIEW
    entries = [
        Entry(name=skill.key, summary=on_one_line(render(skill.summary, variables)), kept=marks and skill.required)
        for skill in sorted(skills, key=lambda skill: skill.key)
    ]
    heading = HEADING if marks else REVIEW_HEADING
    return compose(entries, limit=limit, form=Form(line=_line, text=partial(_written, heading)))


def _written(heading: str, lines: Sequence[str], entries: Sequence[Entry], left_out: int) -> str:
    if not entries:
        return ""
    parts = [heading]
    if any(entry.kept for entry in entries):
        parts.append(ENFORCEMENT)
    parts.append("\n".join(lines))
    if left_out:
        parts.append(f"Left out for want of room: {left_out} more.")
    return "\n\n".join(parts)


def _line(entry: Entry) -> str:
    head = f"- {entry.name}{REQUIRED_MARK if entry.kept else ''}"
    return f"{head}: {entry.summary}" if entry.summary else head
