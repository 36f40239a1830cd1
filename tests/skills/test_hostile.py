"""Whatever pages hold, the registry is built, judged, listed, cut, compared and explained without an exception."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from company import live
from skills import alike, registry
from skills.reads.alike import sayings
from skills.reads.costs import costs
from skills.reads.explain import explain
from skills.registry import PageText, apply_page, from_pages, source_of
from skills.registry.findings import findings
from skills.tool_skills.rules.catalogue import compose_catalogue
from skills.tool_skills.rules.documents import Phase
from skills.tool_skills.rules.triggers import Surface
from tests.factories import HARBOUR, admin
from tests.skills.texts import APage, skill_text

SURFACE = Surface(tools=frozenset({"load_tool_skill", "post_message", "x"}), servers=frozenset({"github", "chat"}))
FIELDS = ("key", "name", "description", "trigger", "triggers", "tools", "phases", "title", "summary", "required", "x-1")
VALUES = (
    "", "~", "a", "a:b", "'", '"', "[", "]", "{", "}", "[a, b]", "[execute]", "[execute, review, subagent]",
    "{tool: x}", "{mcp_server: github}", "{any_of: [{tool: x}, {all_of: [{tool: post_message}]}]}", "{any_of: []}",
    "&a [*a]", "*a",
    "!!python/name:os.system", "${docs_url} ${nobody} $$ ${", "|\n  \u2028 deep\n  text", ">-\n  folded", "- a\n- b",
    "\u202e\u0000\ufeff", "é" * 300, "0x1F", "2001-01-01", ".nan", "yes", "<<: {a: 1}", "\t", "# no",
)  # fmt: skip
LINES = st.tuples(st.sampled_from(FIELDS), st.sampled_from(VALUES) | st.text(max_size=20)).map(": ".join)
BODIES = st.tuples(
    st.sampled_from(["---\n", "--- \r\n", "\ufeff---\n", "", "----\n"]),
    st.lists(LINES, max_size=9).map("\n".join),
    st.sampled_from(["\n---\n", "\n---", "\n", "\r\n---\r\n"]),
    st.text(max_size=30),
).map("".join)


@pytest.mark.covers("TS-01", "HS-05")
@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(BODIES, st.booleans()), max_size=6), st.integers(0, 400), st.text(max_size=60), st.integers(1, 7)
)
def test_no_page_breaks_anything_that_is_made_of_it(
    written: list[tuple[str, bool]], limit: int, message: str, edited: int
) -> None:
    company = replace(HARBOUR, catalogue_budget_bytes=limit)
    live.install(company)
    source = source_of(company)
    assert source is not None
    good = skill_text(trigger="{any_of: [{mcp_server: chat}, {tool: x}]}", phases="[execute, review]")
    pages: list[PageText] = [
        APage(id=number, body=body, labels=("skill-folder",) if in_folder else ())
        for number, (body, in_folder) in enumerate([*written, (good, False)], 1)
    ]
    held = from_pages(source, pages)
    held = apply_page(held, page_id=edited, page=APage(id=edited, body=good.replace("mcp:github", "mcp:edited")))
    held.prepare()
    registry.install(held)
    for finding in findings(held, company):
        assert all(problem.detail for problem in finding.problems)
    for phase in Phase:
        listed = [served.skill for served in held.listed(phase=phase, surface=SURFACE)]
        cut = compose_catalogue(listed, phase=phase, variables={}, limit=limit)
        assert not limit or cut.size <= limit or all(skill.required for skill in listed if skill.key in cut.names)
        told = explain(actor=admin(), phase=phase.value, seat="lead-bot", tools=None, servers=None)
        assert all(one.reason for one in told)
    assert costs(actor=admin()).seats
    held.matcher.match(message)
    said = [one.text for one in sayings(held)]
    alike.pairs_by_words(said, range(len(said)))


@pytest.mark.covers("GU-02", "HS-06")
def test_a_skill_for_everything_beside_a_thousand_others_stays_exact(db: None) -> None:
    everything = "{any_of: [" + ", ".join(f"{{tool: tool_{number}}}" for number in range(40)) + "]}"
    source = source_of(HARBOUR)
    assert source is not None
    pages: list[PageText] = [
        APage(
            id=number,
            body=skill_text(
                f"skill:s{number:04d}",
                trigger=everything if number % 50 == 0 else f"{{tool: tool_{number % 40}}}",
                required="true" if number % 2 else "false",
                summary="s" * 240,
            ),
        )
        for number in range(1, 1001)
    ]
    held = from_pages(source, pages)
    surface = Surface(tools=frozenset({"tool_7"}))
    listed = held.listed(phase=Phase.EXECUTE, surface=surface)
    assert len(listed) == sum(number % 50 == 0 or number % 40 == 7 for number in range(1, 1001))
    covering = held.covering(tool="tool_7", servers=(), phase=Phase.EXECUTE)
    assert {served.skill.key for served in covering} == {one.skill.key for one in listed if one.skill.required}
    cut = compose_catalogue((one.skill for one in listed), phase=Phase.EXECUTE, variables={}, limit=1_500)
    assert not {one.skill.key for one in listed if one.skill.required} - set(cut.names), "required ones stay"
    assert cut.size <= 1_500 or not [name for name in cut.names if int(name[-4:]) % 2 == 0]
