"""The fast parser and the exact one: the same fields, lines, places and problems, whatever the text."""

from __future__ import annotations

import tarfile
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills import frontmatter, strict_yaml
from tests.data import data_file

PIECES = (
    "a", "b: ", "name: ", "- ", "\n", "\n  ", "\n    ", ": ", ":", "?", "? ", "[", "]", "{", "}", ", ", ",", '"', "'",
    "\\", "|", ">", "|-", ">+", "#", " #", "&a ", "*a", "!x ", "!!str ", "%", "@", "---", "\n---\n", "\n...\n", "\t",
    "\r", "\r\n", "\x85", "\u2028", "\ufeff", "\x00", "\x7f", "\u00a0", "🚢", "é", "<<", "~", "1.10", "2001-01-01",
    "=", " ", "\\n", "\\x41", "\\ud800", "''", "x" * 1030, "\ud800", "k: v\n", "  - x\n", "- a: b\n  c: d\n",
    '"a\n  b"', "{a:b}", "{a?b}", "[a: b]", "[,]", "-", "|2",
)  # fmt: skip


def assert_alike(raw: str) -> None:
    fast = frontmatter.parse_yaml(raw)
    with patch.object(strict_yaml, "_Parser", None):
        assert repr(fast) == repr(frontmatter.parse_yaml(raw))


@pytest.mark.covers("HS-05")
@settings(max_examples=600)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.booleans())
def test_both_parsers_read_every_text_alike(raw: str, after_a_field: bool) -> None:
    assert_alike(f"name: x\ndescription: {raw}" if after_a_field else raw)


@pytest.mark.parametrize(
    "raw",
    [
        "a:\tb",
        "a: \tb",
        "a: b\t",
        "\ufeffa: b",
        "\ufeff\ufeff",
        "{a?b}",
        "a: {b?: c}",
        "a: |#",
        "a: >-# b",
        "a: |2#x\n  c",
    ],
)
def test_what_libyaml_alone_accepts_is_judged_by_the_exact_parser(raw: str) -> None:
    assert_alike(raw)


def test_real_front_matter_is_read_alike_and_nearly_all_of_it_by_the_fast_parser() -> None:
    with tarfile.open(data_file("skill-folders.tar.gz")) as archive:
        files = [archive.extractfile(member) for member in archive if member.name.endswith("/SKILL.md")]
        readings = [frontmatter.split(file.read().decode()) for file in files if file is not None]
    raws = [reading.raw for reading in readings if isinstance(reading, frontmatter.Fenced)]
    assert len(raws) == 421
    for raw in raws:
        assert_alike(raw)
    with patch.object(strict_yaml, "_compose_exactly", return_value=(None, [])) as exactly:
        for raw in raws:
            strict_yaml.compose(raw)
    assert exactly.call_count < 42
