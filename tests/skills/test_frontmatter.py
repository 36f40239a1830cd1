"""Front matter: fences, strict YAML, lines, and the promise never to raise."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills import frontmatter
from skills.frontmatter import Broken, Parsed, Unfenced


def parsed(text: str) -> Parsed:
    reading = frontmatter.parse(text)
    assert isinstance(reading, Parsed), reading
    return reading


def broken(text: str) -> Broken:
    reading = frontmatter.parse(text)
    assert isinstance(reading, Broken), reading
    return reading


def test_the_body_is_exact_after_the_closing_fence() -> None:
    assert parsed("---\nname: a\n---\n\n# A\n---\n end \n").body == "\n# A\n---\n end \n"


def test_crlf_a_byte_order_mark_and_blanks_after_a_fence_are_accepted() -> None:
    reading = parsed("\ufeff--- \r\nname: a\r\ntext: |\r\n  one\r\n  two\r\n---\t\r\nbody\r\n")
    assert reading.values == {"name": "a", "text": "one\ntwo\n"}
    assert reading.body == "body\r\n"


@pytest.mark.parametrize(
    "text", ["", "# Heading\n", " ---\nname: a\n---\n", "\n---\nname: a\n---\n", "----\na: b\n----\n"]
)
def test_a_text_that_does_not_begin_with_a_fence_is_all_body(text: str) -> None:
    assert frontmatter.parse(text) == Unfenced(body=text)


def test_an_indented_fence_does_not_close_the_front_matter() -> None:
    assert parsed("---\ntext: |\n  a\n  ---\n  b\n---\nc").values == {"text": "a\n---\nb\n"}


def test_a_missing_closing_fence_is_reported_and_the_text_kept() -> None:
    reading = broken("---\nname: a\n# Body\n")
    assert not reading.closed
    assert reading.raw == "name: a\n# Body\n"
    assert "closing fence" in reading.problems[0].detail


def test_front_matter_without_a_field_is_empty_and_no_problem() -> None:
    assert parsed("---\n---\nbody").values == {}
    assert parsed("---\n# only a comment\n---").values == {}


def test_every_field_knows_its_line_in_the_file() -> None:
    reading = parsed("---\nname: a\ntrigger:\n  any_of:\n    - tool: x\n    - tool: y\n---\n")
    trigger = reading.fields["trigger"]
    assert trigger.line == 3
    assert trigger.entries is not None
    any_of = trigger.entries["any_of"]
    assert any_of.items is not None
    assert any_of.items[1].entries is not None
    assert any_of.items[1].entries["tool"].line == 6


@pytest.mark.covers("HS-05")
@pytest.mark.parametrize(
    ("yaml_text", "line", "word"),
    [
        ("name: a\ndescription: Use when: needed", 3, "quotes"),
        ("name: a\nname: b", 3, "second time"),
        ("a:\n  b: 1\n  b: 2", 4, "second time"),
        ("a: &x one\nb: *x", 3, "alias"),
        ("a: b\nc: *text*", 3, "quotes"),
        ("a: !!str b", 2, "tag"),
        ("a: !python/object:os.system {}", 2, "tag"),
        ("a: !x [b]", 2, "tag"),
        ("<<: {a: b}", 2, "merges"),
        ("a: b\nno colon here\nc: d", 3, "no colon"),
        ("a: 'open\nb: c", 2, "never closed"),
        ("a: [one, two\nb: c", 2, "not closed"),
        ("a: @b", 2, "quotes"),
        ("a: * b", 2, "quotes"),
        ("\ta: b", 2, "tab"),
        ("a: b\n\x07", 3, "control character"),
        ('a: "\\UFFFFFFFF"', 2, "out of range"),
        ('a: b\nc: "\\ud800"', 3, "half a pair"),
        ('a: "\\0"', 2, "NUL"),
        ("- a\n- b", 2, "set of fields"),
        ("just text", 2, "set of fields"),
        ("[a]: b", 2, "list or a mapping"),
        ("%YAML 1.1", 3, "not valid YAML"),
        ("a: b\n...\nc: d", 4, "not valid YAML"),
        ("x: " + "[" * 5000, 2, "nested"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused_with_its_line(yaml_text: str, line: int, word: str) -> None:
    reading = broken(f"---\n{yaml_text}\n---\nbody")
    assert reading.body == "body"
    assert any(problem.line == line and word in problem.detail for problem in reading.problems), reading.problems


def test_a_body_that_no_page_could_hold_is_reported_with_its_line() -> None:
    for body in ("one\ntwo \x00", "one\n\ud800"):
        (problem,) = broken(f"---\na: b\n---\n{body}").problems
        assert (problem.field, problem.line) == ("body", 5)


def test_several_problems_are_reported_together() -> None:
    problems = broken("---\na: *x\nb: !t c\nd: e\nd: f\n---\n").problems
    assert [problem.line for problem in problems] == [2, 3, 5]
    assert problems[-1].field == "d"


def test_more_than_64_kib_of_front_matter_is_refused_before_it_is_read() -> None:
    fits = "a: " + "x" * (frontmatter.MAX_FRONTMATTER_BYTES - 4) + "\n"
    assert parsed(f"---\n{fits}---\n").values["a"]
    reading = broken(f"---\nb{fits}---\n")
    assert reading.problems[0].code == "too_long"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("1.5", 1.5),
        ("1.0", 1.0),
        ("true", True),
        ("off", False),
        ("~", None),
        ("", None),
        ("1.10", "1.10"),
        ("010", "010"),
        ("1:30", "1:30"),
        ("0x1F", "0x1F"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("2026-13-45", "2026-13-45"),
        ("2026-01-02", "2026-01-02"),
        ("9" * 5000, "9" * 5000),
        ("'1'", "1"),
    ],
)
def test_a_scalar_becomes_a_number_only_where_nothing_of_its_text_is_lost(written: str, value: object) -> None:
    entry = parsed(f"---\nv: {written}\n---\n").fields["v"]
    assert entry.value == value
    assert type(entry.value) is type(value)


def test_the_text_and_the_source_of_a_value_are_kept() -> None:
    fields = parsed('---\nversion: 1.10\nhint: [issue-number]\nquoted: "a: b"\n---\n').fields
    assert fields["version"].text == "1.10"
    assert fields["hint"].source == "[issue-number]"
    assert (fields["quoted"].text, fields["quoted"].source) == ("a: b", '"a: b"')


def test_the_largest_front_matter_is_read_in_seconds_whatever_its_shape() -> None:
    half = frontmatter.MAX_FRONTMATTER_BYTES // 2
    for raw in (
        "k: v\n" * (half // 5),
        "".join(f"k{n}: v\n" for n in range(half // 8)),
        "- " * half,
        "a: [" + "x," * half,
    ):
        begin = time.monotonic()
        frontmatter.parse_yaml(raw)
        assert time.monotonic() - begin < 10


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ("---\na: b\n".encode("utf-16"), "UTF-16"),
        ("---\na: b\n".encode("utf-16-be"), "UTF-16"),
        (b"---\na: b\n---\n\0", "NUL"),
        (b"\xfe\xff\x00-", "UTF-16"),
        ("a".encode("utf-32"), "UTF-32"),
        (b"one\ntwo \xff", "UTF-8"),
    ],
)
def test_a_file_that_is_not_utf_8_is_told_so(data: bytes, word: str) -> None:
    result = frontmatter.decode(data)
    assert isinstance(result, frontmatter.Problem)
    assert word in result.detail


def test_the_line_of_the_first_bad_byte_is_told() -> None:
    result = frontmatter.decode(b"one\ntwo \xff")
    assert isinstance(result, frontmatter.Problem)
    assert result.line == 2


YAML_LIKE = st.text(
    alphabet=st.sampled_from("---\n\r\t :abk'\"[]{}*&!|>%@#?,0.1\\xuU\x00\x85\u2028\ud800é🚢~<"), max_size=200
)


@settings(max_examples=1500, deadline=None)
@given(st.one_of(st.text(max_size=200), YAML_LIKE))
def test_no_text_makes_the_reader_raise(raw: str) -> None:
    for text in (raw, f"---\n{raw}\n---\nbody"):
        reading = frontmatter.parse(text)
        if isinstance(reading, Broken):
            last = text.count("\n") + text.count("\r") + 1
            assert reading.problems
            assert all(problem.line is None or 1 <= problem.line <= last for problem in reading.problems)
        elif isinstance(reading, Parsed):
            json.dumps(reading.values, allow_nan=False).encode()
            str(reading.values).encode()


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=100))
def test_no_bytes_make_the_decoder_raise(data: bytes) -> None:
    assert isinstance(frontmatter.decode(data), str | frontmatter.Problem)
