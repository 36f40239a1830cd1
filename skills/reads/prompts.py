"""Reads of prompt skills: the list, and what a message brings in. From memory; no query."""

from __future__ import annotations

from dataclasses import dataclass

from company.rules.actors import Actor, Permission, Scope
from company.rules.permissions import require_app
from skills import registry
from skills.prompts.documents import ContributedTool
from skills.prompts.envelopes import message_of
from skills.registry import ServedPrompt


@dataclass(frozen=True, kw_only=True)
class Matched:
    """What a message brings in: the skills, the messages that carry them, and the tools they contribute."""

    skills: tuple[str, ...]
    messages: tuple[dict[str, str], ...]
    tools: tuple[ContributedTool, ...]


def list_prompt_skills(*, actor: Actor) -> tuple[ServedPrompt, ...]:
    """Every prompt skill that is served, by name."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    return tuple(registry.current().prompts.values())


def match_message(*, actor: Actor, text: str) -> Matched:
    """The prompt skills a message triggers, by name. A tool that two of them name alike is the first one's."""
    require_app(actor, Permission.KNOWLEDGE, Scope.READ)
    held = registry.current()
    skills = [held.prompts[name].skill for name in held.matcher.match(text)]
    messages = (message_of(name=skill.name, body=skill.body) for skill in skills)
    tools: dict[str, ContributedTool] = {}
    for skill in skills:
        for tool in skill.tools:
            tools.setdefault(tool.name, tool)
    return Matched(
        skills=tuple(skill.name for skill in skills),
        messages=tuple(message for message in messages if message is not None),
        tools=tuple(tools.values()),
    )
