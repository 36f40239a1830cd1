"""The MCP servers as an assistant sees them: the official client over a real socket."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import tomllib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from crewlet_site.asgi import application
from tests.deployments import until

DOCUMENT = Path(__file__).parents[2] / "docs/mcp.md"
AGENT, OPERATOR = "/agent/mcp", "/operator/mcp"


@dataclass(frozen=True, kw_only=True)
class Configured:
    """Where a configuration of the document sends a client, and with which header."""

    path: str
    header: str

    @classmethod
    def of_claude(cls) -> Configured:
        """The snippet for `.mcp.json`."""
        server = json.loads(_fence("json"))["mcpServers"]["crewlet"]
        assert server["type"] == "http"
        return cls(path=_path(server["url"]), header=server["headers"]["Authorization"])

    @classmethod
    def of_codex(cls) -> Configured:
        """The snippet for `config.toml`."""
        server = tomllib.loads(_fence("toml"))["mcp_servers"]["crewlet"]
        return cls(path=_path(server["url"]), header=f"Bearer ${{{server['bearer_token_env_var']}}}")

    def with_token(self, secret: str) -> str:
        """The header once the variable has its value."""
        return self.header.replace("${CREWLET_TOKEN}", secret)


def _fence(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def _path(url: str) -> str:
    return url.removeprefix("http://127.0.0.1:8000")


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a tool said."""

    text: str
    data: Any
    failed: bool

    @property
    def code(self) -> str:
        """The code of a refusal."""
        assert self.failed, self.text
        code: str = self.data["errors"][0]["code"]
        assert self.text.startswith(f"{code}: ")
        return code


class Assistant:
    """A connected client; a call that is refused is an answer like any other."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self.client = client
        self._portal = portal

    def ask(self, method: Any, /, *args: Any, **named: Any) -> Any:
        """What a method of the client answers."""

        async def run() -> Any:
            return await method(*args, **named)

        return self._portal.call(run)

    def tools(self) -> set[str]:
        """The names of the tools that are listed."""
        return {tool.name for tool in self.ask(self.client.list_tools).tools}

    def call(self, tool: str, /, **arguments: Any) -> Said:
        """One call of a tool."""
        result = self.ask(self.client.call_tool, tool, arguments)
        assert isinstance(result, types.CallToolResult)
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        return Said(text=content.text, data=result.structured_content, failed=result.is_error)

    def said(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call that succeeds."""
        said = self.call(tool, **arguments)
        assert not said.failed, said.text
        return said.text

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """The code of a call that is refused."""
        return self.call(tool, **arguments).code


class Site:
    """A server of the ASGI application in this process, on a port of its own."""

    def __init__(self, url: str) -> None:
        self.url = url

    @contextmanager
    def assistant(
        self, secret: str, path: str = AGENT, *, header: str | None = None, mode: Any = "auto", **headers: str
    ) -> Iterator[Assistant]:
        """A client with a token, connected for as long as the block lasts."""
        sent = {"Authorization": header or f"Bearer {secret}", **headers}

        @asynccontextmanager
        async def connected() -> AsyncIterator[Client]:
            async with httpx2.AsyncClient(headers=sent, timeout=60) as http:
                transport = streamable_http_client(f"{self.url}{path}", http_client=http)
                async with Client(transport, mode=mode) as client:
                    yield client

        with start_blocking_portal() as portal, portal.wrap_async_context_manager(connected()) as client:
            yield Assistant(client, portal)

    def post(self, path: str, body: Mapping[str, Any] | str, **headers: str) -> httpx2.Response:
        """One bare request, as a client would write it by hand."""
        text = body if isinstance(body, str) else json.dumps(body)
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx2.post(f"{self.url}{path}", content=text, headers=sent, timeout=60)


@contextmanager
def served() -> Iterator[Site]:
    """The application served by uvicorn in a thread."""
    server = uvicorn.Server(uvicorn.Config(application, port=0, lifespan="off", log_config=None, access_log=False))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    try:
        until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Site(f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join(20)


LIST_TOOLS: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
