"""The guard: whether a tool may be called in a session before the skills that cover it have been read. Pure.

Owns the tools that are never held back, when the guard is armed, and the message of a block. A wrong trigger can
cost a phase some tools; it can never cost the phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from skills.tool_skills.rules.documents import Phase, ToolSkill, on_one_line
from skills.tool_skills.rules.variables import render

LOADER = "load_tool_skill"

NEVER_GATED = frozenset(
    {LOADER, "activate_tool", "list_mcp_server_tools", "submit_work", "submit_review", "mark_onboarded"}
)
"""Plumbing: without these a session could not unlock, discover or finish (requirement GU-02)."""


class Unarmed(StrEnum):
    """Why a session's guard holds nothing back."""

    NO_LOADER = "no_loader"
    REVIEW = "review"


@dataclass(frozen=True, kw_only=True)
class Missing:
    """A required skill that covers a call and has not been read in the session."""

    key: str
    page_id: int
    summary: str


def unarmed_because(*, phase: Phase, tools: Iterable[str]) -> Unarmed | None:
    """Why the guard of a session is not armed, or None where it is.

    A review calls no tools of its own. Without the loader nothing could ever be unlocked.
    """
    if phase is Phase.REVIEW:
        return Unarmed.REVIEW
    return None if LOADER in tools else Unarmed.NO_LOADER


def covers_call(skill: ToolSkill, *, tool: str, servers: Iterable[str]) -> bool:
    """Whether a skill covers a call of `tool` served by one of `servers`."""
    return tool in skill.covers.tools or any(server in skill.covers.servers for server in servers)


def servers_of_call(
    *, tool: str, server: str | None, declared: Mapping[str, tuple[str, ...]], reached: frozenset[str]
) -> tuple[str, ...]:
    """The servers a call may go to.

    The one that is named; else the one declared server that lists the tool. Where several list it, those that reach
    the session stand for it, since any of them may serve the call.
    """
    if server is not None:
        return (server,)
    listing = declared.get(tool, ())
    return tuple(name for name in listing if name in reached) or listing


def block_message(tool: str, missing: Iterable[Missing], variables: Mapping[str, str]) -> str:
    """What a model is told when a call is held back, keys sorted."""
    in_order = sorted(missing, key=lambda one: one.key)
    several = len(in_order) > 1
    subject = "required tool skills you" if several else "a required tool skill you"
    listed = "\n".join(f"- '{one.key}': {on_one_line(render(one.summary, variables))}" for one in in_order)
    calls = " and ".join(f"`{LOADER}(key='{one.key}')`" for one in in_order)
    return (
        f"Tool '{tool}' is gated behind {subject}\n"
        "have not loaded in this session:\n"
        f"{listed}\n"
        "\n"
        f"Call {calls} to read the required\n"
        f"practice(s), then retry '{tool}'. Loading is needed once\n"
        "per session; after that the tool works normally."
    )
