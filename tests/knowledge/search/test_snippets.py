"""What a hit shows of its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search.rules.queries import query_tokens
from knowledge.search.rules.snippets import cut_around, snippet_of

LONG = "The quay is quiet in the morning and nobody is about. " * 20
CHINESE = "港口每天早上都很安静" * 40 + "渡轮时刻表" + "港口每天早上都很安静" * 40


@pytest.mark.covers("SE-13")
@pytest.mark.parametrize(
    ("body", "asked", "shown"),
    [
        (LONG + "Then *the ferry* leaves. " + LONG, "ferries", "the ferry leaves"),
        (f"# Title\n\n{LONG}\n\n| berth | tariff |\n|---|---|\n| seven | 40 |\n", "tariff", "berth tariff"),
        (LONG + "pass `--dry-run` first " + LONG, "--dry-run", "--dry-run"),
        (LONG + "call getUserById now " + LONG, "getUserById", "getUserById"),
        (CHINESE, "渡轮", "渡轮时刻表"),
        (LONG + "Die Straße ist nass. " + LONG, "strasse", "Straße"),
        ("---\ntitle: x\n---\nOnly **this** line.", "nothing of it", "Only this line."),
        (LONG + "deployment " + LONG, "depl", "deployment"),
    ],
)
def test_a_snippet_shows_the_match_in_plain_text(body: str, asked: str, shown: str) -> None:
    snippet = snippet_of(body, query_tokens(asked))
    assert shown in snippet
    assert len(snippet) <= 200


@pytest.mark.covers("SE-13")
def test_the_stretch_that_shows_most_of_the_question_is_taken() -> None:
    body = f"A ferry.\n\n{LONG}\n\nThe ferry leaves its berth at noon.\n\n{LONG}"
    assert snippet_of(body, query_tokens("ferry berth noon")) == "The ferry leaves its berth at noon."


@pytest.mark.covers("SE-13")
def test_an_empty_page_has_an_empty_snippet() -> None:
    assert snippet_of("", query_tokens("x")) == ""


@pytest.mark.covers("SE-13")
@given(st.text(max_size=900), st.text(max_size=40))
def test_a_snippet_is_never_longer_than_promised(body: str, asked: str) -> None:
    assert len(snippet_of(body, query_tokens(asked))) <= 200


@pytest.mark.covers("SE-13")
@given(st.text(min_size=1, max_size=900), st.data())
def test_a_cut_holds_the_character_it_is_made_around(text: str, data: st.DataObject) -> None:
    line = " ".join(text.split()) or "x"
    at = data.draw(st.integers(0, len(line) - 1))
    cut = cut_around(line, at)
    assert len(cut) <= 200
    assert line[at] in cut
