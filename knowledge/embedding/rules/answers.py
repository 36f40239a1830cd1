"""Answers: which input each vector of a batch belongs to. Pure.

A request carries many texts and the results may come back in any order, so each says by its index which text it is
of. A vector filed under another text is a wrong answer for ever, with nothing left to trace it by, so an answer that
does not map onto its batch exactly once is refused whole. Only an answer without any index is read as it arrived.
"""

from __future__ import annotations

from collections.abc import Mapping

_ABSENT = object()


class AnswerRefused(Exception):
    """An answer that cannot be trusted; says what was wrong with it."""


def vectors_in_order(answer: object, *, inputs: int, dimensions: int) -> list[list[float]]:
    """The vectors of a decoded answer, in the order of the texts that were sent.

    Raises `AnswerRefused` for an answer of another form, another number of results than inputs, an index that is
    missing from some results, null, no whole number, out of range or given twice, and for a vector of another width.
    Components that are no finite numbers are left for the judgement of each vector.
    """
    results = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(results, list) or not all(isinstance(result, Mapping) for result in results):
        raise AnswerRefused("the answer holds no list of results under 'data'")
    if len(results) != inputs:
        raise AnswerRefused(f"{inputs} texts were sent and {len(results)} results came back")
    vectors = [_vector(result.get("embedding"), dimensions) for result in results]
    positions = _positions([result.get("index", _ABSENT) for result in results])
    if positions is None:
        return vectors
    ordered: list[list[float]] = [[]] * inputs
    for position, vector in zip(positions, vectors, strict=True):
        ordered[position] = vector
    return ordered


def _positions(indices: list[object]) -> list[int] | None:
    """The position each result claims, None when no result claims any."""
    absent = sum(index is _ABSENT for index in indices)
    if absent == len(indices):
        return None
    if absent:
        raise AnswerRefused(f"{absent} of {len(indices)} results carry no index while the others do")
    positions: list[int] = []
    for index in indices:
        if type(index) is not int or not 0 <= index < len(indices):
            raise AnswerRefused(f"the index {index!r} is no position among {len(indices)} texts")
        positions.append(index)
    if len(set(positions)) != len(positions):
        twice = next(index for number, index in enumerate(positions) if index in positions[:number])
        raise AnswerRefused(f"the index {twice} was given to two results")
    return positions


def _vector(components: object, dimensions: int) -> list[float]:
    if not isinstance(components, list) or not all(type(one) in (int, float) for one in components):
        raise AnswerRefused("a result holds no list of numbers under 'embedding'")
    if len(components) != dimensions:
        raise AnswerRefused(f"a vector of {len(components)} dimensions came back where {dimensions} were asked for")
    return [_number(one) for one in components]


def _number(component: int | float) -> float:
    try:
        return float(component)
    except OverflowError:
        return float("inf")
