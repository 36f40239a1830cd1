"""The ASGI application a web process serves, with what runs beside the requests bound to its lifespan."""

import asyncio
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crewlet_site.settings")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Requests(ASGIHandler):
    """Django's handler with the middleware and the view of a request in one thread.

    Middleware and views here are written without `async`. Taken as Django does it, a request would go from the event
    loop to its thread, back, and to the thread once more.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware for calls from a thread, whatever is asked."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response to a request, made in the request's thread."""
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)


django.setup(set_prefix=False)
requests = Requests()


async def application(scope: Any, receive: Receive, send: Send) -> None:
    """Serves requests; starts and stops the process's own threads with the server."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    else:
        await requests(scope, receive, send)  # type: ignore[arg-type]


async def _live(receive: Receive, send: Send) -> None:
    from django.conf import settings

    from crewlet_site import readiness
    from crewlet_site.process import Process

    process = Process()
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await asyncio.to_thread(readiness.wait_for_go)
            await asyncio.to_thread(process.start, settings.PROCESS)
            await send({"type": "lifespan.startup.complete"})
            readiness.tell()
        elif message["type"] == "lifespan.shutdown":
            await asyncio.to_thread(process.stop)
            await send({"type": "lifespan.shutdown.complete"})
            return
