"""Why a skill is not there: each reason with what would put the skill in, and where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skills.reads.explain import Explained, Place, explain
from skills.tool_skills.rules.triggers import AllOf, AnyOf, McpServer, Surface, Tool, matches, unmet
from skills.writes.sessions import open_session
from tests.factories import HARBOUR, admin, agent, install_company
from tests.skills.served import GITHUB, HINT, MENTIONS, serve
from tests.skills.texts import skill_text


def told(seat: str | None = "product-bot", phase: str = "execute", **surface: list[str]) -> dict[str, Explained]:
    given = {"tools": None, "servers": None, **surface}
    return {one.key: one for one in explain(actor=admin(), phase=phase, seat=seat, **given)}


def ways(one: Explained) -> list[tuple[str, str]]:
    return [(mend.place.value, mend.field) for reason in one.reasons for mend in reason.mends]


@pytest.fixture
def harbour(db: None) -> None:
    install_company()
    serve(GITHUB, MENTIONS, HINT)


def test_what_keeps_a_trigger_from_firing_are_the_names_it_lacks() -> None:
    surface = Surface(tools=frozenset({"a"}), servers=frozenset({"s"}))
    both = AllOf(parts=(Tool(name="a"), Tool(name="b"), McpServer(name="t")))
    assert unmet(both, surface) == (Tool(name="b"), McpServer(name="t"))
    either = AnyOf(parts=(Tool(name="b"), Tool(name="b"), McpServer(name="t")))
    assert unmet(either, surface) == (Tool(name="b"), McpServer(name="t"))
    fires = AnyOf(parts=(Tool(name="b"), McpServer(name="s")))
    assert matches(fires, surface)
    assert unmet(fires, surface) == ()


@pytest.mark.covers("HS-05")
def test_a_server_that_does_not_reach_the_seat_is_let_reach_it_in_the_document(harbour: None) -> None:
    one = told()["mcp:github"]
    assert not one.included
    assert one.reason == "The server 'github' does not reach it."
    assert one.reasons[0].mends[0].text == (
        "Declare 'github' under mcp_env of Product Bot or its unit, or share the server."
    )
    assert one.reasons[0].mends[0].place is Place.DOCUMENT


@pytest.mark.covers("HS-05")
def test_a_tool_of_a_declared_server_is_reached_by_the_server_and_one_of_none_has_two_ways(harbour: None) -> None:
    serve(
        skill_text("tool:pr", trigger="{tool: create_pull_request}"),
        skill_text("tool:gone", trigger="{tool: gone}"),
        skill_text("tool:box", trigger="{tool: run_sandbox}"),
        skill_text("mcp:nowhere", trigger="{mcp_server: nowhere}"),
    )
    found = told()
    assert ways(found["tool:pr"]) == [("document", "mcp_env")]
    assert ways(found["tool:gone"]) == [("document", "mcp_servers.tools"), ("page", "trigger")]
    assert ways(found["tool:box"]) == [("document", "sandbox.enabled")]
    assert ways(found["mcp:nowhere"]) == [("document", "mcp_servers"), ("page", "trigger")]
    assert {mend.page_id for reason in found["tool:gone"].reasons for mend in reason.mends} == {None, 2}


@pytest.mark.covers("HS-05")
def test_every_reason_is_told_not_the_first_alone(harbour: None) -> None:
    one = told(phase="review")["mcp:github"]
    assert [reason.text for reason in one.reasons] == [
        "It is not shown in review, only in execute, subagent.",
        "The server 'github' does not reach it.",
    ]
    assert ways(one) == [("page", "phases"), ("document", "mcp_env")]


@pytest.mark.covers("HS-05")
def test_a_review_has_no_tools_so_its_trigger_needs_a_server(harbour: None) -> None:
    one = told(seat="engineer-bot", phase="review")["skill:mentions"]
    assert one.reason.endswith("; a review has no tools of its own.")
    assert ways(one) == [("page", "trigger")]


@pytest.mark.covers("HS-05", "HS-06")
def test_a_skill_without_room_is_explained_as_its_session_has_it(db: None) -> None:
    install_company(catalogue_budget_bytes=230)
    serve(GITHUB, skill_text("skill:advice:with:quite:some:key:to:carry", required="false"))
    session = open_session(actor=agent(), phase="execute", tools=["load_tool_skill"], servers=["github"])
    found = told(seat="engineer-bot", tools=["load_tool_skill"], servers=["github"])
    assert tuple(key for key, one in found.items() if one.included) == session.skills == ("mcp:github",)
    left_out = found["skill:advice:with:quite:some:key:to:carry"]
    assert "left out for want of room: the catalogue may weigh 230 bytes" in left_out.reason
    assert ways(left_out) == [("document", "knowledge.catalogue_budget_bytes"), ("page", "required")]
    assert "Its summary is cut" in found["mcp:github"].reason


@pytest.mark.covers("HS-05")
def test_the_surface_of_a_seat_is_the_one_its_reach_is_told_by(db: None) -> None:
    install_company(replace(HARBOUR, seats=tuple(replace(seat, sandbox=True) for seat in HARBOUR.seats)))
    serve(skill_text("tool:box", trigger="{tool: run_sandbox}"), MENTIONS)
    assert told()["tool:box"].included
    assert told()["skill:mentions"].included
    without = told(servers=[])
    assert without["tool:box"].included, "the sandbox is the seat's, whatever servers it is asked with"
    assert not without["skill:mentions"].included
