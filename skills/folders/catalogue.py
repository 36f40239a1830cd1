"""The catalogue: what a model is shown of the skills it may activate, and why others are missing.

It never carries a body. A skill is listed exactly when a call for it would not be refused before a hook is asked.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from skills import budget
from skills.budget import Catalogue, Entry, Form
from skills.folders.activation import failure_of_broken, obstacle
from skills.folders.codes import ErrorCode
from skills.folders.permission import Policy
from skills.folders.registry import Discovery, SkillEntry, SkillRegistry

TOOL_DESCRIPTION = """\
Activates an installed skill by name: its instructions come into the conversation for the rest of the session. A skill
is a folder with a SKILL.md and, beside it, scripts, references and assets.

When: the request fits the description of a skill in the catalogue. Where two fit, take the one whose description fits
most exactly.
Twice: a second call for the same skill adds nothing and answers `already_loaded`; the instructions are still there.
Arguments: a string for skills that use $ARGUMENTS or $1, an object for skills that declare named arguments, and none
where the skill needs none.
Permission: every activation asks the session's permission hook. `allowed-tools` in a skill says what it expects to
need and approves nothing: each tool call is judged by itself.
"""


@dataclass(frozen=True, kw_only=True)
class Explained:
    """Why one skill is in the catalogue or not. `code` is what activating it would answer, None for one that is in."""

    name: str
    included: bool
    code: ErrorCode | None
    reason: str


def listed(
    discovery: Discovery, *, registry: SkillRegistry, policy: Policy, user_initiated: bool = False
) -> tuple[SkillEntry, ...]:
    """The skills a session may activate, sorted by name."""
    return tuple(
        entry
        for entry in discovery.entries
        if obstacle(entry, registry=registry, policy=policy, user_initiated=user_initiated) is None
    )


def explain(discovery: Discovery, *, registry: SkillRegistry, policy: Policy) -> tuple[Explained, ...]:
    """One line for every skill that was found, used or not, sorted by name."""
    lines: list[Explained] = []
    for entry in discovery.entries:
        refused = obstacle(entry, registry=registry, policy=policy)
        reason = refused.message if refused else f"served from {entry.dir}"
        if entry.shadowed and not refused:
            reason += f", before {', '.join(entry.shadowed)}"
        code = refused.code if refused else None
        lines.append(Explained(name=entry.name, included=refused is None, code=code, reason=reason))
    for broken in discovery.broken:
        message = failure_of_broken(broken.name, broken).message
        lines.append(Explained(name=broken.name, included=False, code=broken.code, reason=message))
    return tuple(sorted(lines, key=lambda line: (line.name, not line.included)))


def render(entries: Sequence[SkillEntry]) -> str:
    """The catalogue as the model reads it, whatever it weighs; empty where there is no skill."""
    return compose(entries).text


def compose(entries: Sequence[SkillEntry], *, limit: int = 0) -> Catalogue:
    """The catalogue cut to a limit in bytes; 0 is no limit. Names and descriptions cannot leave their tags."""
    whole = [Entry(entry.name, entry.skill.line) for entry in entries]
    return budget.compose(whole, limit=limit, form=Form(line=_line, text=_written))


def _written(lines: Sequence[str], entries: Sequence[Entry], left_out: int) -> str:
    if not entries:
        return ""
    more = [f"<left_out>{left_out} more, for want of room</left_out>"] if left_out else []
    return "\n".join(["<available_skills>", *lines, *more, "</available_skills>"])


def _line(entry: Entry) -> str:
    told = f"<description>{html.escape(entry.summary, quote=False)}</description>" if entry.summary else ""
    return f"<skill><name>{entry.name}</name>{told}</skill>"
