"""Which answers are believed, and which vectors are kept."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedding.rules.answers import AnswerRefused, vectors_in_order
from knowledge.embedding.rules.vectors import Unusable, Usable, hamming, judged, sign_code


def result(index: object, *components: float) -> dict[str, Any]:
    return {"index": index, "embedding": list(components)}


@pytest.mark.covers("EM-08")
def test_results_are_filed_by_the_index_they_carry() -> None:
    answer = {"data": [result(2, 3.0), result(0, 1.0), result(1, 2.0)]}
    assert vectors_in_order(answer, inputs=3, dimensions=1) == [[1.0], [2.0], [3.0]]


@pytest.mark.covers("EM-08")
def test_an_answer_without_any_index_is_read_as_it_arrived() -> None:
    answer = {"data": [{"embedding": [1]}, {"embedding": [2]}]}
    assert vectors_in_order(answer, inputs=2, dimensions=1) == [[1.0], [2.0]]


@pytest.mark.covers("EM-08")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"data": [result(0, 1.0), result(0, 2.0)]}, "two results"),
        ({"data": [result(0, 1.0), result(2, 2.0)]}, "no position"),
        ({"data": [result(0, 1.0), result(-1, 2.0)]}, "no position"),
        ({"data": [result(0, 1.0), result(None, 2.0)]}, "no position"),
        ({"data": [result(None, 1.0), result(None, 2.0)]}, "no position"),
        ({"data": [result(0, 1.0), result("1", 2.0)]}, "no position"),
        ({"data": [result(0, 1.0), result(1.0, 2.0)]}, "no position"),
        ({"data": [result(False, 1.0), result(True, 2.0)]}, "no position"),
        ({"data": [result(0, 1.0), {"embedding": [2.0]}]}, "carry no index"),
        ({"data": [result(0, 1.0)]}, "1 results came back"),
        ({"data": [result(0, 1.0), result(1, 2.0), result(2, 2.0)]}, "3 results came back"),
        ({"data": [result(0, 1.0), result(1, 2.0, 3.0)]}, "2 dimensions"),
        ({"data": [result(0, 1.0), result(1)]}, "0 dimensions"),
        ({"data": [result(0, 1.0), {"index": 1}]}, "no list of numbers"),
        ({"data": [result(0, 1.0), {"index": 1, "embedding": [None]}]}, "no list of numbers"),
        ({"data": [result(0, 1.0), {"index": 1, "embedding": [True]}]}, "no list of numbers"),
        ({"data": ["a", "b"]}, "no list of results"),
        ({"error": "x"}, "no list of results"),
        ([], "no list of results"),
        (None, "no list of results"),
    ],
)
def test_an_answer_that_does_not_map_onto_its_batch_is_refused_whole(answer: object, why: str) -> None:
    with pytest.raises(AnswerRefused, match=why):
        vectors_in_order(answer, inputs=2, dimensions=1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["data", "index", "embedding", "x"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@pytest.mark.covers("EM-08")
@given(JSON)
def test_any_answer_is_either_believed_or_refused(answer: object) -> None:
    try:
        vectors = vectors_in_order(answer, inputs=1, dimensions=2)
    except AnswerRefused:
        return
    assert [len(vector) for vector in vectors] == [2]


@pytest.mark.covers("EM-08")
@given(st.permutations(range(12)))
def test_any_order_of_results_is_put_right(order: list[int]) -> None:
    answer = {"data": [result(index, float(index)) for index in order]}
    assert vectors_in_order(answer, inputs=12, dimensions=1) == [[float(index)] for index in range(12)]


@pytest.mark.covers("EM-07")
@pytest.mark.parametrize(
    ("components", "why"),
    [
        ([0.0, math.nan], "1 of its 2 components"),
        ([math.inf, -math.inf], "2 of its 2 components"),
        ([0.0, -0.0], "zero"),
        ([], "no components"),
    ],
)
def test_a_vector_no_search_could_live_with_is_not_kept(components: list[float], why: str) -> None:
    verdict = judged(components)
    assert isinstance(verdict, Unusable)
    assert why in verdict.reason


@pytest.mark.covers("EM-07")
def test_a_number_json_allows_and_no_float_holds_is_not_finite() -> None:
    vectors = vectors_in_order(json.loads(f'{{"data": [{{"embedding": [1, {"9" * 400}]}}]}}'), inputs=1, dimensions=2)
    assert isinstance(judged(vectors[0]), Unusable)


@pytest.mark.covers("EM-07")
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_a_kept_vector_has_length_one_and_the_signs_it_came_with(components: list[float]) -> None:
    verdict = judged(components)
    if not any(components):
        assert isinstance(verdict, Unusable)
        return
    assert isinstance(verdict, Usable)
    assert np.linalg.norm(verdict.vector) == pytest.approx(1.0, abs=1e-5)
    code = sign_code(np.asarray(components))
    assert code == "".join("1" if component > 0 else "0" for component in components)


def test_the_distance_of_two_codes_is_in_how_many_bits_they_differ() -> None:
    assert hamming("1010", "1001") == 2
    with pytest.raises(ValueError, match="longer"):
        hamming("1", "10")
