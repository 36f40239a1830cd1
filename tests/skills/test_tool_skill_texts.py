"""Reading a page's text as a tool skill: what is accepted, what is refused, and where the fault is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from company.rules.refusals import Code
from skills.tool_skills.rules.documents import (
    MAX_BODY_BYTES,
    MAX_SUMMARY_BYTES,
    Kind,
    OrdinaryPage,
    OtherDialect,
    Phase,
    ToolSkill,
    strip_blank_lines,
)
from skills.tool_skills.rules.parser import read_page, sizes_of
from skills.tool_skills.rules.triggers import AllOf, AnyOf, McpServer, Surface, Tool, coverage_of, matches
from tests.skills.texts import broken_of, skill_of, skill_text


@pytest.mark.covers("TS-01")
def test_a_page_whose_front_matter_declares_a_trigger_is_a_tool_skill() -> None:
    skill = skill_of(skill_text())
    assert skill.key == "mcp:github"
    assert skill.phases == (Phase.EXECUTE, Phase.SUBAGENT)
    assert skill.required is True
    assert skill.body == "Keep a pull request small."
    assert skill.trigger == McpServer(name="github")


@pytest.mark.covers("TS-01")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Only prose",
        "---\ntitle: A page\n---\ntext",
        "---\n\nA rule, then prose about a trigger: nothing more.\n",
        "---\n- a list\n---\ntext",
        "---\ntitle: [broken\n---\ntext",
        "text\n---\ntrigger: {tool: x}\n---\n",
    ],
)
def test_a_page_that_declares_no_trigger_is_an_ordinary_page(text: str) -> None:
    assert read_page(text) == OrdinaryPage()


@pytest.mark.covers("TS-01")
def test_a_byte_order_mark_crlf_and_blanks_after_a_fence_are_accepted() -> None:
    text = "\ufeff" + skill_text().replace("---\n", "---  \t\n").replace("\n", "\r\n")
    assert skill_of(text) == skill_of(skill_text())


def test_unknown_keys_are_kept_and_told() -> None:
    skill = skill_of(skill_text(more="owner: harbour\nname: x\ntriggers: [a]\n"))
    assert skill.extra == ("owner", "name", "triggers")


@pytest.mark.covers("TS-01")
@pytest.mark.parametrize(
    ("text", "field", "code", "line"),
    [
        (skill_text(phases="[execute, plan]"), "phases[1]", Code.INVALID, 4),
        (skill_text(phases="execute"), "phases", Code.INVALID, 4),
        (skill_text(phases="[]"), "phases", Code.REQUIRED, 4),
        (skill_text(phases="[1]"), "phases[0]", Code.INVALID, 4),
        (skill_text(trigger=""), "trigger", Code.REQUIRED, 3),
        (skill_text(trigger="null"), "trigger", Code.REQUIRED, 3),
        (skill_text(trigger="github"), "trigger", Code.INVALID, 3),
        (skill_text(trigger="{}"), "trigger", Code.REQUIRED, 3),
        (skill_text(trigger="{tool: a, mcp_server: b}"), "trigger", Code.INVALID, 3),
        (skill_text(trigger="{tol: a}"), "trigger.tol", Code.UNKNOWN_FIELD, 3),
        (skill_text(trigger="{any_of: []}"), "trigger.any_of", Code.INVALID, 3),
        (skill_text(trigger="{any_of: [{tool: 5}]}"), "trigger.any_of[0].tool", Code.INVALID, 3),
        (skill_text(trigger="{tool: two words}"), "trigger.tool", Code.INVALID, 3),
        (skill_text(trigger="{tool: " + "a" * 257 + "}"), "trigger.tool", Code.TOO_LONG, 3),
        (skill_text(trigger="{any_of: [" * 8 + "{tool: a}" + "]}" * 8), "trigger" + ".any_of[0]" * 7 + ".any_of",
         Code.INVALID, 3),
        (skill_text(required='"true"'), "required", Code.INVALID, 7),
        (skill_text(required="1"), "required", Code.INVALID, 7),
        (skill_text(required="null"), "required", Code.INVALID, 7),
        (skill_text(more="requred: false\n"), "requred", Code.UNKNOWN_FIELD, 7),
        (skill_text(more="Phase: []\n"), "Phase", Code.UNKNOWN_FIELD, 7),
        (skill_text(key="two words"), "key", Code.INVALID, 2),
        (skill_text(key=":github"), "key", Code.INVALID, 2),
        (skill_text(key="ключ"), "key", Code.INVALID, 2),
        (skill_text(key="a" * 129), "key", Code.TOO_LONG, 2),
        (skill_text(key="42"), "key", Code.INVALID, 2),
        (skill_text(title=""), "title", Code.REQUIRED, 5),
        (skill_text(title='"  "'), "title", Code.REQUIRED, 5),
        (skill_text(title="é" * 129), "title", Code.TOO_LONG, 5),
        (skill_text(title='"a\\tb\\x07"'), "title", Code.INVALID, 5),
        (skill_text(summary="[a]"), "summary", Code.INVALID, 6),
        (skill_text(summary="é" * 121), "summary", Code.TOO_LONG, 6),
        (skill_text(body="  \n\t\n"), "body", Code.REQUIRED, 8),
        (skill_text(body="é" * 16_385), "body", Code.TOO_LONG, 8),
        (skill_text(more="key: again\n"), "key", Code.INVALID, 7),
        (skill_text(more="a: &x 1\nb: *x\n"), "frontmatter", Code.INVALID, 8),
        (skill_text(more="a: !x 1\n"), "frontmatter", Code.INVALID, 7),
        (skill_text(more="a: [\n"), "frontmatter", Code.INVALID, None),
        (skill_text(more="a: '" + "x" * 65_536 + "'\n"), "frontmatter", Code.TOO_LONG, 2),
        ("---\ntrigger: {tool: x}\n\nno closing fence\n", "frontmatter", Code.INVALID, 1),
        ("---\nkey: a\nphases: [execute]\ntigger: {tool: x}\n---\nbody", "tigger", Code.UNKNOWN_FIELD, 4),
        ("---\nkey: a\nphases: [execute]\ntigger: {tool: x}\n---\nbody", "trigger", Code.REQUIRED, None),
        ("---\nkey: a\nphases: [execute]\ntitle: [a\n---\nbody", "frontmatter", Code.INVALID, None),
    ],
)  # fmt: skip
def test_a_broken_skill_is_reported_with_code_field_and_line(
    text: str, field: str, code: Code, line: int | None
) -> None:
    problems = broken_of(text).problems
    assert all(problem.detail.endswith((".", "?")) for problem in problems)
    found = {(problem.field, problem.code): problem.line for problem in problems}
    assert (field, code) in found, problems
    if line is not None:
        assert found[field, code] == line


def test_everything_wrong_is_told_at_once_in_the_order_of_the_lines() -> None:
    broken = broken_of(skill_text(trigger="{tol: x}", phases="[plan]", required="maybe", body=""))
    assert [problem.field for problem in broken.problems] == ["trigger.tol", "phases[0]", "required", "body"]
    assert broken.key == "mcp:github"
    assert broken.reason.startswith("line 3: trigger.tol: ")


@pytest.mark.covers("TS-03")
@pytest.mark.parametrize("letter", ["x", "é", "船"])
def test_the_caps_count_bytes_and_hold_exactly_where_they_are(letter: str) -> None:
    size = len(letter.encode())
    whole = skill_text(summary=letter * (MAX_SUMMARY_BYTES // size), body=letter * (MAX_BODY_BYTES // size) + "\n\n")
    assert isinstance(read_page(whole), ToolSkill)
    broken = broken_of(
        skill_text(summary=letter * (MAX_SUMMARY_BYTES // size + 1), body=letter * (MAX_BODY_BYTES // size + 1))
    )
    assert [problem.code for problem in broken.problems] == [Code.TOO_LONG, Code.TOO_LONG]


@pytest.mark.covers("TS-03")
def test_a_skill_over_a_cap_cannot_be_registered_however_it_was_made() -> None:
    whole = {
        "key": "a",
        "title": "t",
        "summary": "s",
        "body": "b",
        "phases": (Phase.EXECUTE,),
        "trigger": Tool(name="x"),
    }
    for change in ({"summary": "x" * 241}, {"body": "x" * 32_769}, {"key": "a b"}):
        with pytest.raises(ValueError, match=r"key|larger"):
            ToolSkill(**{**whole, **change})  # type: ignore[arg-type] # the point is to hand it what is wrong


@pytest.mark.parametrize(
    ("front", "kind"),
    [
        ("name: a\ndescription: b\ntriggers: [x]", Kind.PROMPT_SKILL),
        ("name: a\ndescription: b\ntools: [x]", Kind.PROMPT_SKILL),
        ("name: a\ndescription: b", Kind.AGENT_SKILL),
        ("name: a\ndescription: b\nkey: c\nphases: [execute]", Kind.AGENT_SKILL),
    ],
)
def test_a_page_of_another_dialect_is_left_to_its_own_reader(front: str, kind: Kind) -> None:
    assert read_page(f"---\n{front}\n---\nbody") == OtherDialect(kind=kind, name="a")


def test_sizes_are_counted_without_outer_blank_lines_and_for_broken_skills_too() -> None:
    sizes = sizes_of(skill_text(summary="é" * 200, phases="[plan]", body="\n\n é \r\n\r\n"))
    assert (sizes.summary, sizes.body) == (400, 4)


@given(st.lists(st.sampled_from(["", " ", "\t", "a", " a "]), max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_stripping_takes_outer_blank_lines_and_nothing_else(lines: list[str], end: str) -> None:
    stripped = strip_blank_lines(end.join(lines))
    kept = [line for line in lines if line.strip()]
    if not kept:
        assert stripped == ""
    else:
        first = lines.index(kept[0])
        last = len(lines) - lines[::-1].index(kept[-1])
        assert stripped == end.join(lines[first:last])


def test_a_long_run_of_blank_lines_costs_no_time() -> None:
    assert strip_blank_lines("a" + "\n" * 400_000 + "b").endswith("b")


PIECES = st.sampled_from(
    ["---", "\n", "\r\n", "trigger:", "key:", "phases:", "title: x", "summary:", " ", "  ", "- ", "[", "]", "{", "}",
     ":", "tool", "any_of", "execute", "null", "true", "'", '"', "|", "&a", "*a", "!t", "\x00", "\ud800", "\u2028", "é"]
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=80))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\nbody", f"---\ntrigger: {text}\n---\nbody"):
        read_page(whole)
        sizes_of(whole)


TRIGGERS = st.recursive(
    st.builds(lambda name: Tool(name=name), st.sampled_from("abc"))
    | st.builds(lambda name: McpServer(name=name), st.sampled_from("xyz")),
    lambda parts: (
        st.builds(lambda some: AnyOf(parts=tuple(some)), st.lists(parts, min_size=1, max_size=3))
        | st.builds(lambda some: AllOf(parts=tuple(some)), st.lists(parts, min_size=1, max_size=3))
    ),
    max_leaves=6,
)
SURFACES = st.builds(
    lambda tools, servers: Surface(tools=frozenset(tools), servers=frozenset(servers)),
    st.sets(st.sampled_from("abc")),
    st.sets(st.sampled_from("xyz")),
)


@pytest.mark.covers("TS-02")
@given(TRIGGERS, SURFACES)
def test_a_trigger_fires_only_where_something_it_covers_is_on_the_surface(trigger: Tool, surface: Surface) -> None:
    covered = coverage_of(trigger)
    if matches(trigger, surface):
        assert covered.tools & surface.tools or covered.servers & surface.servers
    everything = Surface(tools=covered.tools, servers=covered.servers)
    assert matches(trigger, everything)


@pytest.mark.covers("TS-02")
def test_all_of_needs_every_part_and_any_of_one() -> None:
    skill = skill_of(skill_text(trigger="{all_of: [{mcp_server: github}, {any_of: [{tool: a}, {tool: b}]}]}"))
    both = Surface(tools=frozenset("b"), servers=frozenset({"github"}))
    assert matches(skill.trigger, both)
    assert not matches(skill.trigger, Surface(servers=frozenset({"github"})))
    assert not matches(skill.trigger, Surface(tools=frozenset({"a"})))
    assert skill.covers.as_dict() == {"tools": ["a", "b"], "servers": ["github"]}
