"""The way in to the MCP servers: host and origin, limits of rate, the token; and answers on their way out.

Stateless: a request carries all there is to know, so any web process answers any of them. The one thing that lasts is
a stream of changes, and that is bound to its connection.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import OperationalError
from django.http.request import split_domain_port, validate_host
from django.utils.datastructures import CaseInsensitiveMapping

from company.api.errors import database_away, envelope_of, headers_of
from company.api.occasions import occasion_in
from company.api.rates import count_address, count_token, headers_of_rate, refused_by
from company.mcp.tools import Audience, Caller, audience_of
from company.reads.actors import actor_of_secret
from company.rules.actors import Actor, Door
from company.rules.rates import Rate
from company.rules.refusals import Code, Refused
from company.writes.credentials import note_token_use
from crewlet_site.mcp.threads import in_thread
from crewlet_site.requests import Message, Receive, Scope, Send
from knowledge.addresses import base_urls_of

if TYPE_CHECKING:
    from crewlet_site.mcp.running import Running

PATHS = {"/agent/mcp": Audience.AGENTS, "/operator/mcp": Audience.OPERATORS}
CHALLENGE = 'Bearer realm="crewlet"'
UNAUTHORIZED = 401
CALLER = "crewlet.caller"
"""Where the caller is left in the scope of a request."""
KEPT_TO_ITSELF = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

log = structlog.get_logger(__name__)


def is_mounted(scope: Scope) -> bool:
    """Whether a request is for one of the servers."""
    return scope["type"] == "http" and _path(scope) in PATHS


def _path(scope: Scope) -> str:
    return str(scope["path"]).rstrip("/")


class Mount:
    """Both servers of one event loop. Started ahead of the first request or by it; ended by `stop`."""

    def __init__(self) -> None:
        self._life: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Running] | None = None
        self._ending = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        audience = PATHS[_path(scope)]
        try:
            admitted = await in_thread(_admit, scope, audience)
        except Refused as refused:
            await _refuse(send, refused)
            return
        except OperationalError:
            await _refuse(send, database_away())
            return
        running = await self.start()
        scope = {**scope, CALLER: admitted.caller}
        await running.answer(audience, scope, receive, _Finished(send, admitted.rate))

    def start(self) -> asyncio.Future[Running]:
        """The servers, once they run. Loading the SDK takes a second, and is done beside the event loop."""
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(self._ready))
        return asyncio.shield(self._ready)

    async def stop(self) -> None:
        """End the streams, then the servers."""
        self._ending.set()
        if self._life is not None:
            await self._life

    def end_streams(self) -> None:
        """Let every client that waits for changes go; for whoever is about to stop listening."""
        if self._ready is not None and self._ready.done() and self._ready.exception() is None:
            self._ready.result().end_streams()

    async def _live(self, ready: asyncio.Future[Running]) -> None:
        try:
            module = await asyncio.to_thread(importlib.import_module, "crewlet_site.mcp.running")
            async with module.run() as running:
                ready.set_result(running)
                await self._ending.wait()
                running.end_streams()
        except Exception as error:
            log.exception("mcp_failed")
            if not ready.done():
                ready.set_exception(error)


@dataclass(frozen=True, kw_only=True)
class _Admitted:
    caller: Caller
    rate: Rate | None


def _admit(scope: Scope, audience: Audience) -> _Admitted:
    """Who asks, and where they stand; raises `invalid` for a host, `forbidden` for an origin or a token of the other
    kind, `not_authenticated`, `token_expired`, `rate_limited`."""
    headers = _headers(scope)
    host = headers.get("host", "")
    _check_place(host=host, origin=headers.get("origin"))
    words = headers.get("authorization", "").split()
    address = (scope.get("client") or (None,))[0]
    if len(words) != 2 or words[0].lower() != "bearer":
        _counted(count_address(address) if settings.RATE_LIMITS else None)
        raise Refused(Code.NOT_AUTHENTICATED, "Send 'Authorization: Bearer <token>'.")
    rate = _counted(count_token(words[1]) if settings.RATE_LIMITS else None)
    try:
        actor, token = actor_of_secret(words[1], door=Door.MCP)
    except Refused:
        _counted(count_address(address) if settings.RATE_LIMITS else None)  # guessing is as slow as asking without one
        raise
    note_token_use(token)
    _check_audience(actor, audience)
    origin = f"{scope.get('scheme', 'http')}://{host}"
    return _Admitted(
        caller=Caller(actor=actor, occasion=occasion_in(CaseInsensitiveMapping(headers)), origins=base_urls_of(origin)),
        rate=rate,
    )


def _check_place(*, host: str, origin: str | None) -> None:
    """Refuse a host this site does not answer to, and a web page of another one: a browser was led here by its name."""
    domain, _ = split_domain_port(host)
    if not validate_host(domain, settings.ALLOWED_HOSTS):
        raise Refused(
            Code.INVALID, "This site does not answer to this host. An operator names hosts in CREWLET_ALLOWED_HOSTS."
        )
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        raise Refused(Code.FORBIDDEN, "Web pages of another site may not call this server.")


def _check_audience(actor: Actor, audience: Audience) -> None:
    if audience_of(actor) is audience:
        return
    whose, other = ("seats", "/operator/mcp") if audience is Audience.AGENTS else ("people and services", "/agent/mcp")
    raise Refused(Code.FORBIDDEN, f"This server takes tokens of {whose}. Yours belongs at {other}.")


def _counted(rate: Rate | None) -> Rate | None:
    if rate is not None and rate.exceeded:
        raise refused_by(rate)
    return rate


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


async def _refuse(send: Send, refused: Refused) -> None:
    body = json.dumps(envelope_of(refused), ensure_ascii=False).encode()
    headers = {
        **headers_of(refused),
        **({"WWW-Authenticate": CHALLENGE} if refused.status == UNAUTHORIZED else {}),
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        **KEPT_TO_ITSELF,
    }
    encoded = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


class _Finished:
    """Sends an answer on, with the headers every door has, and its text as UTF-8.

    The SDK writes letters beyond ASCII as escapes, which makes three bytes of one and six of two: a page in Greek or
    Chinese would cost its reader several times its size.
    """

    def __init__(self, send: Send, rate: Rate | None) -> None:
        self._send = send
        self._added = [
            (name.lower().encode(), value.encode())
            for name, value in {**(headers_of_rate(rate) if rate is not None else {}), **KEPT_TO_ITSELF}.items()
        ]
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        """Send one message of an answer, or hold its beginning until the body is there."""
        if message["type"] == "http.response.start":
            names = {name for name, _ in self._added}
            kept = [(name, value) for name, value in message["headers"] if name.lower() not in names]
            message = {**message, "headers": [*kept, *self._added]}
            if dict(kept).get(b"content-type", b"").startswith(b"application/json"):
                self._start = message
                return
        elif self._start is not None:
            message = self._whole(message)
            await self._send(self._start)
            self._start = None
        await self._send(message)

    def _whole(self, message: Message) -> Message:
        """A body that comes in one piece, written shorter; its length goes into the beginning that is held."""
        if message.get("more_body") or b"\\u" not in message.get("body", b"") or self._start is None:
            return message
        try:
            body = json.dumps(json.loads(message["body"]), ensure_ascii=False, separators=(",", ":")).encode()
        except (ValueError, UnicodeEncodeError):  # half of a character pair has no UTF-8
            return message
        kept = [(name, value) for name, value in self._start["headers"] if name.lower() != b"content-length"]
        self._start = {**self._start, "headers": [*kept, (b"content-length", str(len(body)).encode())]}
        return {**message, "body": body}
