"""What a screen says changed between two texts."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.diff import Op, diff_lines, match_lines, split_lines

pytestmark = pytest.mark.covers("PG-07")

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d", "\n", "a\r\n"]), max_size=30).map("".join)


def applied(old: str, new: str) -> str:
    """`old` with every hunk of the difference applied to it, which ought to be `new`."""
    before, after = split_lines(old), split_lines(new)
    out: list[str] = []
    at = 0
    for hunk in diff_lines(old, new).hunks:
        for line in hunk.lines:
            if line.old is not None:
                out += before[at : line.old - 1]
                at = line.old
                if line.op is Op.SAME:
                    out.append(before[line.old - 1])
            else:
                assert line.new is not None
                out.append(after[line.new - 1])
    return "".join([*out, *before[at:]])


def test_a_changed_line_is_removed_and_added_between_the_lines_around_it() -> None:
    difference = diff_lines("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
    (hunk,) = difference.hunks
    assert (hunk.old_start, hunk.new_start) == (2, 2)
    assert [f"{line.op}{line.text}" for line in hunk.lines] == [" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"]
    assert (difference.added, difference.removed) == (1, 1)


def test_changes_far_apart_are_two_hunks_with_their_own_starts() -> None:
    old = "".join(f"{n}\n" for n in range(1, 31))
    hunks = diff_lines(old, "0\n" + old.replace("25\n", "")).hunks
    assert [(hunk.old_start, hunk.new_start) for hunk in hunks] == [(1, 1), (22, 23)]


def test_the_same_text_has_no_hunk() -> None:
    assert diff_lines("a\nb", "a\nb").hunks == ()


@pytest.mark.parametrize(("old", "new"), [("a\n", "a"), ("a\r\n", "a\n"), ("", "a"), ("a", "")])
def test_a_change_of_a_line_end_is_a_change(old: str, new: str) -> None:
    assert len(diff_lines(old, new).hunks) == 1


def test_text_put_into_an_empty_page_starts_after_line_zero() -> None:
    (hunk,) = diff_lines("", "a\nb\n").hunks
    assert (hunk.old_start, hunk.new_start) == (0, 1)


@given(TEXTS, TEXTS)
def test_applying_the_hunks_to_the_old_text_makes_the_new_one(old: str, new: str) -> None:
    assert applied(old, new) == new


@given(TEXTS, TEXTS)
def test_matched_lines_are_equal_and_in_order_on_both_sides(old: str, new: str) -> None:
    a, b = split_lines(old), split_lines(new)
    i = j = 0
    for match in match_lines(a, b):
        assert match.old >= i
        assert match.new >= j
        assert a[match.old : match.old + match.length] == b[match.new : match.new + match.length]
        i, j = match.old + match.length, match.new + match.length


def test_a_few_lines_that_repeat_are_still_matched_by_the_shortest_edit() -> None:
    difference = diff_lines("a\nb\na\nb\na\nb\n", "b\na\nb\na\nb\na\n")
    assert (difference.added, difference.removed) == (1, 1)


@pytest.mark.parametrize("vocabulary", [2, 3, 1_000])
def test_two_bodies_of_half_a_mebibyte_with_nothing_in_place_are_compared_in_bounded_time(vocabulary: int) -> None:
    drawn = random.Random(7)  # a fixed seed: the same texts every time
    old, new = ("".join(f"{drawn.randrange(vocabulary)}\n" for _ in range(200_000)) for _ in range(2))
    started = time.process_time()
    diff_lines(old, new)
    assert time.process_time() - started < 8
