"""Many agents at once over REST and MCP: each opens a session of skills, then reads, searches, writes, loads and gates.

An agent waits between its calls as one that thinks does, so the figures say how long a call takes while a company of
agents is at work, not how many calls the machine can bear. The load comes from a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from bench.body import body
from bench.figures import Row, figures_of, timing_of
from bench.options import Options
from bench.site import BenchFailed, Site

SEATS = ("booking-engineer", "tech-lead")
THINK = (1.0, 3.0)
"""Seconds between two calls of one agent, drawn evenly."""
SURFACE = {
    "phase": "execute",
    "tools": ["load_tool_skill", "create_pull_request", "post_message", "search_knowledge"],
    "servers": ["github", "chat"],
}
GATED = {"tool": "create_pull_request", "server": "github"}
QUESTIONS = ("holds do not expire", "card payments", "how do we decide", "refund policy", "ERR_HOLD_EXPIRED")
MCP_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def run(site: Site, options: Options) -> list[Row]:
    """One row a call."""
    deployment = site.deployment
    site.say(f"agents: {options.agents} of them for {options.seconds:.0f} s")
    tokens = [
        deployment.command("iam", "token", f"bench-{secrets.token_hex(3)}", "--seat", seat).strip() for seat in SEATS
    ]
    asked = {"url": deployment.url, "tokens": tokens, "agents": options.agents, "seconds": options.seconds}
    ran = subprocess.run(
        [sys.executable, "-m", "bench.agents"], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    line = next((line for line in ran.stdout.splitlines() if line.startswith("FIGURES ")), None)
    if line is None:
        raise BenchFailed(f"the agents gave no figures: {(ran.stderr or ran.stdout).strip()[-400:]}")
    told: dict[str, Any] = json.loads(line.removeprefix("FIGURES "))
    note = f"{options.agents} agents, one to three seconds between two calls of each, {options.seconds:.0f} s."
    if told["errors"]:
        note += f" The first errors: {'; '.join(told['errors'])}."
    return [
        Row(
            bench="agents",
            what=what,
            figures=figures_of(timing_of(call["took"])) | {"calls": len(call["took"]), "errors": call["failed"]},
            note=note,
            aim="no error",
            met=not call["failed"],
        )
        for what, call in told["calls"].items()
        if call["took"]
    ]


@dataclass
class Told:
    """What all agents saw."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    errors: list[str] = field(default_factory=list)

    async def time(self, what: str, call: Awaitable[httpx.Response], judge: Callable[[Any], str]) -> Any:
        """What a call answered; an answer that `judge` has something against counts as an error, and is None."""
        began = time.perf_counter()
        try:
            answer = await call
            self.took[what].append(time.perf_counter() - began)
            said = answer.json() if answer.is_success else None
            against = judge(said) if said is not None else f"{answer.status_code} {answer.text[:160]}"
        except (httpx.TransportError, ValueError) as error:
            said, against = None, f"{type(error).__name__} {error}"
        if against:
            self.failed[what] += 1
            if len(self.errors) < 5:
                self.errors.append(f"{what}: {against}")
            return None
        return said


class Agent:
    """One seat's message history: a session, a page of its own, and a connection."""

    def __init__(self, number: int, client: httpx.AsyncClient, told: Told) -> None:
        self._number = number
        self._client = client
        self._told = told
        self._draw = random.Random(number)
        self._session = ""
        self._keys: list[str] = []
        self._page = 0

    async def work(self, until: float) -> None:
        """Begin, then do one thing after the other until the time is over."""
        await self._think(at_most=THINK[1])
        await self._begin()
        things = (self._gate, self._load, self._read, self._search, self._save, self._list, self._read_by_rest)
        while self._page and self._session and time.perf_counter() < until:
            await self._think()
            await self._draw.choice(things)()

    async def _begin(self) -> None:
        said = await self._tool("list_tool_skills", turn=f"t-{self._number}", **SURFACE)
        self._session = said.split()[1] if said else ""
        self._keys = [line[2:].split(" ")[0].rstrip(":") for line in (said or "").splitlines() if line[:2] == "- "]
        title = f"Notes {self._number} {secrets.token_hex(4)}"
        made = await self._tool("write_page", title=title, body=body())
        self._page = int(made.split()[1]) if made else 0

    async def _think(self, *, at_most: float = 0) -> None:
        await asyncio.sleep(self._draw.uniform(0, at_most) if at_most else self._draw.uniform(*THINK))

    async def _gate(self) -> None:
        path = f"/api/v1/sessions/{self._session}/gate"
        await self._told.time("REST: gate", self._client.post(path, json=GATED), _nothing_against)

    async def _load(self) -> None:
        if self._keys:
            await self._tool("load_tool_skill", key=self._draw.choice(self._keys), session=self._session)

    async def _read(self) -> None:
        await self._tool("get_page", page=self._page)

    async def _search(self) -> None:
        await self._tool("search_knowledge", query=self._draw.choice(QUESTIONS))

    async def _list(self) -> None:
        await self._tool("list_pages", container="ENG", roots=True, limit=50)

    async def _save(self) -> None:
        edit = {"edit": {"mode": "append", "text": "\n- Seen."}, "message": "Seen"}
        call = self._client.patch(f"/api/v1/pages/{self._page}", json=edit)
        await self._told.time("REST: save", call, _nothing_against)

    async def _read_by_rest(self) -> None:
        await self._told.time("REST: page", self._client.get(f"/api/v1/pages/{self._page}"), _nothing_against)

    async def _tool(self, name: str, **arguments: Any) -> str:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        posted = self._client.post("/agent/mcp", json=call, headers=MCP_HEADERS)
        said = await self._told.time(f"MCP: {name}", posted, _against)
        text: str = said["result"]["content"][0]["text"] if said else ""
        return text


def _nothing_against(_: Any) -> str:
    return ""


def _against(said: Any) -> str:
    if "result" not in said:
        return str(said.get("error"))[:160]
    return str(said["result"]["content"][0]["text"])[:160] if said["result"].get("isError") else ""


async def work_all(asked: dict[str, Any]) -> dict[str, Any]:
    """Let every agent work; each has a connection of its own, as it would from its own machine."""
    told = Told()
    until = time.perf_counter() + asked["seconds"]

    async def one(number: int) -> None:
        token = asked["tokens"][number % len(asked["tokens"])]
        headers = {"Authorization": f"Bearer {token}", "Crewlet-Turn": f"t-{number}"}
        async with httpx.AsyncClient(base_url=asked["url"], headers=headers, timeout=60) as client:
            await Agent(number, client, told).work(until)

    await asyncio.gather(*(one(number) for number in range(asked["agents"])))
    names = sorted({*told.took, *told.failed})
    calls = {name: {"took": told.took[name], "failed": told.failed[name]} for name in names}
    return {"calls": calls, "errors": told.errors}


if __name__ == "__main__":
    print("FIGURES " + json.dumps(asyncio.run(work_all(json.load(sys.stdin)))))
