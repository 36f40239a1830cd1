"""The state machine of a tick, against a provider that refuses some inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedding.rules.isolation import (
    Accepted,
    Answer,
    Embedded,
    Ended,
    Failed,
    HoldBack,
    InputRefused,
    Kind,
    Request,
    Source,
    Suspicion,
    Tick,
    Work,
)
from knowledge.embedding.rules.packing import Limits
from knowledge.embedding.rules.turns import Turns


def sources(count: int, *, size: int = 100) -> list[Source]:
    return [Source(key=f"{number}", size=size, digest=f"d{number}") for number in range(count)]


def refusing(poison: Iterable[str]) -> Callable[[Request], Answer]:
    """A provider that refuses every request with one of these keys in it."""
    keys = frozenset(poison)
    return lambda request: (
        InputRefused("no") if keys.intersection(source.key for source in request.sources) else Accepted()
    )


class Run:
    """One tick played to its end."""

    def __init__(self, tick: Tick, answer: Callable[[Request], Answer]) -> None:
        self.requests: list[Request] = []
        self.embedded: list[str] = []
        self.held: list[str] = []
        self.ended: list[str] = []
        while (request := tick.next()) is not None:
            self.requests.append(request)
            for effect in tick.answered(request, answer(request)):
                match effect:
                    case Embedded(_, kept):
                        self.embedded += [source.key for source in kept]
                    case HoldBack(_, source, _, _):
                        self.held.append(source.key)
                    case Ended(reason):
                        self.ended.append(reason)


@pytest.mark.covers("EM-06")
@pytest.mark.parametrize("poison", [0, 1, 63, 64, 100, 127])
def test_one_refused_input_among_128_costs_at_most_fifteen_requests(poison: int) -> None:
    run = Run(Tick({"pages": Work(fresh=sources(128))}, limits=Limits()), refusing([str(poison)]))
    assert len(run.requests) == 15
    assert run.held == [str(poison)]
    assert sorted(run.embedded, key=int) == [str(number) for number in range(128) if number != poison]


@pytest.mark.covers("EM-06")
def test_halves_are_sent_ahead_of_everything_else() -> None:
    run = Run(Tick({"pages": Work(fresh=sources(256))}, limits=Limits()), refusing(["0"]))
    assert [request.kind for request in run.requests] == [Kind.FRESH, *[Kind.HALF] * 14, Kind.FRESH]


@pytest.mark.covers("EM-06")
def test_what_a_tick_did_not_reach_is_taken_up_by_the_next() -> None:
    first = Tick({"pages": Work(fresh=sources(128))}, limits=Limits(), turns=Turns(("pages",), requests=4))
    begun = Run(first, refusing(["5"]))
    left = first.halves_left()["pages"]
    assert sum(len(half) for half in left) + len(begun.embedded) == 128
    second = Tick({"pages": Work(halves=left)}, limits=Limits())
    ended = Run(second, refusing(["5"]))
    assert ended.held == ["5"]
    assert len(begun.requests) + len(ended.requests) == 15
    assert len({*begun.embedded, *ended.embedded}) == 127
    assert second.halves_left() == {}


@pytest.mark.covers("EM-06", "EM-07")
def test_a_failure_ends_the_tick_and_keeps_the_half_it_met() -> None:
    answers: Iterator[Answer] = iter([InputRefused("no"), Failed("429")])
    tick = Tick({"pages": Work(fresh=sources(8)), "items": Work(fresh=sources(8))}, limits=Limits(inputs=4))

    def answer(request: Request) -> Answer:
        return next(answers) if request.corpus == "pages" else Accepted()

    run = Run(tick, answer)
    assert run.ended == ["429"]
    assert [[source.key for source in half] for half in tick.halves_left()["pages"]] == [["0", "1"], ["2", "3"]]
    assert tick.next() is None
    assert run.held == []


@pytest.mark.covers("EM-07")
def test_a_failure_loses_nothing_that_was_selected_since_the_rows_still_say_so() -> None:
    tick = Tick({"pages": Work(fresh=sources(300))}, limits=Limits())
    run = Run(tick, lambda request: Failed("timeout"))
    assert len(run.requests) == 1
    assert (run.embedded, run.held, tick.halves_left()) == ([], [], {})


@pytest.mark.covers("EM-07")
def test_an_unusable_vector_costs_only_itself() -> None:
    tick = Tick({"pages": Work(fresh=sources(8))}, limits=Limits())
    run = Run(tick, lambda request: Accepted(unusable={"3": "every component is zero"}))
    assert run.held == ["3"]
    assert run.embedded == ["0", "1", "2", "4", "5", "6", "7"]
    assert len(run.requests) == 1


@pytest.mark.covers("EM-06")
def test_a_held_source_is_offered_alone_and_not_twice() -> None:
    alone = sources(2)
    run = Run(Tick({"pages": Work(alone=alone, fresh=sources(5))}, limits=Limits()), refusing(["0"]))
    assert [(request.kind, len(request.sources)) for request in run.requests] == [
        (Kind.ALONE, 1),
        (Kind.ALONE, 1),
        (Kind.FRESH, 3),
    ]
    assert run.held == ["0"]


@pytest.mark.covers("EM-05", "EM-06")
def test_a_neighbours_backlog_cannot_spend_the_tick_from_under_an_isolation() -> None:
    work = {"items": Work(fresh=sources(100_000, size=8_192)), "pages": Work(fresh=sources(128))}
    run = Run(Tick(work, limits=Limits(inputs=128, request_tokens=40_000)), lambda request: Accepted())
    assert sum(request.corpus == "pages" for request in run.requests) == 1
    poisoned = Run(
        Tick(work, limits=Limits()),
        lambda request: refusing(["77"])(request) if request.corpus == "pages" else Accepted(),
    )
    assert poisoned.held == ["77"]


@pytest.mark.covers("EM-07")
def test_two_inputs_refused_alone_with_nothing_accepted_blame_the_configuration() -> None:
    tick = Tick({"pages": Work(fresh=sources(2))}, limits=Limits())
    Run(tick, lambda request: InputRefused("no such model"))
    assert tick.blames_configuration(Suspicion())
    assert not tick.blames_configuration(Suspicion(has_accepted=True))


@pytest.mark.covers("EM-07")
@pytest.mark.parametrize(
    ("work", "answers"),
    [
        (Work(fresh=sources(1)), [InputRefused("no")]),
        (Work(alone=sources(2)), [InputRefused("no"), InputRefused("no")]),
        (Work(fresh=sources(3)), [InputRefused("no"), Accepted(), InputRefused("no")]),
        (Work(fresh=sources(2)), [InputRefused("no"), InputRefused("no"), Failed("500")]),
    ],
)
def test_one_document_a_retry_or_a_failure_never_blames_it(work: Work, answers: list[Answer]) -> None:
    tick = Tick({"pages": work}, limits=Limits())
    Run(tick, lambda request: answers.pop(0))
    assert not tick.blames_configuration(Suspicion())


@pytest.mark.covers("EM-06")
@given(
    st.integers(0, 200),
    st.integers(0, 200),
    st.sets(st.integers(0, 199), max_size=6),
    st.integers(1, 128),
    st.integers(2, 32),
)
def test_over_enough_ticks_every_source_is_embedded_once_or_held(
    pages: int, items: int, poison: set[int], inputs: int, requests: int
) -> None:
    poisoned = {str(number) for number in poison}
    fresh = {"pages": sources(pages), "items": sources(items)}
    halves: dict[str, tuple[tuple[Source, ...], ...]] = {}
    done: dict[str, list[str]] = {"pages": [], "items": []}
    for _ in range(2_000):
        work = {name: Work(halves=halves.get(name, ()), fresh=left) for name, left in fresh.items()}
        tick = Tick(work, limits=Limits(inputs=inputs), turns=Turns(("pages", "items"), requests=requests))
        count = 0
        while (request := tick.next()) is not None:
            count += 1
            for effect in tick.answered(request, refusing(poisoned)(request)):
                if isinstance(effect, Embedded):
                    done[effect.corpus] += [source.key for source in effect.sources]
                elif isinstance(effect, HoldBack):
                    assert effect.source.key in poisoned
                    done[effect.corpus].append(effect.source.key)
        assert count <= requests
        halves = tick.halves_left()
        fresh = {name: [one for one in left if one.key not in done[name]] for name, left in fresh.items()}
        if not fresh["pages"] and not fresh["items"]:
            break
    assert sorted(done["pages"], key=int) == [str(number) for number in range(pages)]
    assert sorted(done["items"], key=int) == [str(number) for number in range(items)]
