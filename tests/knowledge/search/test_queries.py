"""Questions at the door: what is refused, and that nothing else is."""

from __future__ import annotations

import pytest

from company.rules.refusals import Code, Refused
from knowledge.search.rules.outcome import Mode, parse_mode
from knowledge.search.rules.queries import MAX_BYTES, checked, query_tokens


@pytest.mark.covers("SE-03")
@pytest.mark.parametrize(
    "text", ['"', "a AND (b", "title:x^2", "*", "[1 TO 2]", "\\", "~~", "🙂", "数" * 130, "-" * 400]
)
def test_signs_of_query_languages_are_only_signs(text: str) -> None:
    assert checked(text) == text
    query_tokens(text)


@pytest.mark.covers("SE-03")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", Code.REQUIRED),
        (" \n", Code.REQUIRED),
        ("a\x00b", Code.INVALID),
        ("\ud800", Code.INVALID),
        ("é" * 201, Code.TOO_LONG),
    ],
)
def test_a_question_that_is_none_is_refused_with_a_sentence(text: str, code: Code) -> None:
    with pytest.raises(Refused) as refusal:
        checked(text)
    assert refusal.value.code is code
    assert refusal.value.problems[0].attr == "q"
    assert "'q'" in refusal.value.detail


@pytest.mark.covers("SE-03")
def test_the_longest_question_is_told_with_the_refusal() -> None:
    with pytest.raises(Refused) as refusal:
        checked("x" * (MAX_BYTES + 1))
    assert refusal.value.extras == {"limit": 400}


@pytest.mark.covers("SE-02")
def test_a_mode_nobody_knows_is_refused_and_none_is_hybrid() -> None:
    assert parse_mode(None) is Mode.HYBRID
    assert parse_mode("semantic") is Mode.SEMANTIC
    with pytest.raises(Refused) as refusal:
        parse_mode("fuzzy")
    assert refusal.value.code is Code.UNKNOWN_MODE
