"""The texts a model is given: catalogue and block message, byte for byte, and the variables in them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company.rules.chart import Server
from skills.tool_skills.rules.audit import Live, MatchesNothing, PartiallyDangling, audit_trigger, declared_surface
from skills.tool_skills.rules.catalogue import ENFORCEMENT, is_listed, render_catalogue
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.guard import (
    NEVER_GATED,
    Missing,
    Unarmed,
    block_message,
    covers_call,
    servers_of_call,
    unarmed_because,
)
from skills.tool_skills.rules.triggers import Surface
from skills.tool_skills.rules.variables import missing_in, render, variables_of
from tests.factories import HARBOUR
from tests.skills.texts import skill_of, skill_text

HINT = skill_of(
    skill_text(
        "skill:mentions",
        trigger="{tool: post_message}",
        phases="[execute, review]",
        required="false",
        summary="|\n  Mention people\n  by ${handle_style} handle.",
    )
)
GITHUB = skill_of(skill_text(phases="[execute, review]"))


@pytest.mark.covers("CA-01")
def test_the_catalogue_of_execute_is_these_bytes() -> None:
    text = render_catalogue([HINT, GITHUB], phase=Phase.EXECUTE, variables={"handle_style": "@short"})
    assert text == (
        "## Tool skills\n"
        "\n"
        f"{ENFORCEMENT}\n"
        "\n"
        "- mcp:github (required — load before use): Open small pull requests and link the work item.\n"
        "- skill:mentions: Mention people by @short handle."
    )


@pytest.mark.covers("CA-01")
def test_without_a_required_skill_there_is_no_enforcement_line_and_without_a_skill_no_catalogue() -> None:
    assert render_catalogue([HINT], phase=Phase.SUBAGENT, variables={}) == (
        "## Tool skills\n\n- skill:mentions: Mention people by ${handle_style} handle."
    )
    assert render_catalogue([], phase=Phase.EXECUTE, variables={}) == ""


@pytest.mark.covers("CA-01")
def test_the_catalogue_of_a_review_has_its_own_heading_and_no_marks() -> None:
    assert render_catalogue([GITHUB], phase=Phase.REVIEW, variables={}) == (
        "## Tool skills to weigh the work against\n\n- mcp:github: Open small pull requests and link the work item."
    )


@pytest.mark.covers("CA-01")
def test_a_review_is_judged_by_its_servers_alone() -> None:
    everything = Surface(tools=frozenset({"post_message"}), servers=frozenset({"github"}))
    assert is_listed(GITHUB, phase=Phase.REVIEW, surface=everything)
    assert not is_listed(HINT, phase=Phase.REVIEW, surface=everything)
    assert is_listed(HINT, phase=Phase.EXECUTE, surface=everything)
    assert not is_listed(HINT, phase=Phase.SUBAGENT, surface=everything)


@given(st.permutations(["b", "a", "B", "a:b", "a.b", "ab", "Z"]))
def test_the_catalogue_is_the_same_bytes_whatever_order_skills_come_in(keys: list[str]) -> None:
    skills = [replace(GITHUB, key=key) for key in keys]
    lines = render_catalogue(skills, phase=Phase.REVIEW, variables={}).split("\n")[2:]
    assert [line.split(": ")[0] for line in lines] == ["- B", "- Z", "- a", "- a.b", "- a:b", "- ab", "- b"]


@pytest.mark.covers("GU-01")
def test_the_block_message_of_one_skill_is_these_bytes() -> None:
    missing = [Missing(key="mcp:github", page_id=1, summary="Open small\npull requests at ${repo}.")]
    assert block_message("create_pull_request", missing, {"repo": "https://git.harbour.example"}) == (
        "Tool 'create_pull_request' is gated behind a required tool skill you\n"
        "have not loaded in this session:\n"
        "- 'mcp:github': Open small pull requests at https://git.harbour.example.\n"
        "\n"
        "Call `load_tool_skill(key='mcp:github')` to read the required\n"
        "practice(s), then retry 'create_pull_request'. Loading is needed once\n"
        "per session; after that the tool works normally."
    )


@pytest.mark.covers("GU-01")
def test_the_block_message_lists_every_missing_key_sorted() -> None:
    missing = [Missing(key="skill:b", page_id=2, summary="B."), Missing(key="mcp:a", page_id=1, summary="A.")]
    assert block_message("write", missing, {}) == (
        "Tool 'write' is gated behind required tool skills you\n"
        "have not loaded in this session:\n"
        "- 'mcp:a': A.\n"
        "- 'skill:b': B.\n"
        "\n"
        "Call `load_tool_skill(key='mcp:a')` and `load_tool_skill(key='skill:b')` to read the required\n"
        "practice(s), then retry 'write'. Loading is needed once\n"
        "per session; after that the tool works normally."
    )


@pytest.mark.covers("GU-02")
def test_plumbing_is_never_gated() -> None:
    assert {
        "load_tool_skill",
        "activate_tool",
        "list_mcp_server_tools",
        "submit_work",
        "submit_review",
        "mark_onboarded",
    } == NEVER_GATED


@pytest.mark.covers("GU-02")
def test_a_skill_covers_its_tools_and_every_tool_of_its_servers() -> None:
    skill = skill_of(skill_text(trigger="{all_of: [{mcp_server: github}, {tool: post_message}]}"))
    assert covers_call(skill, tool="anything", servers=("github",))
    assert covers_call(skill, tool="post_message", servers=())
    assert not covers_call(skill, tool="anything", servers=("chat",))


@pytest.mark.covers("GU-02")
def test_a_call_without_a_server_goes_to_the_declared_one_that_lists_the_tool() -> None:
    declared = {"search": ("github", "wiki"), "get_issue": ("github",)}
    reached = frozenset({"wiki"})
    assert servers_of_call(tool="get_issue", server=None, declared=declared, reached=reached) == ("github",)
    assert servers_of_call(tool="search", server=None, declared=declared, reached=reached) == ("wiki",)
    assert servers_of_call(tool="search", server=None, declared=declared, reached=frozenset()) == ("github", "wiki")
    assert servers_of_call(tool="other", server=None, declared=declared, reached=reached) == ()
    assert servers_of_call(tool="get_issue", server="chat", declared=declared, reached=reached) == ("chat",)


@pytest.mark.covers("GU-03")
def test_the_guard_is_armed_where_the_loader_is_and_never_in_a_review() -> None:
    assert unarmed_because(phase=Phase.EXECUTE, tools={"load_tool_skill"}) is None
    assert unarmed_because(phase=Phase.SUBAGENT, tools={"get_issue"}) is Unarmed.NO_LOADER
    assert unarmed_because(phase=Phase.REVIEW, tools={"load_tool_skill"}) is Unarmed.REVIEW


@pytest.mark.covers("SV-01")
def test_only_a_braced_name_of_a_declared_variable_with_a_value_is_replaced() -> None:
    variables = variables_of(
        declared={
            "docs": "https://docs.harbour.example/${docs}",
            "empty": "",
            "crewlet_base_url": "https://old.example",
        },
        dashboard_base_url="https://harbour.example/",
    )
    text = "${docs} $docs $$ $${docs} {docs} ${empty} ${other} ${docs ${ docs} ${base-url} ${crewlet_base_url}/x"
    assert render(text, variables) == (
        "https://docs.harbour.example/${docs} $docs $$ $https://docs.harbour.example/${docs} {docs} ${empty} ${other} "
        "${docs ${ docs} ${base-url} https://harbour.example/x"
    )
    assert missing_in(text + " ${empty}", variables) == ("empty", "other")


@given(st.text(alphabet="${}ab ", max_size=30))
def test_without_variables_every_text_stays_as_it_is(text: str) -> None:
    assert render(text, {}) == text


@pytest.mark.covers("TS-09")
@pytest.mark.parametrize(
    ("trigger", "finding"),
    [
        ("{tool: create_pull_request}", Live()),
        ("{tool: search_knowledge}", Live()),
        ("{mcp_server: chat}", Live()),
        ("{any_of: [{mcp_server: wiki}, {tool: get_issue}]}", Live()),
        ("{any_of: [{tool: get_issue}, {tool: gone}, {tool: gone}]}", PartiallyDangling(tools=("gone",))),
        ("{all_of: [{mcp_server: github}, {tool: gone}]}", PartiallyDangling(tools=("gone",))),
        ("{all_of: [{mcp_server: github}, {mcp_server: wiki}]}", MatchesNothing()),
        ("{tool: gone}", MatchesNothing()),
        ("{tool: run_sandbox}", MatchesNothing()),
    ],
)
def test_the_audit_compares_a_trigger_with_what_the_company_declares(trigger: str, finding: object) -> None:
    assert audit_trigger(skill_of(skill_text(trigger=trigger)), declared_surface(HARBOUR)) == finding


def test_the_sandbox_tool_exists_once_a_seat_has_a_sandbox() -> None:
    seat = replace(HARBOUR.seats[0], sandbox=True)
    company = replace(HARBOUR, seats=(seat,), servers=(Server(name="github"),))
    assert "run_sandbox" in declared_surface(company).tools
