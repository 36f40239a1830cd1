"""The budget of a catalogue: what is cut, in which order, and that everybody is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.budget import LEAST_SUMMARY, Catalogue, cut_to
from skills.folders import Skill, SkillEntry, catalogue
from skills.reads.skill_tool import skill_catalogue
from skills.tool_skills.rules.catalogue import compose_catalogue
from skills.tool_skills.rules.documents import Phase, ToolSkill
from skills.writes.sessions import change_session, check_gate, load_skill, open_session
from tests.factories import agent, install_company, token_for
from tests.skills.doors import Door
from tests.skills.served import NOTES, serve
from tests.skills.texts import skill_of, skill_text

SUMMARY = "Open small pull requests and link the work item they belong to, so that reviewers find it."


def skills_of(*keys: str, required: bool = False, summary: str = SUMMARY) -> list[ToolSkill]:
    whole = skill_of(skill_text(phases="[execute, review]", summary=summary))
    return [replace(whole, key=key, required=required) for key in keys]


def composed(skills: list[ToolSkill], limit: int, *, phase: Phase = Phase.EXECUTE) -> Catalogue:
    return compose_catalogue(skills, phase=phase, variables={}, limit=limit)


@pytest.mark.covers("HS-06")
def test_a_catalogue_within_its_budget_is_the_one_without_a_budget() -> None:
    skills = skills_of("a", "b")
    whole = composed(skills, 0)
    assert composed(skills, whole.size).text == whole.text
    assert (whole.shortened, whole.dropped, whole.is_over) == ((), (), False)
    assert whole.size == len(whole.text.encode()) == whole.whole_size


@pytest.mark.covers("HS-06")
def test_over_the_budget_the_long_summaries_are_cut_at_a_word_and_the_short_stay() -> None:
    cut = composed([*skills_of("long:one", "long:two"), *skills_of("short", summary="Be brief.")], 128)
    assert cut.text == (
        "## Tool skills\n"
        "\n"
        "- long:one: Open small pull requests and…\n"
        "- long:two: Open small pull requests and…\n"
        "- short: Be brief."
    )
    assert cut.shortened == ("long:one", "long:two")
    assert (cut.dropped, cut.limit, cut.size) == ((), 128, len(cut.text.encode()))
    assert cut.whole_size > 128


@pytest.mark.covers("HS-06")
def test_below_the_least_summary_names_stand_alone_before_any_skill_is_left_out() -> None:
    cut = composed(skills_of("a", "b", "c"), 80)
    assert cut.text == "## Tool skills\n\n- a\n- b\n- c"
    assert (cut.shortened, cut.dropped) == (("a", "b", "c"), ())


@pytest.mark.covers("HS-06")
def test_as_few_as_can_be_are_left_out_and_never_a_required_one() -> None:
    required = skills_of("must:be:read:before:anything:else", required=True)
    advice = skills_of("a", "b", "advice:with:a:very:long:key:" + "x" * 60)
    names_alone = composed([*required, *advice], 1).size
    cut = composed([*required, *advice], composed([*required, *skills_of("a", "b")], 270).size + 36)
    assert cut.dropped == (advice[-1].key,), "the longest name makes room for the others"
    assert cut.names == ("a", "b", required[0].key)
    assert cut.text.endswith("Left out for want of room: 1 more.")
    least = composed([*required, *advice], 1)
    assert least.names == (required[0].key,)
    assert least.is_over
    assert names_alone == least.size


def test_in_a_review_nothing_is_required_so_anything_may_be_left_out() -> None:
    cut = composed(skills_of("a", "b", required=True), 5, phase=Phase.REVIEW)
    assert (cut.text, cut.dropped) == ("", ("a", "b"))


@given(
    st.lists(
        st.tuples(st.text("ab.", min_size=1, max_size=9), st.text("äb 漢é🇩🇪 ", max_size=60), st.booleans()),
        unique_by=lambda one: one[0],
        max_size=9,
    ),
    st.integers(1, 900),
)
def test_a_cut_catalogue_is_within_its_limit_or_holds_bare_required_names_and_any_order_makes_the_same_bytes(
    made: list[tuple[str, str, bool]], limit: int
) -> None:
    whole = skill_of(skill_text())
    skills = [replace(whole, key=f"k.{key}", summary=summary, required=required) for key, summary, required in made]
    cut = composed(skills, limit)
    assert cut.size == len(cut.text.encode())
    if cut.is_over:
        assert set(cut.names) == {skill.key for skill in skills if skill.required}
        bare = composed([replace(skill, summary="") for skill in skills], limit)
        assert (cut.text, cut.dropped) == (bare.text, bare.dropped), "names alone"
    assert {*cut.names, *cut.dropped} == {skill.key for skill in skills}
    assert composed(skills[::-1], limit) == cut


@given(st.text(), st.integers(0, 80))
def test_a_text_is_cut_to_its_bytes_and_begins_as_it_did(text: str, most: int) -> None:
    cut = cut_to(text, most)
    assert len(cut.encode()) <= most or cut == ""
    assert cut == text or text.startswith(cut.removesuffix("…"))


def test_a_cut_leaves_no_half_of_a_sign() -> None:
    family = "👨\u200d👩\u200d👧"
    assert cut_to(family * 3, 26) == family + "…"
    assert cut_to("e\u0301" * 20, 10) == "e\u0301e\u0301…"


def test_the_catalogue_of_skill_folders_keeps_the_same_budget() -> None:
    entries = [
        SkillEntry(skill=Skill(name=f"skill-{number}", description="Use <it> " + "x" * 300), dir="/s")
        for number in range(4)
    ]
    cut = catalogue.compose(entries, limit=600)
    assert cut.size <= 600
    assert cut.shortened == ("skill-0", "skill-1", "skill-2", "skill-3")
    assert "Use &lt;it&gt; x" in cut.text
    assert "<left_out>2 more, for want of room</left_out>" in catalogue.compose(entries, limit=170).text
    assert LEAST_SUMMARY < 300


@pytest.fixture
def tight(db: None) -> None:
    install_company(catalogue_budget_bytes=240)
    serve(
        skill_text("mcp:github", summary=SUMMARY),
        skill_text("skill:advice:that:nobody:finds:room:for:in:here", required="false", summary=SUMMARY),
        NOTES.replace("Use when a release is cut.", "Use when a release is cut. " * 20),
    )


SURFACE = {"tools": ["load_tool_skill"], "servers": ["github"]}


@pytest.mark.covers("HS-06")
def test_a_session_says_what_the_budget_did_to_its_catalogue(tight: None) -> None:
    door = Door(token_for(seat="engineer-bot"))
    session = door.post("sessions", {"phase": "execute", **SURFACE}, expect=201)
    assert session["skills"] == ["mcp:github"]
    assert session["budget"] == {
        "limit": 240,
        "bytes": len(session["catalogue"].encode()),
        "whole_bytes": 432,
        "shortened": ["mcp:github"],
        "dropped": ["skill:advice:that:nobody:finds:room:for:in:here"],
    }
    assert door.get(f"sessions/{session['id']}")["budget"] == session["budget"]
    install_company()
    assert "budget" not in door.get(f"sessions/{session['id']}"), "where the document sets no limit"


@pytest.mark.covers("HS-06", "GU-01")
def test_a_skill_without_room_is_not_counted_as_offered_and_loads_all_the_same(tight: None) -> None:
    view = open_session(actor=agent(), phase="execute", tools=["load_tool_skill"], servers=["github"])
    assert view.skills == ("mcp:github",)
    left_out = view.composed.dropped[0]
    assert load_skill(actor=agent(), session_id=view.id, key=left_out).key == left_out
    assert check_gate(actor=agent(), session_id=view.id, tool="get_issue").missing == ("mcp:github",)
    install_company(catalogue_budget_bytes=0)
    assert left_out in change_session(actor=agent(), session_id=view.id, tools=["load_tool_skill"]).skills


def test_the_skill_tools_catalogue_is_cut_to_the_documents_budget(tight: None) -> None:
    assert len(skill_catalogue(actor=agent()).encode()) <= 240
