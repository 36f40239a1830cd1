"""The tools of a seat's turn: the catalogue, loading, the guard, activating a folder, what a message brings in.

The protocol has no session that lasts, so a session of skills is an argument: list_tool_skills opens one and names it.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field

from company.mcp.tools import AGENTS, Arguments, Caller, Said, Tool
from company.rules.actors import Scope
from skills.folders import Kind
from skills.reads.prompts import match_message
from skills.writes.activation import activate_skill
from skills.writes.sessions import check_gate, load_skill, open_session

Session = Annotated[str, Field(description="The session, as list_tool_skills named it: ses_….")]


class ListToolSkills(Arguments):
    """A session's surface."""

    phase: str = Field(description="execute, review or subagent.")
    tools: list[str] = Field(description="The names of all tools within reach, load_tool_skill among them.")
    servers: list[str] = Field(description="The names of the MCP servers within reach.")
    turn: str | None = Field(default=None, description="The turn's name; kept with what the session reads.")


class LoadToolSkill(Arguments):
    """Which skill."""

    key: str = Field(description="A key of the catalogue: mcp:github.")
    session: Session


class CheckTool(Arguments):
    """Which call."""

    tool: str = Field(description="The tool about to be called.")
    session: Session
    server: str | None = Field(
        default=None, description="The MCP server that serves it; found out where it is left out."
    )


class UseSkill(Arguments):
    """Which skill folder. What `arguments` may be is the skill's to say."""

    name: str = Field(description="The skill's name, as the library lists it.")
    session: Session
    arguments: Any = Field(
        default=None,
        description="A text for $ARGUMENTS and $1, or an object of texts for ${name}, as the skill declares.",
    )


class MatchPromptSkills(Arguments):
    """A message."""

    text: str = Field(description="The message as it came.")


def _list(caller: Caller, given: ListToolSkills) -> Said:
    view = open_session(
        actor=caller.actor,
        phase=given.phase,
        tools=given.tools,
        servers=given.servers,
        turn=given.turn if given.turn is not None else caller.occasion.turn_id or "",
    )
    guard = "armed" if view.unarmed is None else f"not armed ({view.unarmed.value})"
    head = f"session {view.id} · {view.phase.value} · guard {guard}"
    return Said(text=f"{head}\n\n{view.catalogue or 'No skill fits what is within reach.'}")


def _load(caller: Caller, given: LoadToolSkill) -> Said:
    skill = load_skill(actor=caller.actor, session_id=given.session, key=given.key)
    return Said(text=f"{skill.key} · loaded\n\n# {skill.title}\n\n{skill.body}")


def _check(caller: Caller, given: CheckTool) -> Said:
    answer = check_gate(actor=caller.actor, session_id=given.session, tool=given.tool, server=given.server)
    return Said(
        text=f"{given.tool} · allowed" if answer.allowed else answer.message,
        data={"allowed": answer.allowed, "message": answer.message, "missing": list(answer.missing)},
    )


def _use(caller: Caller, given: UseSkill) -> Said:
    params = {"name": given.name, **({"arguments": given.arguments} if "arguments" in given.model_fields_set else {})}
    answer = activate_skill(actor=caller.actor, session_id=given.session, params=params)
    return Said(text=answer.output, failed=answer.kind in (Kind.ERROR, Kind.NOT_FOUND))


def _match(caller: Caller, given: MatchPromptSkills) -> Said:
    found = match_message(actor=caller.actor, text=given.text)
    if not found.skills:
        return Said(text="No prompt skill is triggered.")
    tools = [
        f"Tool {tool.name}: {tool.description}\ncommand: {tool.command}\nschema: {json.dumps(tool.as_dict()['schema'])}"
        for tool in found.tools
    ]
    parts = [", ".join(found.skills), *(message["content"] for message in found.messages), *tools]
    return Said(text="\n\n".join(parts))


TOOLS = (
    Tool(
        name="list_tool_skills",
        title="Open a session of skills",
        description="Open a session for one message history and get its catalogue: the skills that teach the tools "
        "within reach, a line each. Skills marked required hold their tools back until you load them. "
        "Call it first in each new history, and keep the session's name for the other skill tools.",
        arguments=ListToolSkills,
        call=_list,
        audiences=AGENTS,
        scope=Scope.WRITE,
    ),
    Tool(
        name="load_tool_skill",
        title="Read a tool skill",
        description="Read a skill of the catalogue whole. From then on it holds nothing back in this session. An "
        "unknown key is refused with the keys there are.",
        arguments=LoadToolSkill,
        call=_load,
        audiences=AGENTS,
        scope=Scope.WRITE,
        repeatable=True,
    ),
    Tool(
        name="check_tool",
        title="Ask whether a tool may be called",
        description="Ask before a tool call. 'allowed' lets it go on; otherwise do not make the call, and load what "
        "the answer names.",
        arguments=CheckTool,
        call=_check,
        audiences=AGENTS,
        scope=Scope.WRITE,
        repeatable=True,
    ),
    Tool(
        name="skill",
        title="Activate a skill",
        description="Activate a skill of the library by its name and get its instructions. Once a session is enough; "
        "a second call says so.",
        arguments=UseSkill,
        call=_use,
        audiences=AGENTS,
        scope=Scope.WRITE,
        repeatable=True,
    ),
    Tool(
        name="match_prompt_skills",
        title="See what a message brings in",
        description="The prompt skills whose triggers a message contains, as text for this turn, and the tools they "
        "contribute.",
        arguments=MatchPromptSkills,
        call=_match,
        audiences=AGENTS,
        reads_only=True,
    ),
)
