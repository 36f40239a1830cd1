"""The two servers in the protocol's words: tools, prompts, resources and the Skills extension, over the apps' own.

A refusal of a tool is an answer the model can act on (`isError`, its code first); a refusal of anything else is the
protocol's own error, with the same envelope as its data.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, TypeVar

import mcp_types as types
import structlog
from django.db import OperationalError
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from company.api.errors import database_away, envelope_of
from company.mcp import documents
from company.mcp.tools import Audience, Caller, Said, Tool, in_words
from company.rules.refusals import Refused
from crewlet_site.mcp.mount import CALLER
from crewlet_site.mcp.threads import in_thread
from knowledge import mcp as knowledge_tools
from skills import mcp as skill_tools
from skills.mcp import library
from tracker import mcp as tracker_tools

TOOLS: tuple[Tool, ...] = (
    *knowledge_tools.TOOLS,
    *skill_tools.TOOLS,
    *tracker_tools.TOOLS,
    *documents.TOOLS,
)
SKILLS_EXTENSION = "io.modelcontextprotocol/skills"

_SEAT_HOW_TO = (
    "You work in a company that writes things down. Search with search_knowledge before you write. In each new "
    "message history call list_tool_skills once with the tools within reach: it names a session, and skills marked "
    "required hold their tools back until load_tool_skill has read them. The first line of a page names its id, "
    "address and version; save_page wants that version. A refusal begins with its code and says what to do."
)
_OPERATOR_HOW_TO = (
    "You act for a person or a service in the company's knowledge base: pages, skills, and for administrators the "
    "company document. The first line of a page names its id, address and version; save_page wants that version. A "
    "refusal begins with its code and says what to do."
)

log = structlog.get_logger(__name__)
Answer = TypeVar("Answer")


class ListSkillsParams(types.PaginatedRequestParams):
    """Parameters of `skills/list`."""


class GetSkillParams(types.RequestParams):
    """Parameters of `skills/get`."""

    uri: str


class Lists(Server[Any]):
    """A server that says, also to clients that shake hands first, that its lists change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """As the SDK makes them, with every `listChanged`."""
        changing = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        return super().create_initialization_options(
            notification_options or changing, experimental_capabilities, extensions
        )


def build(audience: Audience, *, listen: ListenHandler) -> Server[Any]:
    """The server for an audience. `listen` holds the streams of clients that wait for changes."""
    at = _At(audience)
    server = Lists(
        f"crewlet-{audience.value}",
        title="Crewlet" if audience is Audience.AGENTS else "Crewlet for operators",
        version="1",
        instructions=_SEAT_HOW_TO if audience is Audience.AGENTS else _OPERATOR_HOW_TO,
        on_list_tools=at.list_tools,
        on_call_tool=at.call_tool,
        on_list_prompts=at.list_prompts,
        on_get_prompt=at.get_prompt,
        on_list_resources=at.list_resources,
        on_list_resource_templates=at.list_templates,
        on_read_resource=at.read_resource,
        on_subscriptions_listen=listen,
        get_tool_input_schema=at.schema_of,
    )
    server.add_request_handler("skills/list", ListSkillsParams, at.list_skills)
    server.add_request_handler("skills/get", GetSkillParams, at.get_skill)
    server.extensions[SKILLS_EXTENSION] = {}
    return server


class _At:
    """The handlers of one server."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience
        self._tools = {tool.name: tool for tool in TOOLS if audience in tool.audiences}
        self._listed = {name: _shown(tool) for name, tool in self._tools.items()}

    def schema_of(self, name: str) -> dict[str, Any] | None:
        """The arguments of a tool, for the SDK's own checks of headers."""
        tool = self._tools.get(name)
        return tool.schema if tool is not None else None

    async def list_tools(self, ctx: Any, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """The tools the token may use, all at once."""
        caller = _caller(ctx)
        shown = [self._listed[name] for name, tool in self._tools.items() if tool.is_for(caller.actor, self._audience)]
        return types.ListToolsResult(tools=shown)

    async def call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """A tool's answer; a refusal is one, too."""
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool '{params.name}' here. List the tools to see which are.")
        caller = _caller(ctx)
        try:
            said = await in_thread(tool.run, caller, params.arguments or {})
        except Refused as refused:
            return _refusal(refused)
        except OperationalError:
            return _refusal(database_away())
        except Exception as error:
            log.exception("tool_failed", tool=params.name)
            raise MCPError(INTERNAL_ERROR, f"{params.name} failed. It was logged; trying again may help.") from error
        return _result(said)

    @staticmethod
    async def list_prompts(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """The skills people may activate."""
        found = await _asked(library.list_prompts, actor=_caller(ctx).actor, cursor=_cursor(params))
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    description=prompt.description,
                    arguments=[
                        types.PromptArgument(name=each.name, description=each.description, required=each.required)
                        for each in prompt.arguments
                    ],
                )
                for prompt in found.results
            ],
            next_cursor=found.after,
        )

    @staticmethod
    async def get_prompt(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """A skill's text as a message of the person."""
        answer = await _asked(
            library.get_prompt, actor=_caller(ctx).actor, name=params.name, arguments=params.arguments
        )
        content = types.TextContent(type="text", text=answer.output)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    @staticmethod
    async def list_resources(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """The SKILL.md of every skill; the other files are found by the template."""
        found = await _asked(library.list_documents, actor=_caller(ctx).actor, cursor=_cursor(params))
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=library.uri_of(skill.name),
                    name=skill.name,
                    description=skill.description,
                    mime_type=library.TEXT,
                )
                for skill in found.results
            ],
            next_cursor=found.after,
        )

    @staticmethod
    async def list_templates(_ctx: Any, _: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        """How the address of a skill's file is made."""
        template = types.ResourceTemplate(
            uri_template="skill://{name}/{+path}",
            name="skill file",
            description="A file of a skill by its path in the folder; _manifest lists them with their digests.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    @staticmethod
    async def read_resource(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """One file, to the byte: as text where it is text, else in base64."""
        file = await _asked(library.read_file, actor=_caller(ctx).actor, uri=str(params.uri))
        return types.ReadResourceResult(contents=[_contents(file)])

    @staticmethod
    async def list_skills(ctx: Any, params: ListSkillsParams) -> dict[str, Any]:
        """`skills/list`: front matter verbatim, every file with its digest."""
        found = await _asked(library.list_entries, actor=_caller(ctx).actor, cursor=_cursor(params))
        return {"skills": list(found.results), **({"nextCursor": found.after} if found.after else {})}

    @staticmethod
    async def get_skill(ctx: Any, params: GetSkillParams) -> dict[str, Any]:
        """`skills/get`: one entry by the address of its SKILL.md."""
        return {"skill": await _asked(library.get_entry, actor=_caller(ctx).actor, uri=params.uri)}


def _cursor(params: types.PaginatedRequestParams | None) -> str | None:
    return params.cursor if params is not None else None


def _caller(ctx: Any) -> Caller:
    caller = ctx.request.scope[CALLER]
    if not isinstance(caller, Caller):
        raise TypeError("a request reaches the servers through the mount alone")
    return caller


async def _asked(call: Callable[..., Answer], *args: Any, **named: Any) -> Answer:
    """What a read answers, its refusals in the protocol's words."""
    try:
        return await in_thread(call, *args, **named)
    except Refused as refused:
        raise MCPError(INVALID_PARAMS, in_words(refused), data=envelope_of(refused)) from refused
    except OperationalError as error:
        away = database_away()
        raise MCPError(INTERNAL_ERROR, in_words(away), data=envelope_of(away)) from error


def _shown(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads_only,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.reads_only or tool.repeatable,
            open_world_hint=False,
        ),
    )


def _result(said: Said) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=said.text)],
        structured_content=dict(said.data) if said.data is not None else None,
        is_error=said.failed,
    )


def _refusal(refused: Refused) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=in_words(refused))],
        structured_content=envelope_of(refused),
        is_error=True,
    )


def _contents(file: library.SkillFile) -> types.TextResourceContents | types.BlobResourceContents:
    if file.media_type.startswith("text/") or file.media_type == "application/json":
        try:
            text = file.data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            return types.TextResourceContents(uri=file.uri, mime_type=file.media_type, text=text)
    blob = base64.b64encode(file.data).decode("ascii")
    return types.BlobResourceContents(uri=file.uri, mime_type=file.media_type, blob=blob)
