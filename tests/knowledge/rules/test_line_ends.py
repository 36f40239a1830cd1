"""A body keeps its line ends on its way through a browser's form."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.rules.line_ends import as_written

pytestmark = pytest.mark.covers("PG-17")


def through_a_form(text: str) -> str:
    return re.sub(r"\r\n|\r|\n", "\r\n", text)


@given(st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r"]), max_size=40).map("".join))
def test_a_body_saved_as_it_was_opened_is_the_same_to_the_byte(body: str) -> None:
    assert as_written(through_a_form(body), base=body) == body


def test_a_new_line_in_a_text_with_crlf_ends_in_crlf_and_the_others_keep_theirs() -> None:
    base = "one\r\ntwo\r\nthree\nfour"
    assert as_written("one\r\nnew\r\ntwo\r\nthree\r\nfour", base=base) == "one\r\nnew\r\ntwo\r\nthree\nfour"


def test_a_text_that_ends_in_lf_gets_no_cr_from_the_form() -> None:
    assert as_written("one\r\nnew\r\n", base="one\n") == "one\nnew\n"
