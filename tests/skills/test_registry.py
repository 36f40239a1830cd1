"""The registry: any sequence of single pages ends where a walk ends, and keys follow their pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from company import live
from company.rules.chart import Backend
from skills import registry
from skills.registry import EMPTY, Duplicate, Registry, SourceId, apply_page, from_pages
from skills.registry.dialects import FOLDER_LABEL
from skills.tool_skills.rules.documents import Kind, Phase
from skills.tool_skills.rules.triggers import Surface
from tests.factories import HARBOUR
from tests.skills.texts import APage, skill_text

TS = SourceId(backend=Backend.NATIVE, container="TS")
AN_EMPTY_CONTAINER = Registry(source=TS)

BODIES = st.sampled_from(
    [
        skill_text("a"),
        skill_text("a", summary="Another summary."),
        skill_text("b", trigger="{tool: x}"),
        skill_text("c", trigger="{any_of: [{tool: x}, {mcp_server: github}]}", required="false"),
        skill_text("a", phases="[plan]"),
        "prose",
        "---\nname: n\ndescription: d\n---\nprose",
        "---\nname: n\ndescription: d\ntriggers: [deploy, ship it]\n---\nprose",
        "---\nname: m\ndescription: d\ntriggers: [ship it]\n---\nprose",
        "---\nname: m\ndescription: d\ntriggers: [7]\n---\nprose",
        "---\nname: n\ndescription: d: e\n---\nprose",
        "---\nname: No Name\ndescription: d\n---\nprose",
    ]
)
EDITS = st.one_of(
    st.tuples(
        st.integers(1, 4),
        BODIES,
        st.sampled_from(["TS", "TS", "TS", "ENG"]),
        st.sampled_from([True, True, False]),
        st.sampled_from([(), ("draft",), (FOLDER_LABEL,)]),
    ),
    st.integers(1, 4),  # the page is purged
)


@pytest.mark.covers("TS-04")
@settings(deadline=None)  # the first matcher of a process works out which characters are letters
@given(st.lists(EDITS, max_size=12))
def test_any_sequence_of_single_pages_ends_where_a_walk_ends(
    edits: list[int | tuple[int, str, str, bool, tuple[str, ...]]],
) -> None:
    pages: dict[int, APage] = {}
    held = AN_EMPTY_CONTAINER
    for edit in edits:
        if isinstance(edit, int):
            pages.pop(edit, None)
            held = apply_page(held, page_id=edit, page=None)
        else:
            page_id, body, container, published, labels = edit
            version = pages[page_id].version + 1 if page_id in pages else 1
            pages[page_id] = APage(
                id=page_id, body=body, container=container, published=published, version=version, labels=labels
            )
            held = apply_page(held, page_id=page_id, page=pages[page_id])
        walked = from_pages(TS, pages.values())
        assert held == walked
        assert held.by_key == walked.by_key
        assert held.prompts == walked.prompts
        assert held.folders == walked.folders
        assert held.matcher.match("Ship it") == walked.matcher.match("Ship it")
        assert held.duplicates == walked.duplicates
        assert held.broken == walked.broken
        assert from_pages(TS, pages.values(), known=held) is held


@pytest.mark.covers("TS-04")
def test_a_page_edited_to_another_key_leaves_nothing_under_the_old_one() -> None:
    held = from_pages(TS, [APage(id=1, body=skill_text("old"))])
    held = apply_page(held, page_id=1, page=APage(id=1, body=skill_text("new"), version=2))
    assert list(held.by_key) == ["new"]


@pytest.mark.covers("TS-04")
def test_of_two_pages_on_one_key_the_lower_id_serves_and_the_other_takes_over() -> None:
    held = from_pages(TS, [APage(id=10, body=skill_text("a")), APage(id=9, body=skill_text("a", title="Nine"))])
    assert held.by_key["a"].page_id == 9
    assert held.duplicates == (Duplicate(kind=Kind.TOOL_SKILL, key="a", served=9, shadowed=10),)
    held = apply_page(held, page_id=9, page=APage(id=9, body=skill_text("b"), version=2))
    assert held.by_key["a"].page_id == 10
    assert held.duplicates == ()


def _texts(*pages: tuple[int, str]) -> list[APage]:
    return [APage(id=page_id, body=f"---\n{front}\n---\nWhat it says.\n") for page_id, front in pages]


@pytest.mark.covers("HS-01", "PT-01", "TS-04")
def test_each_page_is_held_in_the_dialect_its_front_matter_tells() -> None:
    held = from_pages(
        TS,
        [
            APage(id=1, body=skill_text("a")),
            *_texts(
                (2, "name: deploy\ndescription: d\ntriggers: [ship it]"),
                (3, "name: notes\ndescription: d"),
                (4, "name: tools-only\ndescription: d\ntools: []"),
                (5, "title: a page\nname: without a description"),
            ),
        ],
    )
    assert list(held.by_key) == ["a"]
    assert list(held.prompts) == ["deploy", "tools-only"]
    assert list(held.folders) == ["notes"]
    assert held.matcher.match("please SHIP it") == ("deploy",)
    assert (held.broken, held.duplicates) == ((), ())


@pytest.mark.covers("TS-04", "PT-01")
def test_the_lower_id_wins_a_name_and_each_dialect_has_names_of_its_own() -> None:
    prompt, agent = "name: deploy\ndescription: d\ntriggers: [x]", "name: deploy\ndescription: d"
    held = from_pages(TS, _texts((4, prompt), (3, prompt), (2, agent), (1, agent)))
    assert held.prompts["deploy"].page.page_id == 3
    assert held.folders["deploy"].page.page_id == 1
    assert [(twin.kind, twin.served, twin.shadowed) for twin in held.duplicates] == [
        (Kind.AGENT_SKILL, 1, 2),
        (Kind.PROMPT_SKILL, 3, 4),
    ]


@pytest.mark.covers("HS-04", "HS-05")
def test_a_folder_of_the_library_is_an_agent_skill_whatever_else_its_author_wrote() -> None:
    fronts = {
        "name: ads\ndescription: d\ntriggers: [paid ads]": ["ads"],
        "name: ads\ndescription: d\ntools: Read, Grep": [],
        "name: ads\ndescription: d\ntrigger: when somebody asks": [],
    }
    for front, prompts in fronts.items():
        (page,) = _texts((1, front))
        held = from_pages(TS, [replace(page, labels=(FOLDER_LABEL,))])
        assert list(held.folders) == ["ads"]
        assert list(held.prompts) == prompts
        assert held.broken == ()
        assert from_pages(TS, [page], known=held).folders == {}


@pytest.mark.covers("HS-05")
@pytest.mark.parametrize(
    ("front", "kind", "name", "field"),
    [
        ("name: n\ndescription: d: e", Kind.AGENT_SKILL, None, "frontmatter"),
        ("name: n\ndescription: d: e\ntriggers: [x]", Kind.PROMPT_SKILL, None, "frontmatter"),
        ("name: No Name\ndescription: d", Kind.AGENT_SKILL, "No Name", "name"),
        ("name: n\ndescription: d\ntriggers: [on]", Kind.PROMPT_SKILL, "n", "triggers[0]"),
        ("key: n\ntrigger: {tool: x}\nphases: execute", Kind.TOOL_SKILL, "n", "phases"),
    ],
)
def test_a_page_that_cannot_be_read_as_the_skill_it_is_meant_to_be_says_so(
    front: str, kind: Kind, name: str | None, field: str
) -> None:
    held = from_pages(TS, _texts((1, front)))
    ((page, reading),) = held.broken
    assert (page.page_id, reading.kind, reading.name) == (1, kind, name)
    assert field in [problem.field for problem in reading.problems]


@pytest.mark.covers("PT-01")
def test_the_matcher_is_built_once_for_as_long_as_no_trigger_changes() -> None:
    held = from_pages(TS, _texts((1, "name: deploy\ndescription: d\ntriggers: [ship it]")))
    after = apply_page(held, page_id=2, page=APage(id=2, body=skill_text("a")))
    assert after.matcher is held.matcher
    changed = apply_page(after, page_id=1, page=_texts((1, "name: deploy\ndescription: d\ntriggers: [go]"))[0])
    assert changed.matcher is not held.matcher


@pytest.mark.covers("TS-04")
def test_a_page_that_moves_out_is_trashed_or_is_a_draft_is_dropped() -> None:
    page = APage(id=1, body=skill_text("a"))
    held = from_pages(TS, [page])
    for gone in (replace(page, container="ENG"), replace(page, published=False), None):
        assert apply_page(held, page_id=1, page=gone).by_key == {}


def test_a_registry_without_a_source_takes_no_page() -> None:
    assert apply_page(EMPTY, page_id=1, page=APage(id=1, body=skill_text())) is EMPTY


@pytest.mark.covers("TS-07")
def test_nothing_is_served_from_the_moment_the_company_names_another_source() -> None:
    registry.install(from_pages(TS, [APage(id=1, body=skill_text())]))
    assert list(registry.current().by_key) == ["mcp:github"]
    for change in ({"skills_container": "PLAYBOOK"}, {"skills_container": None}, {"backend": Backend.NONE}):
        live.install(replace(HARBOUR, revision=live.current().revision + 1, **change))
        assert registry.current() == EMPTY


def test_listing_and_holding_back_agree_with_a_plain_look_at_every_skill() -> None:
    held = from_pages(
        TS,
        [
            APage(id=1, body=skill_text("a", trigger="{mcp_server: github}")),
            APage(id=2, body=skill_text("b", trigger="{all_of: [{mcp_server: github}, {tool: post_message}]}")),
            APage(id=3, body=skill_text("c", trigger="{tool: get_issue}", required="false")),
            APage(id=4, body=skill_text("d", trigger="{tool: get_issue}", phases="[subagent]")),
        ],
    )
    surface = Surface(tools=frozenset({"get_issue"}), servers=frozenset({"github"}))
    assert [one.skill.key for one in held.listed(phase=Phase.EXECUTE, surface=surface)] == ["a", "c"]
    back = held.holding_back(tool="get_issue", servers=("github",), phase=Phase.EXECUTE, surface=surface)
    assert [one.skill.key for one in back] == ["a"]
    back = held.holding_back(tool="get_issue", servers=("github",), phase=Phase.SUBAGENT, surface=surface)
    assert [one.skill.key for one in back] == ["a", "d"]
    wider = Surface(tools=frozenset({"get_issue", "post_message"}), servers=frozenset({"github"}))
    back = held.holding_back(tool="anything", servers=("github",), phase=Phase.EXECUTE, surface=wider)
    assert [one.skill.key for one in back] == ["a", "b"]


@pytest.mark.covers("GU-04")
def test_a_thousand_skills_are_listed_and_asked_by_what_their_triggers_name() -> None:
    pages = [
        APage(
            id=n,
            body=skill_text(f"tool:{n}", trigger=f"{{any_of: [{{tool: tool_{n}}}, {{mcp_server: server_{n % 100}}}]}}"),
        )
        for n in range(1_000)
    ]
    held = from_pages(TS, pages)
    registry.install(held)
    surface = Surface(tools=frozenset(f"tool_{n}" for n in range(50)), servers=frozenset({"server_7"}))
    for n in range(200):
        found = held.holding_back(tool=f"tool_{n}", servers=("server_7",), phase=Phase.EXECUTE, surface=surface)
        assert {one.skill.key for one in found} >= ({f"tool:{n}"} if n < 50 else set())
    assert len(held.listed(phase=Phase.EXECUTE, surface=surface)) == 59
