"""What a screen says changed between two texts."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.diff import Difference, Level, Op, diff_lines, match_lines, pieces_of, side_by_side, split_lines

pytestmark = pytest.mark.covers("PG-07")

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d", "\n", "a\r\n"]), max_size=30).map("".join)


def applied(old: str, difference: Difference) -> str:
    """`old` with every hunk of the difference applied to it; the new text is not looked at."""
    before = split_lines(old)
    out: list[str] = []
    at = 0
    for hunk in difference.hunks:
        start = hunk.old_start - 1 if any(line.old for line in hunk.lines) else hunk.old_start
        out += before[at:start]
        at = start
        for line in hunk.lines:
            if line.op is not Op.ADDED:
                assert before[at] == line.text + line.end
                at += 1
            if line.op is not Op.REMOVED:
                out.append(line.text + line.end)
    return "".join([*out, *before[at:]])


def marked(old: str, new: str) -> list[tuple[str, list[str]]]:
    """The changed lines and what is marked in each."""
    return [
        (line.op.value, [line.text[start:end] for start, end in line.marks])
        for hunk in diff_lines(old, new).hunks
        for line in hunk.lines
        if line.op is not Op.SAME
    ]


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
    assert applied(old, diff_lines(old, new)) == new


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


@given(TEXTS, TEXTS)
def test_side_by_side_every_line_stands_once_on_its_own_side_and_in_order(old: str, new: str) -> None:
    for hunk in diff_lines(old, new).hunks:
        rows = list(side_by_side(hunk))
        assert [row.old for row in rows if row.old] == [line for line in hunk.lines if line.op is not Op.ADDED]
        assert [row.new for row in rows if row.new] == [line for line in hunk.lines if line.op is not Op.REMOVED]


WORDS = st.lists(st.sampled_from(["tide", " ", "Tide", "é", "e\u0301", "日", "-", "👩\u200d👧", "नमस्ते"]), max_size=14)


@given(WORDS, WORDS)
def test_what_two_lines_leave_unmarked_is_the_same_on_both_sides_but_for_blanks(a: list[str], b: list[str]) -> None:
    old, new = "".join(a), "".join(b)
    kept = [
        ["".join(piece.text for piece in pieces_of(line.text, line.marks) if not piece.marked).replace(" ", "")]
        for hunk in diff_lines(old, new).hunks
        for line in hunk.lines
    ]
    assert len(kept) != 2 or kept[0] == kept[1]


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("hello world", "hello there", ["world"], ["there"]),
        ("one two three", "one 2 III three", ["two"], ["2 III"]),
        ("pay 10 EUR", "pay 12 EUR", ["10"], ["12"]),
        ("naïve cafe", "naïve café", ["cafe"], ["café"]),
        ("今日は良い", "今日は悪い", ["良"], ["悪"]),
        ("नमस्ते दुनिया", "नमस्ता दुनिया", ["नमस्ते"], ["नमस्ता"]),
        ("crew 👩\u200d👩\u200d👧", "crew 👩\u200d👩\u200d👦", ["👩\u200d👩\u200d👧"], ["👩\u200d👩\u200d👦"]),
        ("same words", "same words, more", [], [", more"]),
        ("", "all new", [], ["all new"]),
    ],
)
def test_the_words_that_changed_are_marked(old: str, new: str, gone: list[str], come: list[str]) -> None:
    assert marked(f"{old}\n", f"{new}\n") == [("-", gone), ("+", come)]


def test_a_line_that_is_only_new_has_no_counterpart_and_no_marks() -> None:
    assert marked("a\n", "a\nb\n") == [("+", [])]


def test_of_unequal_numbers_of_lines_the_most_alike_face_each_other() -> None:
    old, new = "the tide is high\n", "a line of its own\nthe tide is low\n"
    assert marked(old, new) == [("-", ["high"]), ("+", []), ("+", ["low"])]
    (hunk,) = diff_lines(old, new).hunks
    assert [(row.old and row.old.old, row.new and row.new.new) for row in side_by_side(hunk)] == [(None, 1), (1, 2)]


def test_a_change_of_a_line_end_keeps_the_text_and_says_the_end() -> None:
    (hunk,) = diff_lines("a\r\nb\n", "a\nb\n").hunks
    assert [(line.op, line.text, line.end, line.marks) for line in hunk.lines[:2]] == [
        (Op.REMOVED, "a", "\r\n", ()),
        (Op.ADDED, "a", "\n", ()),
    ]


def test_a_carriage_return_at_the_end_of_a_text_is_part_of_its_last_line() -> None:
    (hunk,) = diff_lines("a", "a\r").hunks
    assert [(line.text, line.end) for line in hunk.lines] == [("a", ""), ("a\r", "")]


def test_lines_put_between_others_without_any_around_have_the_line_before_as_their_start() -> None:
    (hunk,) = diff_lines("", "a\n").hunks
    assert (hunk.old_start, hunk.new_start) == (0, 1)


@pytest.mark.parametrize("line", ["tide " * 20_000, "x" * 100_000])
def test_one_letter_changed_in_a_line_of_a_hundred_thousand_is_marked(line: str) -> None:
    old, new = line, f"{line[:50_001]}J{line[50_002:]}"
    started = time.process_time()
    difference = diff_lines(old, new)
    assert time.process_time() - started < 0.5
    assert difference.level is Level.WORD
    for changed in difference.hunks[0].lines:
        ((start, end),) = changed.marks
        assert start <= 50_001 < end <= start + 8


def prose(drawn: random.Random, lines: int) -> list[str]:
    words = ["".join(drawn.choices("abcdefghijklmnopqrstuvwxyz", k=drawn.randint(2, 9))) for _ in range(2_000)]
    return [" ".join(drawn.choices(words, k=8)) + "\n" for _ in range(lines)]


@pytest.mark.parametrize("scattered", [True, False])
def test_two_thousand_changed_lines_in_half_a_megabyte_are_marked_within_a_second(scattered: bool) -> None:
    drawn = random.Random(3)  # a fixed seed: the same texts every time
    old = prose(drawn, 9_700)
    new = list(old)
    for n in drawn.sample(range(9_700), 2_000) if scattered else range(3_000, 5_000):
        new[n] = new[n].replace(" ", " now ", 1)
    before, after = "".join(old), "".join(new)
    assert len(before.encode()) > 500_000
    started = time.process_time()
    difference = diff_lines(before, after)
    assert time.process_time() - started < 1
    assert (difference.added, difference.removed, difference.level) == (2_000, 2_000, Level.WORD)
    assert applied(before, difference) == after


def test_a_difference_too_large_for_words_says_that_it_is_by_line() -> None:
    drawn = random.Random(5)  # a fixed seed: the same texts every time
    old, new = (" ".join("".join(prose(drawn, 9_000)).split()) for _ in range(2))
    difference = diff_lines(old, new)
    assert (difference.level, difference.added, difference.removed) == (Level.LINE, 1, 1)
    assert applied(old, difference) == new


def test_few_edits_in_a_long_text_of_lines_that_repeat_are_found() -> None:
    drawn = random.Random(7)  # a fixed seed: the same texts every time
    old = [f"{drawn.randrange(2)}\n" for _ in range(60_000)]
    new = list(old)
    for n in sorted(drawn.sample(range(60_000), 40), reverse=True):
        del new[n]
    difference = diff_lines("".join(old), "".join(new))
    assert difference.removed - difference.added == 40
    assert difference.removed < 100


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [2, 3, 1_000])
def test_two_bodies_of_half_a_mebibyte_with_nothing_in_place_are_compared_in_bounded_time(vocabulary: int) -> None:
    drawn = random.Random(7)  # a fixed seed: the same texts every time
    old, new = ("".join(f"{drawn.randrange(vocabulary)}\n" for _ in range(200_000)) for _ in range(2))
    started = time.process_time()
    diff_lines(old, new)
    assert time.process_time() - started < 8
