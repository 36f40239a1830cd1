"""What a conflict screen proposes when two people edited one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.merge import MARK_DIVIDE, MARK_THEIRS, MARK_YOURS, count_marked, merge_texts

pytestmark = pytest.mark.covers("PG-05", "UI-02")

BASE = "Title\n\none\ntwo\nthree\nfour\nfive\n"
TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "a\r\n", "d"]), max_size=20).map("".join)


def test_edits_in_different_places_come_together() -> None:
    merged = merge_texts(base=BASE, yours=BASE.replace("one", "ONE"), theirs=BASE.replace("five", "FIVE"))
    assert merged.conflicts == 0
    assert merged.text == BASE.replace("one", "ONE").replace("five", "FIVE")


def test_the_same_edit_on_both_sides_is_taken_once() -> None:
    edited = BASE.replace("two", "2")
    assert merge_texts(base=BASE, yours=edited, theirs=edited) == merge_texts(base=BASE, yours=BASE, theirs=edited)


def test_different_edits_of_one_line_are_both_kept_between_marks() -> None:
    merged = merge_texts(base=BASE, yours=BASE.replace("two", "mine"), theirs=BASE.replace("two", "other"))
    assert merged.conflicts == 1
    assert f"{MARK_YOURS}\nmine\n{MARK_DIVIDE}\nother\n{MARK_THEIRS}\n" in merged.text
    assert count_marked(merged.text) == 1


def test_a_line_removed_on_one_side_and_edited_on_the_other_is_a_conflict() -> None:
    merged = merge_texts(base=BASE, yours=BASE.replace("two\n", ""), theirs=BASE.replace("two", "other"))
    assert merged.conflicts == 1
    assert "other" in merged.text


def test_a_last_line_without_its_newline_does_not_swallow_a_mark() -> None:
    merged = merge_texts(base="a", yours="b", theirs="c")
    assert merged.text == f"{MARK_YOURS}\nb\n{MARK_DIVIDE}\nc\n{MARK_THEIRS}\n"


def test_a_text_that_only_looks_like_marks_is_not_counted() -> None:
    assert count_marked("a\n=======\n<<<<<<< yours and more\n") == 0


@given(TEXTS, TEXTS)
def test_a_side_that_changed_nothing_leaves_the_other_side_exact(base: str, edited: str) -> None:
    assert merge_texts(base=base, yours=edited, theirs=base).text == edited
    assert merge_texts(base=base, yours=base, theirs=edited).text == edited


@given(TEXTS, TEXTS, TEXTS)
def test_every_line_that_either_side_added_is_in_the_proposal(base: str, yours: str, theirs: str) -> None:
    merged = merge_texts(base=base, yours=yours, theirs=theirs).text
    kept = [line.rstrip("\r") for line in merged.split("\n")]
    was = [line.rstrip("\r") for line in base.split("\n")]
    for side in (yours, theirs):
        for line in {line.rstrip("\r") for line in side.split("\n")} - set(was):
            assert line in kept
