"""What is embedded of a document, and how many documents a request carries."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedding.rules.packing import Limits, how_many
from knowledge.embedding.rules.window import READ_CHARACTERS, WINDOW_BYTES, digest_of, opening, reach_of

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=3000)


@pytest.mark.covers("EM-03")
@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("Quay", "One.\n\n  Two\tthree  ", "Quay One. Two three"),
        ("  A   title ", "", "A title"),
        ("Quay", "\u2003\u00a0four", "Quay four"),
    ],
)
def test_the_opening_is_title_and_body_with_white_space_collapsed(title: str, body: str, expected: str) -> None:
    assert opening(title=title, body=body) == expected


@pytest.mark.covers("EM-03")
def test_white_space_spends_none_of_the_window() -> None:
    text = opening(title="T", body=("word" + " " * 3) * 2_000)
    assert len(text.encode()) == WINDOW_BYTES


@pytest.mark.covers("EM-03")
def test_only_the_first_characters_of_a_body_are_read() -> None:
    assert opening(title="T", body=" " * READ_CHARACTERS + "never read") == "T"


@pytest.mark.covers("EM-03")
def test_a_window_is_cut_between_characters_and_never_widened() -> None:
    assert opening(title="é", body="é" * 10, bound=4) == "é "
    assert len(opening(title="T", body="x" * 20_000, bound=1_000_000).encode()) == WINDOW_BYTES


@pytest.mark.covers("EM-03")
def test_the_digest_is_of_the_bytes_that_are_sent() -> None:
    assert digest_of("Łódź") == hashlib.sha256("Łódź".encode()).hexdigest()


@pytest.mark.covers("EM-03")
@given(TEXT, TEXT, st.integers(1, 200))
def test_an_opening_fits_and_is_the_same_from_a_body_that_was_read_in_part(title: str, body: str, bound: int) -> None:
    long = body * 20
    text = opening(title=title, body=long, bound=bound)
    assert len(text.encode()) <= bound
    assert text == opening(title=title, body=long[:READ_CHARACTERS], bound=bound)
    assert " ".join(f"{title} {long}".split()).startswith(text)


@pytest.mark.covers("SE-15")
def test_the_text_past_the_window_is_counted_with_what_the_opening_never_read() -> None:
    reach = reach_of(title="T", body=" " * READ_CHARACTERS + "unseen")
    assert (reach.total, reach.past) == (8, 7)
    assert reach_of(title="T", body="short").past == 0


@pytest.mark.covers("EM-02")
def test_a_request_of_full_windows_is_cut_by_the_models_total() -> None:
    limits = Limits(request_tokens=300_000)
    assert how_many([WINDOW_BYTES] * 128, limits) == 36
    assert how_many([10] * 500, limits) == 128
    assert how_many([10] * 500, Limits(inputs=16)) == 16


@pytest.mark.covers("EM-02")
def test_a_request_total_below_the_window_lowers_the_bound_of_one_text() -> None:
    assert Limits(request_tokens=2_000).input_bytes == 2_000
    assert Limits(input_tokens=512).input_bytes == 512
    assert Limits().input_bytes == WINDOW_BYTES


@pytest.mark.covers("EM-02")
@given(
    st.lists(st.integers(1, WINDOW_BYTES), max_size=300),
    st.builds(
        Limits,
        input_tokens=st.integers(1, 10_000),
        request_tokens=st.none() | st.integers(1, 400_000),
        inputs=st.integers(1, 2_000),
    ),
)
def test_every_request_fits_and_every_text_is_sent(wished: list[int], limits: Limits) -> None:
    sizes = [min(size, limits.input_bytes) for size in wished]
    sent = 0
    while sent < len(sizes):
        count = how_many(sizes[sent:], limits)
        request = sizes[sent : sent + count]
        assert 1 <= count <= min(128, limits.inputs)
        assert limits.request_tokens is None or sum(request) <= limits.request_tokens
        sent += count
    assert sent == len(sizes)
