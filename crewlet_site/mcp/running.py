"""The servers as they run: the SDK's transports around them, and the streams of changes.

A client of protocol 2026-07-28 waits for changes with `subscriptions/listen`, an older one with a GET. Both are told of
the same changes, by the same bus.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
from django.conf import settings
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ServerEvent
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.message import SessionMessage
from mcp.shared.subscriptions import event_to_notification
from mcp_types import JSONRPCNotification
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from company.mcp.tools import Audience
from company.rules.document.text import MAX_BYTES
from crewlet_site.mcp import changes
from crewlet_site.mcp.servers import build

MAX_STREAMS = 1_000
"""How many clients one process lets wait for changes at once; the next one is told to come back."""
UNREAD_CHANGES = 16
"""So many changes wait for a client that does not read; more than these say nothing new."""


@dataclass
class Running:
    """Both servers, and every stream that is open."""

    managers: dict[Audience, StreamableHTTPSessionManager]
    listen: ListenHandler
    bus: InMemorySubscriptionBus
    _streams: set[anyio.CancelScope] = field(default_factory=set)

    async def answer(self, audience: Audience, scope: Any, receive: Any, send: Any) -> None:
        """Answer one admitted request."""
        if scope["method"] == "GET" and _is_of_a_handshake(scope):
            await self._stream(scope, receive, send)
        else:
            await self.managers[audience].asgi_app(scope, receive, send)

    def end_streams(self) -> None:
        """End every stream; their clients come back to whoever listens then."""
        self.listen.close()
        for stream in tuple(self._streams):
            stream.cancel()

    async def _stream(self, scope: Any, receive: Any, send: Any) -> None:
        """The standing GET of an older client: nothing is on it but notifications that a list has changed."""
        if len(self._streams) >= MAX_STREAMS:
            await send({"type": "http.response.start", "status": 503, "headers": [(b"retry-after", b"60")]})
            await send({"type": "http.response.body", "body": b""})
            return
        transport = StreamableHTTPServerTransport(mcp_session_id=None, is_json_response_enabled=True)
        post, heard = anyio.create_memory_object_stream[ServerEvent](UNREAD_CHANGES)

        def hear(event: ServerEvent) -> None:
            with suppress(anyio.WouldBlock):
                post.send_nowait(event)

        end = changes.listen(self.bus, hear)
        try:
            async with transport.connect() as (_, write), anyio.create_task_group() as tasks:
                self._streams.add(tasks.cancel_scope)

                async def tell() -> None:
                    async for event in heard:
                        said = event_to_notification(event, {})
                        message = JSONRPCNotification(jsonrpc="2.0", method=said.method)
                        await write.send(SessionMessage(message=message))

                tasks.start_soon(tell)
                try:
                    await transport.handle_request(scope, receive, send)
                finally:
                    self._streams.discard(tasks.cancel_scope)
                    tasks.cancel_scope.cancel()
        finally:
            end()
            post.close()
            heard.close()
            with anyio.CancelScope(shield=True):
                await transport.terminate()


def _is_of_a_handshake(scope: Any) -> bool:
    named = next((value for name, value in scope["headers"] if name == MCP_PROTOCOL_VERSION_HEADER.encode()), None)
    return named is None or named.decode("latin-1") in HANDSHAKE_PROTOCOL_VERSIONS


@asynccontextmanager
async def run() -> AsyncIterator[Running]:
    """The servers, for as long as the block lasts; entered and left by one task."""
    loop = asyncio.get_running_loop()
    bus = changes.bus_of(loop)
    listen = ListenHandler(bus, max_subscriptions=MAX_STREAMS)
    managers = {
        audience: StreamableHTTPSessionManager(
            build(audience, listen=listen),
            json_response=True,
            stateless=True,
            max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE or MAX_BYTES,
        )
        for audience in Audience
    }
    try:
        async with AsyncExitStack() as stack:
            for manager in managers.values():
                await stack.enter_async_context(manager.run())
            yield Running(managers=managers, listen=listen, bus=bus)
    finally:
        changes.forget(loop)
