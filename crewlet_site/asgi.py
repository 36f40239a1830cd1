"""The ASGI application a web process serves, with what runs beside the requests bound to its lifespan."""

import asyncio
import os
from typing import Any

import django

from crewlet_site.requests import Receive, Requests, Send

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crewlet_site.settings")

django.setup(set_prefix=False)
requests = Requests()

from crewlet_site import celery as celery  # noqa: E402, PLC0414  (writes ask the worker by it)
from crewlet_site import mcp  # noqa: E402  (it reads models, so the apps have to be there)

servers = mcp.Mount()


async def application(scope: Any, receive: Receive, send: Send) -> None:
    """Serves requests; starts and stops the process's own threads with the server."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif mcp.is_mounted(scope):
        await servers(scope, receive, send)
    else:
        await requests(scope, receive, send)


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
            readiness.when_all_are_up(servers.start)
        elif message["type"] == "lifespan.shutdown":
            await servers.stop()
            await asyncio.to_thread(process.stop)
            await send({"type": "lifespan.shutdown.complete"})
            return
