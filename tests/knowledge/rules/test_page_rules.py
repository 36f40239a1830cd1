"""Edits, bases, trees, buckets, excerpts and container stamps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company.rules.chart import Space, SpaceKind
from company.rules.refusals import Code, Refused
from knowledge.rules.buckets import bucket_of
from knowledge.rules.containers import Verdict, judge, stamp_of
from knowledge.rules.edits import apply_edit, make_edit
from knowledge.rules.excerpts import excerpt_of
from knowledge.rules.trees import Place, check_parent, fallen_with, living_branch, ordered_with
from knowledge.rules.versions import check_base, merged_title


@pytest.mark.covers("PG-17")
@given(st.text(), st.text())
def test_an_edit_adds_exactly_its_text(body: str, text: str) -> None:
    assert apply_edit(body, make_edit(mode="append", text=text)) == body + text
    assert apply_edit(body, make_edit(mode="prepend", text=text)) == text + body


@pytest.mark.covers("PG-17")
@given(st.text(alphabet="ab"), st.text(alphabet="ab", min_size=1), st.text(alphabet="ab"))
def test_a_text_is_replaced_only_where_it_stands_once(body: str, find: str, text: str) -> None:
    places = [at for at in range(len(body)) if body.startswith(find, at)]
    edit = make_edit(mode="replace_text", text=text, find=find)
    if len(places) == 1:
        assert apply_edit(body, edit) == body[: places[0]] + text + body[places[0] + len(find) :]
        return
    with pytest.raises(Refused) as caught:
        apply_edit(body, edit)
    assert caught.value.code is (Code.TEXT_AMBIGUOUS if places else Code.TEXT_NOT_FOUND)


@pytest.mark.covers("PG-17")
def test_places_that_overlap_count_each() -> None:
    with pytest.raises(Refused) as caught:
        apply_edit("aaa", make_edit(mode="replace_text", text="b", find="aa"))
    assert caught.value.code is Code.TEXT_AMBIGUOUS


@pytest.mark.parametrize(
    ("mode", "find", "code"),
    [
        ("insert", None, Code.UNKNOWN_MODE),
        ("replace_text", None, Code.REQUIRED),
        ("replace_text", "", Code.REQUIRED),
        ("append", "x", Code.INVALID),
    ],
)
def test_an_edit_of_the_wrong_shape_is_refused(mode: str, find: str | None, code: Code) -> None:
    with pytest.raises(Refused) as caught:
        make_edit(mode=mode, text="", find=find)
    assert caught.value.code is code


@pytest.mark.covers("PG-05")
@pytest.mark.parametrize(("base", "stale"), [(1, True), (2, True), (3, False), (4, False), (5, False), (6, True)])
def test_a_base_is_stale_when_the_body_has_changed_since(base: int, stale: bool) -> None:
    if not stale:
        check_base(base, version=5, body_version=3)
        return
    with pytest.raises(Refused) as caught:
        check_base(base, version=5, body_version=3)
    assert (caught.value.code, caught.value.extras) == (Code.STALE_VERSION, {"current_version": 5})


def test_a_title_left_as_it_was_at_the_base_is_no_rename() -> None:
    assert merged_title(given="Old", at_base="Old", now="New") == "New"
    assert merged_title(given="Mine", at_base="Old", now="New") == "Mine"
    assert merged_title(given="Old", at_base=None, now="New") == "Old"


@pytest.mark.covers("PG-08")
@pytest.mark.parametrize(
    "parent",
    [
        None,
        Place(id=2, container="ENG", living=False),
        Place(id=2, container="PROD", living=True),
        Place(id=1, container="ENG", living=True),
        Place(id=3, container="ENG", living=True, above=frozenset({1, 2})),
    ],
)
def test_a_parent_that_breaks_the_tree_is_refused_naming_parent_id(parent: Place | None) -> None:
    with pytest.raises(Refused) as caught:
        check_parent(parent, container="ENG", page_id=1)
    assert (caught.value.code, caught.value.problems[0].attr) == (Code.PARENT_INVALID, "parent_id")


@pytest.mark.covers("PG-08")
def test_a_living_page_of_the_same_container_that_is_not_beneath_is_a_parent() -> None:
    check_parent(Place(id=2, container="ENG", living=True, above=frozenset({3})), container="ENG", page_id=1)


def test_a_page_is_put_before_its_sibling_and_nothing_else_changes_places() -> None:
    assert ordered_with([1, 2, 3, 4], page_id=4, before=2) == [1, 4, 2, 3]
    assert ordered_with([1, 2], page_id=9, before=1) == [9, 1, 2]
    with pytest.raises(Refused):
        ordered_with([1, 2], page_id=2, before=2)


@dataclass(frozen=True)
class Leaf:
    id: int
    parent_id: int | None
    trashed_with: int | None


@pytest.mark.covers("PG-12")
def test_what_fell_together_comes_back_together_and_what_lay_under_an_earlier_fall_does_not() -> None:
    branch = [Leaf(1, None, 1), Leaf(2, 1, 1), Leaf(3, 1, 3), Leaf(4, 2, 1), Leaf(5, 3, 3), Leaf(6, 3, 1)]
    assert [leaf.id for leaf in fallen_with(branch, page_id=1, trashed_with=1)] == [2, 4]
    assert living_branch([Leaf(1, None, None), Leaf(2, 1, None), Leaf(3, 1, 3)]) == [1, 2]


@pytest.mark.covers("SE-12")
def test_buckets_are_stable_within_64_and_spread_evenly() -> None:
    assert [bucket_of(identity) for identity in (1, 2, 3, 10_000)] == [54, 44, 1, 18]
    counts = [0] * 64
    for identity in range(64_000):
        counts[bucket_of(identity)] += 1
    assert min(counts) > 850
    assert max(counts) < 1_150


@pytest.mark.parametrize(
    ("body", "excerpt"),
    [
        ("# Title\n\nSome **bold**, _soft_ and `code`.", "Title Some bold, soft and code."),
        ("- [ ] one\n1. two\n> three\n", "one two three"),
        ("[a link](https://x.example) ![img](y.png) <https://z.example>", "a link img https://z.example"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
        ("---\nkey: x\n---\nBody", "Body"),
        ("---\nnot front matter", "not front matter"),
        ("```py\nx = a_b * c\n```\nsnake_case stays", "x = a_b * c snake_case stays"),
        ("<b>html</b> is text", "<b>html</b> is text"),
        ("\n\n  \n", ""),
        ("", ""),
    ],
)
def test_an_excerpt_is_the_plain_text_of_the_top(body: str, excerpt: str) -> None:
    assert excerpt_of(body) == excerpt


@pytest.mark.covers("PG-01")
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_an_excerpt_is_at_most_600_bytes_of_whole_characters(body: str) -> None:
    assert len(excerpt_of(body * 5).encode()) <= 600


def test_an_excerpt_is_cut_between_characters() -> None:
    assert excerpt_of("é" * 400) == "é" * 300
    assert excerpt_of("a" + "é" * 400) == "a" + "é" * 299


@pytest.mark.covers("CO-05")
def test_a_container_is_named_by_the_revision_activated_last() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    space = Space(key="ENG", name="Engineering", purpose="", kind=SpaceKind.UNIT)
    renamed = Space(key="ENG", name="Platform", purpose="", kind=SpaceKind.UNIT)
    row = stamp_of(space, activated_at=noon)
    assert judge(None, row) is Verdict.MADE
    assert judge(row, row) is Verdict.KEPT
    assert judge(row, stamp_of(renamed, activated_at=noon - timedelta(seconds=1))) is Verdict.KEPT
    assert judge(row, stamp_of(renamed, activated_at=noon + timedelta(seconds=1))) is Verdict.STAMPED
    assert judge(row, stamp_of(space, activated_at=noon + timedelta(seconds=1))) is Verdict.STAMPED
