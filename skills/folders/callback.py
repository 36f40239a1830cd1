"""A permission hook that is asked over HTTP: one POST an activation, and anything but a clear yes is a no.

The address is the operator's, so it may be on this machine or in this network. What is refused is what no hook is: a
redirect, an address of the link-local range (where clouds keep credentials), a proxy from the environment, an answer
that is late or long.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import socket
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from skills.folders.permission import Decision, HookRequest

SIGNATURE = "X-Crewlet-Signature"
"""`sha256=` and the HMAC-SHA256 of the body under the hook's secret, in hexadecimal."""
SECONDS = 5.0
"""A turn waits for the answer."""
LONGEST_ANSWER = 4_096


class HookUnreachableError(RuntimeError):
    """The hook gave no answer that could be understood. The skill is not activated."""


@dataclass(frozen=True, kw_only=True)
class HttpHook:
    """Asks `url`. The answer is one word of `Decision`: as text, as a JSON string, or as `{"decision": …}`."""

    url: str
    secret: str = field(default="", repr=False)
    seconds: float = SECONDS

    def __call__(self, request: HookRequest, /) -> Decision:
        """The hook's word. Raises `HookUnreachableError` where there is none."""
        host = urlsplit(self.url).hostname
        if urlsplit(self.url).scheme not in ("http", "https") or not host:
            raise HookUnreachableError("its address is no web address")
        _require_ordinary(host)
        body = json.dumps(request.as_dict(), ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/plain"}
        if self.secret:
            headers[SIGNATURE] = f"sha256={hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()}"
        return _decision_in(self._ask(body, headers))

    def _ask(self, body: bytes, headers: dict[str, str]) -> bytes:
        until = time.monotonic() + self.seconds
        content = bytearray()
        try:
            with (
                httpx.Client(trust_env=False, follow_redirects=False, timeout=self.seconds) as client,
                client.stream("POST", self.url, content=body, headers=headers) as answer,
            ):
                if not answer.is_success:
                    raise HookUnreachableError(f"it answered with status {answer.status_code}")
                for part in answer.iter_bytes():
                    content += part
                    if len(content) > LONGEST_ANSWER:
                        raise HookUnreachableError(f"its answer is longer than {LONGEST_ANSWER} bytes")
                    if time.monotonic() > until:
                        raise HookUnreachableError(f"it took longer than {self.seconds:g} seconds")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HookUnreachableError(f"{type(error).__name__}: {error}") from error
        return bytes(content)


def _require_ordinary(host: str) -> None:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise HookUnreachableError(f"its host has no address: {error}") from error
    for *_, address in found:
        ip = ipaddress.ip_address(str(address[0]).partition("%")[0])
        ip = ip.ipv4_mapped or ip if isinstance(ip, ipaddress.IPv6Address) else ip
        if ip.is_link_local or ip.is_multicast or ip.is_unspecified:
            raise HookUnreachableError(f"its address {ip} is none a hook can have")


def _decision_in(content: bytes) -> Decision:
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        said = content.decode("utf-8", "replace").strip()
    if isinstance(said, dict):
        said = said.get("decision")
    try:
        return Decision(said)
    except ValueError as error:
        raise HookUnreachableError("its answer is no decision") from error
