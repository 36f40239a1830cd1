"""Sends requests to a server from a process of its own: `wrk` where it is installed, else a small client of ours.

wrk is a C program that costs little of the machine it shares with the server. Ours is Python and costs more, so its
figures are lower; the report names the one that was used.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from bench.figures import Timing

_WRK_SCRIPT = """
wrk.method = {method}
wrk.body = {body}
{headers}
function done(summary, latency, requests)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read
               + summary.errors.write + summary.errors.timeout
  io.write(string.format('FIGURES {{"requests": %d, "seconds": %f, "failed": %d, "p50_us": %f, "p99_us": %f}}\\n',
    summary.requests, summary.duration / 1e6, failed, latency:percentile(50), latency:percentile(99)))
end
"""


class LoadFailed(Exception):
    """The server did not answer every request with a success, so there is no figure."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request, sent again and again. `expect` is text that a right answer holds."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    expect: str = ""


def generator() -> str:
    """Which load generator this machine has."""
    return "wrk" if shutil.which("wrk") else "bench.client (asyncio and httpx)"


def send(call: Call, *, concurrency: int, seconds: float) -> Timing:
    """Send `call` over `concurrency` connections for some seconds; raises LoadFailed when any answer is not right."""
    _look(call)
    command = _wrk if shutil.which("wrk") else _ours
    figures = command(call, concurrency, seconds)
    if figures["failed"] or not figures["requests"]:
        raise LoadFailed(
            f"{call.method} {call.url}: {figures['failed']:.0f} of {figures['requests']:.0f} requests failed"
        )
    return Timing(
        p50_ms=figures["p50_us"] / 1000,
        p99_ms=figures["p99_us"] / 1000,
        samples=int(figures["requests"]),
        per_second=figures["requests"] / figures["seconds"],
    )


def _look(call: Call) -> None:
    """Ask once and read the answer: a redirect to a sign-in page is fast, and no figure."""
    answer = httpx.request(call.method, call.url, headers=dict(call.headers), content=call.body or None, timeout=30)
    if not answer.is_success or call.expect not in answer.text:
        raise LoadFailed(f"{call.method} {call.url} answered {answer.status_code}, not what was asked for")


def _wrk(call: Call, concurrency: int, seconds: float) -> dict[str, float]:
    headers = "\n".join(f"wrk.headers[{_lua(name)}] = {_lua(value)}" for name, value in call.headers.items())
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "call.lua"
        script.write_text(
            _WRK_SCRIPT.format(method=_lua(call.method), body=_lua(call.body) if call.body else "nil", headers=headers)
        )
        command = ["wrk", "--threads", "1", "--connections", str(concurrency), "--duration", f"{seconds:.0f}s",
                   "--timeout", "30s", "--script", str(script), call.url]  # fmt: skip
        return _figures(command, "")


def _ours(call: Call, concurrency: int, seconds: float) -> dict[str, float]:
    asked = {"url": call.url, "method": call.method, "headers": dict(call.headers), "body": call.body,
             "concurrency": concurrency, "seconds": seconds}  # fmt: skip
    return _figures([sys.executable, "-m", "bench.client"], json.dumps(asked))


def _figures(command: list[str], given: str) -> dict[str, float]:
    """Run a generator and read its line of figures."""
    ran = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    for line in ran.stdout.splitlines():
        if line.startswith("FIGURES "):
            figures: dict[str, float] = json.loads(line.removeprefix("FIGURES "))
            return figures
    raise LoadFailed(f"{command[0]} gave no figures: {(ran.stderr or ran.stdout).strip()[-400:]}")


def _lua(text: str) -> str:
    """A Lua string: the escapes of JSON that Lua shares; code points past ASCII are written as their UTF-8 bytes."""
    escaped = "".join(
        f"\\{byte:03d}" if byte < 32 or byte > 126 or byte in b'"\\' else chr(byte) for byte in text.encode()
    )
    return f'"{escaped}"'
