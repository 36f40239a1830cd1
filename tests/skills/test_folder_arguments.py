"""Arguments of skills: the forms a call may use, and what becomes of every placeholder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills.folders import ErrorCode, Failed
from skills.folders.arguments import Argument, Given, refusal_of_form, substitute
from skills.folders.tools_field import Unbalanced, split_tools
from tests.skills.folders import tool_for, write_skill

pytestmark = pytest.mark.covers("HS-03")

TAG = Argument(name="tag", required=True)
SINCE = Argument(name="since-date")
DECLARED = (TAG, SINCE)


@pytest.mark.parametrize(
    ("body", "arguments", "filled"),
    [
        ("First: $1.", "zed", "First: zed."),
        ("$1, $2", "a b", "a, b"),
        ("$2", "a", "$2"),
        ("$ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[2]", "a  b", "a b $ARGUMENTS[2]"),
        ("$ARGUMENTS", " a  b ", " a  b "),
        ("$ARGUMENTS[x]", "a", "a[x]"),
        ("$ARGUMENTS_DIR $ARGUMENTSX", "a", "$ARGUMENTS_DIR $ARGUMENTSX"),
        ("$10", " ".join("abcdefghij"), "j"),
        ("$10", "a", "$10"),
        ("$0 $01", "a", "$0 $01"),
        ("tests/$1_test.py", "a", "tests/a_test.py"),
        ("$10,000 or $1.50 or $0.06", "a", "$10,000 or $1.50 or $0.06"),
        (r"\$1 and \$ARGUMENTS and \$ARGUMENTS[0] and \$5.00", "a", "$1 and $ARGUMENTS and $ARGUMENTS[0] and $5.00"),
        (r"C:\dir \n \$HOME $HOME", "a", r"C:\dir \n \$HOME $HOME"),
        ("$1", "$2 $1", "$2"),
        ("${tag}", "a", "${tag}"),
        ("$ARGUMENTS|$1", "", "|$1"),
        ("$1" + "9" * 5000, "a", "$1" + "9" * 5000),
    ],
)
def test_positional_placeholders(body: str, arguments: str, filled: str) -> None:
    assert substitute(body, declared=(), given=arguments) == filled


@pytest.mark.parametrize(
    ("body", "arguments", "filled"),
    [
        ("${tag} ${since-date}", {"tag": "v2"}, "v2 ${since-date}"),
        ("$ARGUMENTS", {"since-date": "May", "tag": "v2"}, "tag=v2 since-date=May"),
        ("$1 ${other}", {"tag": "v2"}, "$1 ${other}"),
        (r"\${tag}", {"tag": "v2"}, "${tag}"),
        ("${tag}", {"tag": "${since-date}", "since-date": "x"}, "${since-date}"),
    ],
)
def test_named_placeholders(body: str, arguments: dict[str, str], filled: str) -> None:
    assert substitute(body, declared=DECLARED, given=arguments) == filled


def test_without_arguments_the_body_is_untouched() -> None:
    body = r"$1 $ARGUMENTS \$1 ${tag}"
    assert substitute(body, declared=DECLARED, given=None) == body


@pytest.mark.parametrize(
    ("declared", "arguments", "word"),
    [
        ((), None, None),
        ((), "a b", None),
        ((), {}, "does not accept named arguments"),
        (DECLARED, "v2", "expects named arguments: tag, since-date"),
        (DECLARED, {"tag": "v2"}, None),
        (DECLARED, {"tag": "v2", "sinse": "x"}, "'sinse'"),
        (DECLARED, {"since-date": "x"}, "requires 'tag'"),
        (DECLARED, None, "requires 'tag'"),
        ((SINCE,), None, None),
    ],
)
def test_the_form_of_a_call_has_to_fit_what_is_declared(
    declared: tuple[Argument, ...], arguments: Given, word: str | None
) -> None:
    refusal = refusal_of_form(skill="release-notes", declared=declared, given=arguments)
    assert (refusal is None) if word is None else (refusal is not None and word in refusal)


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("Bash(git add *) Bash(git commit:*), Read", ("Bash(git add *)", "Bash(git commit:*)", "Read")),
        ("Read,Grep\n  Glob", ("Read", "Grep", "Glob")),
        ("Bash(a, (b) c)", ("Bash(a, (b) c)",)),
        (" , ,", ()),
        ("", ()),
    ],
)
def test_tools_are_divided_outside_parentheses(text: str, tools: tuple[str, ...]) -> None:
    assert split_tools(text) == tools


@pytest.mark.parametrize("text", ["Bash(git log, Read", "Read), Grep", "Bash(a))"])
def test_tools_with_an_odd_parenthesis_are_not_guessed(text: str) -> None:
    assert isinstance(split_tools(text), Unbalanced)


PLACEHOLDERS = st.text(alphabet=st.sampled_from("$\\{}[]ARGUMENTS0123456789.,tag -_"), max_size=120)


@settings(max_examples=1000, deadline=None)
@given(PLACEHOLDERS, st.one_of(st.none(), st.text(max_size=40), st.fixed_dictionaries({"tag": st.text(max_size=40)})))
def test_no_body_and_no_argument_make_substitution_raise(body: str, arguments: Given) -> None:
    filled = substitute(body, declared=DECLARED, given=arguments)
    if arguments is None or "$" not in body:
        assert filled == body


ANY_TEXT = st.text(alphabet=st.characters(), max_size=20)  # with halves of pairs, which JSON lets through
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), ANY_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ANY_TEXT, inner, max_size=3)),
    max_leaves=6,
)
CALLS = st.one_of(JSON, st.fixed_dictionaries({"name": st.one_of(st.just("berths"), JSON), "arguments": JSON}))


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CALLS)
def test_nothing_a_model_sends_makes_the_tool_raise(tmp_path: Path, params: object) -> None:
    if not (tmp_path / "berths").exists():
        write_skill(tmp_path, "berths", body="$ARGUMENTS $1 ${tag}")
    answer = tool_for(tmp_path).call(params, turn=1)
    told = answer.as_dict()
    assert told["kind"] in ("error", "not_found", "ok")
    json.dumps(told, ensure_ascii=False).encode()


def test_half_of_a_character_pair_is_no_argument(tmp_path: Path) -> None:
    write_skill(tmp_path, "berths")
    for arguments in ("\ud800", "\x00", {"tag": "\udfff"}):
        answer = tool_for(tmp_path).call({"name": "berths", "arguments": arguments}, turn=1)
        assert isinstance(answer, Failed)
        assert answer.code is ErrorCode.INVALID_PARAM


def test_many_wrong_parameters_are_told_in_a_short_answer(tmp_path: Path) -> None:
    answer = tool_for(tmp_path).call({f"wrong{number}": 1 for number in range(5000)}, turn=1)
    assert len(answer.output) < 1000
    assert "4992 more" in answer.output
