"""Titles, addresses, bodies, labels and messages: what is kept, what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company.rules.refusals import Code, Refused
from knowledge.rules.labels import clean_labels, clean_watchers, with_watcher
from knowledge.rules.texts import check_body, clean_message, clean_reason
from knowledge.rules.titles import clean_title, fold


def code_of(call: Callable[[], object]) -> tuple[Code, dict[str, object]]:
    with pytest.raises(Refused) as caught:
        call()
    assert len(caught.value.detail) > 10
    return caught.value.code, caught.value.extras


@pytest.mark.covers("PG-03")
@pytest.mark.parametrize(
    ("title", "address"),
    [
        ("Deploy Runbook", "deploy runbook"),
        ("  Deploy \t\u00a0 Runbook\u3000", "deploy runbook"),
        ("CAFE\u0301", "café"),
        ("ΟΔΌΣ", "οδός"),
        ("ẞtraße", "ßtraße"),
        ("İstanbul", "i̇stanbul"),
    ],
)
def test_a_title_folds_to_its_address(title: str, address: str) -> None:
    assert fold(title) == address


@given(st.text())
def test_folding_twice_is_folding_once(title: str) -> None:
    assert fold(fold(title)) == fold(title)


@given(st.text(max_size=256).filter(lambda text: len(text.encode(errors="replace")) <= 256))
def test_an_address_of_any_title_fits_its_column(title: str) -> None:
    assert len(fold(title)) <= 512


@pytest.mark.covers("PG-01")
def test_a_title_is_trimmed_and_its_line_breaks_become_spaces() -> None:
    assert clean_title(" a\nb\tc\r\u2028d ") == "a b c  d"
    assert clean_title("\u0627\u200e b") == "\u0627\u200e b"


@pytest.mark.parametrize(
    "title",
    ["", "  ", "\n", "\u200b\u2060", "\u3164", "\u2800", "\ufe0f", "a\x00", "a\x07", "a\x7f", "a\x85b", "a\u202eb",
     "a\u2066b", "a\ud800"],
)  # fmt: skip
def test_a_title_that_shows_nothing_or_holds_a_control_character_is_invalid(title: str) -> None:
    assert code_of(lambda: clean_title(title))[0] is Code.INVALID


@pytest.mark.covers("PG-01")
def test_limits_count_bytes_and_are_named() -> None:
    assert clean_title("é" * 128)
    assert code_of(lambda: clean_title("é" * 128 + "a")) == (Code.TOO_LONG, {"limit": 256})
    assert check_body("é" * 262_144)
    assert code_of(lambda: check_body("é" * 262_144 + "a")) == (Code.TOO_LONG, {"limit": 524_288})
    assert code_of(lambda: clean_message("m" * 257)) == (Code.TOO_LONG, {"limit": 256})
    assert code_of(lambda: clean_labels([str(n) for n in range(33)])) == (Code.TOO_LONG, {"limit": 32})
    assert code_of(lambda: clean_labels(["l" * 65])) == (Code.TOO_LONG, {"limit": 64})
    handles = [f"seat-{n}" for n in range(257)]
    assert code_of(lambda: clean_watchers(handles, handles=handles)) == (Code.TOO_LONG, {"limit": 256})
    assert code_of(lambda: with_watcher(handles[:256], "one-more")) == (Code.TOO_LONG, {"limit": 256})


@pytest.mark.covers("PG-17")
@given(st.text())
def test_a_body_is_kept_to_the_byte_or_refused(body: str) -> None:
    if "\x00" in body:
        assert code_of(lambda: check_body(body))[0] is Code.INVALID
    else:
        assert check_body(body) == body


def test_labels_are_trimmed_and_kept_once_in_their_order() -> None:
    assert clean_labels([" b ", "a", "b"]) == ["b", "a"]
    assert code_of(lambda: clean_labels(["a", " "]))[0] is Code.INVALID


def test_a_watcher_nobody_knows_is_invalid() -> None:
    assert clean_watchers(["a", "a"], handles=["a"]) == ["a"]
    assert code_of(lambda: clean_watchers(["b"], handles=["a"]))[0] is Code.INVALID


def test_a_message_may_be_missing_and_a_reason_may_not() -> None:
    assert clean_message(None) == clean_message(" \n ") == ""
    assert code_of(lambda: clean_reason("  "))[0] is Code.REQUIRED
    assert clean_reason(" because\nso ") == "because\nso"
