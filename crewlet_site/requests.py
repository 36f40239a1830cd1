"""How a web process answers a request: the whole of it in one of a fixed number of threads, which stay.

Middleware and views here are written without `async`. Django's own handler makes a thread for each request and goes
between it and the event loop several times: before, during and after the view. Here the loop reads the request and
sends the answer, and what lies between is one call in a thread that has done this before.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import IO, Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.db import close_old_connections
from django.http import HttpResponseBase, StreamingHttpResponse
from django.urls import set_script_prefix

from company.streams import stepped

Scope = Mapping[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

THREADS = 16
"""Requests a process works on at once; more of them wait. Each may need a connection to the database, and the pool of
the settings has as many and a few for what runs beside the requests."""


class Requests(ASGIHandler):
    """The ASGI application for `http` scopes, with Django's middleware and views."""

    def __init__(self) -> None:
        super().__init__()
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="request")

    def close(self) -> None:
        """Let the threads end; what they are at, they finish."""
        self._threads.shutdown()

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware for calls from a thread, whatever is asked."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        with closing(body):
            answering = functools.partial(contextvars.copy_context().run, self._answer, scope, body)
            response = await asyncio.get_running_loop().run_in_executor(self._threads, answering)
            if response.streaming:
                await self._stream(response, receive, send)
            else:
                await self.send_response(response, send)

    def _answer(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """The response to a request. One that is whole is closed: all it needed of the thread is done."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        response = self.get_response(request) if request is not None else refusal
        if response is None:
            raise RuntimeError("Django answered neither a request nor a refusal.")
        if response.streaming:
            close_old_connections()  # what is sent by and by has a thread of its own, and this one goes on to others
        else:
            response.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Send a response a piece at a time, in a thread of its own, until it is done or nobody listens any more."""
        async with ThreadSensitiveContext():
            if isinstance(response, StreamingHttpResponse) and not response.is_async:  # as static files are
                response.streaming_content = stepped(iter(response))
            sending = asyncio.ensure_future(self.send_response(response, send))
            leaving = asyncio.ensure_future(self.listen_for_disconnect(receive))
            try:
                await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                leaving.cancel()
                sending.cancel()
                done = await asyncio.gather(sending, leaving, return_exceptions=True)
                await sync_to_async(response.close)()
            if isinstance(done[0], Exception):
                raise done[0]
