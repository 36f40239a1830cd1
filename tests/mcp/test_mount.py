"""The way in: who is let in, from where, how often; and what streams hear."""

from __future__ import annotations

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pytest_django import Settings

from company import live
from company.models import Token
from company.nudges import valkey
from crewlet_site.mcp.servers import TOOLS
from tests import loops
from tests.factories import install_company, person, token_for
from tests.mcp.doors import AGENT, LIST_TOOLS, OPERATOR, Assistant, Site
from tests.skills.served import DEPLOY, NOTES, serve

pytestmark = pytest.mark.covers("AP-02")


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["code"]


@pytest.mark.parametrize("path", [AGENT, OPERATOR])
def test_whoever_brings_no_token_that_is_known_is_asked_for_one(site: Site, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic abc"}):
        answer = site.post(path, LIST_TOOLS, **headers)
        assert code_of(answer) == (401, "not_authenticated")
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="crewlet"'
    secret = token_for(seat="engineer-bot") if path == AGENT else token_for(holder=person())
    assert site.post(path, LIST_TOOLS, Authorization=f"Bearer {secret}").status_code == 200
    Token.objects.all().delete()
    assert code_of(site.post(path, LIST_TOOLS, Authorization=f"Bearer {secret}")) == (401, "not_authenticated")


def test_a_token_of_the_other_kind_is_refused_at_either_door(site: Site) -> None:
    seat, service = token_for(seat="engineer-bot"), token_for(name="service")
    someone = token_for(holder=person(permissions=["admin"], seat="ada-marsh"), name="ada")
    assert code_of(site.post(OPERATOR, LIST_TOOLS, Authorization=f"Bearer {seat}")) == (403, "forbidden")
    for secret in (service, someone):
        assert code_of(site.post(AGENT, LIST_TOOLS, Authorization=f"Bearer {secret}")) == (403, "forbidden")


def test_hosts_and_origins_that_are_not_the_sites_own_are_refused(site: Site) -> None:
    token = {"Authorization": f"Bearer {token_for(seat='engineer-bot')}"}
    assert code_of(site.post(AGENT, LIST_TOOLS, Host="evil.example", **token)) == (400, "invalid")
    assert code_of(site.post(AGENT, LIST_TOOLS, Origin="https://evil.example", **token)) == (403, "forbidden")
    assert site.post(AGENT, LIST_TOOLS, Origin=site.url, **token).status_code == 200


def test_requests_are_limited_as_at_the_rest_door_and_counted_with_it(site: Site, settings: Settings) -> None:
    settings.RATE_LIMITS = True
    valkey().flushdb()
    secret = token_for(seat="engineer-bot")
    token = {"Authorization": f"Bearer {secret}"}
    first = site.post(AGENT, LIST_TOOLS, **token)
    assert (first.headers["X-RateLimit-Limit"], first.headers["X-RateLimit-Remaining"]) == ("600", "599")
    rest = httpx2.get(f"{site.url}/api/v1/pages", headers=token, timeout=60)
    assert rest.headers["X-RateLimit-Remaining"] == "598"
    answers = [site.post(AGENT, LIST_TOOLS) for _ in range(62)]
    assert code_of(answers[-1]) == (429, "rate_limited")
    assert int(answers[-1].headers["Retry-After"]) > 0
    valkey().flushdb()


def test_what_is_no_request_is_answered_as_the_protocol_says(site: Site) -> None:
    token = {"Authorization": f"Bearer {token_for(seat='engineer-bot')}"}
    assert site.post(AGENT, "{", **token).status_code == 400
    assert site.post(AGENT, {"jsonrpc": "2.0", "id": 1, "method": "no/such"}, **token).json()["error"]["code"] == -32601
    assert site.post(AGENT, "x" * 3_000_000, **token).status_code == 413
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "purge_page", "arguments": {}}}
    assert site.post(AGENT, call, **token).json()["error"]["code"] == -32602


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_clients_of_either_era_are_served(site: Site, mode: str) -> None:
    with site.assistant(token_for(seat="engineer-bot"), mode=mode) as assistant:
        assert "get_page" in assistant.tools()
        assert assistant.refused("get_page", page=99_999) == "not_found"


def test_every_tool_says_what_it_is_for_and_what_each_argument_is(engineer: Assistant, operator: Assistant) -> None:
    for assistant in (engineer, operator):
        for tool in assistant.ask(assistant.client.list_tools).tools:
            assert len(tool.description or "") > 40
            assert tool.input_schema["additionalProperties"] is False
            assert tool.annotations is not None
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)


def test_a_client_that_listens_hears_when_skills_and_tools_change(site: Site) -> None:
    secret = token_for(seat="engineer-bot")
    serve(DEPLOY)

    async def listen() -> set[str]:
        events: set[str] = set()
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, timeout=30) as http,
            Client(streamable_http_client(f"{site.url}{AGENT}", http_client=http)) as client,
            client.listen(tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True) as stream,
        ):
            await anyio.to_thread.run_sync(serve, DEPLOY, NOTES)
            await anyio.to_thread.run_sync(lambda: live.install(install_company(mission="Another one")))
            with anyio.fail_after(30):
                async for event in stream:
                    events.add(type(event).__name__)
                    if len(events) == 3:
                        break
        return events

    assert loops.run(listen) == {"ToolsListChanged", "PromptsListChanged", "ResourcesListChanged"}


def test_a_client_from_before_hears_the_same_on_its_get(site: Site) -> None:
    secret = token_for(seat="engineer-bot")
    serve(DEPLOY)
    headers = {"Authorization": f"Bearer {secret}", "Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    with httpx2.stream("GET", f"{site.url}{AGENT}", headers=headers, timeout=30) as stream:
        assert stream.status_code == 200
        lines = stream.iter_lines()
        serve(DEPLOY, NOTES)
        found: set[str] = set()
        for line in lines:
            found |= {name for name in ("prompts", "resources") if f"notifications/{name}/list_changed" in line}
            if len(found) == 2:
                break
    assert found == {"prompts", "resources"}
