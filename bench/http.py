"""Opening a session, the gate and a page view, over HTTP against a real deployment with two web processes."""

from __future__ import annotations

import json
import secrets
from typing import Any

import httpx

from bench.body import body
from bench.browser import cookies_of
from bench.figures import Row, figures_of, median_of
from bench.load import Call, send
from bench.options import Options
from bench.site import BenchFailed, Deployment, Site

SEAT = "booking-engineer"
SURFACE = {
    "phase": "execute",
    "turn": "bench",
    "tools": ["load_tool_skill", "create_pull_request", "post_message", "search_knowledge"],
    "servers": ["github", "chat"],
}


def run(site: Site, options: Options) -> list[Row]:
    """One row a call and concurrency."""
    calls = {
        "`POST sessions`": open_session(site.deployment),
        "`gate`, allowed": gate(site.deployment, loaded=True),
        "`gate`, held back": gate(site.deployment, loaded=False),
        "page view, signed in": page_view(site),
    }
    rows: list[Row] = []
    for what, call in calls.items():
        site.say(f"http: {what}")
        for concurrency in options.concurrencies:
            send(call, concurrency=concurrency, seconds=options.warm_up)
            runs = [send(call, concurrency=concurrency, seconds=options.seconds) for _ in range(options.runs)]
            rows.append(Row(bench="http", what=f"{what}, {concurrency} at a time", figures=figures_of(median_of(runs))))
    return rows


def _headers(deployment: Deployment, *, seat: str | None) -> dict[str, str]:
    """The headers of a JSON request by a seat, or by a service that administers."""
    words = ("--seat", seat) if seat else ("--scopes", "read,write,admin")
    secret = deployment.command("iam", "token", f"bench-{secrets.token_hex(3)}", *words)
    return {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}


def open_session(deployment: Deployment) -> Call:
    """Opening a session that matches several skills of the example."""
    return Call(
        url=f"{deployment.url}/api/v1/sessions",
        method="POST",
        headers=_headers(deployment, seat=SEAT),
        body=json.dumps(SURFACE),
        expect="mcp:github",
    )


def gate(deployment: Deployment, *, loaded: bool) -> Call:
    """The gate before a call of a covered tool, in a session that has loaded what it needs or nothing."""
    headers = _headers(deployment, seat=SEAT)
    with httpx.Client(base_url=f"{deployment.url}/api/v1", headers=headers, timeout=30) as crewlet:
        session = _answer(crewlet.post("/sessions", json=SURFACE))
        if loaded:
            for key in session["skills"]:
                _answer(crewlet.post(f"/sessions/{session['id']}/load", json={"key": key}))
    return Call(
        url=f"{deployment.url}/api/v1/sessions/{session['id']}/gate",
        method="POST",
        headers=headers,
        body=json.dumps({"tool": "create_pull_request", "server": "github"}),
        expect='"allowed":true' if loaded else '"allowed":false',
    )


def page_view(site: Site) -> Call:
    """The screen of a page of about 8 kB, for a person who has signed in."""
    deployment = site.deployment
    title = f"Bench {secrets.token_hex(3)}"
    with httpx.Client(base_url=f"{deployment.url}/api/v1", headers=_headers(deployment, seat=None)) as crewlet:
        page = _answer(crewlet.post("/pages", json={"container": "ENG", "title": title, "body": body()}))
    login, password = f"bench-{secrets.token_hex(3)}", secrets.token_urlsafe(12)
    deployment.command("iam", "person", login, "--permissions", "knowledge", "--password-stdin", given=password)
    cookies = cookies_of(deployment.url, "/sign-in", {"login": login, "password": password})
    return Call(
        url=f"{deployment.url}/knowledge/pages/{page['id']}", headers={"Cookie": cookies}, expect="ERR_HOLD_EXPIRED"
    )


def _answer(answer: httpx.Response) -> Any:
    if answer.is_error:
        raise BenchFailed(f"{answer.request.url} answered {answer.status_code}: {answer.text[:300]}")
    return answer.json()
