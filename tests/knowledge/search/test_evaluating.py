"""`search eval`: what it measures, every line it prints, and when it exits with 1."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.utils import timezone

from company.rules.refusals import Code, Refused
from crewlet_site import cli
from knowledge.models import EmbeddingSpace
from knowledge.search.commands import evaluate_meaning
from knowledge.search.evaluating import evaluate, past_windows
from knowledge.search.rules.recall import floor_of, recall_of
from knowledge.writes.vectors import NewVector, make_space, publish_vectors
from tests.factories import install_company
from tests.knowledge.embedding.test_training import WIDTH, publish, tend
from tests.knowledge.pages import page

pytestmark = pytest.mark.covers("SE-15")

needs_database = pytest.mark.django_db(transaction=True)


@pytest.fixture
def harbour(transactional_db: None) -> None:
    install_company()


def published(*, number: int, kind: str = "page", container: str = "ENG", model: str = "tests") -> EmbeddingSpace:
    """Documents with vectors that point anywhere."""
    space = make_space(model=model, dimensions=64)
    rows = np.random.default_rng(number).standard_normal((number, 64))
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    new = [
        NewVector(object_id=at, version=1, container=container, digest="", vector=vector)
        for at, vector in enumerate(unit, start=1)
    ]
    publish_vectors(new, space=space, kind=kind, now=timezone.now())
    return space


def evaluated(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, list[str]]]:
    """The exit code, and what was printed by the head of each line."""
    arguments = cli.parser().parse_args(["search", "eval", *words])
    capsys.readouterr()
    code = evaluate_meaning(arguments)
    lines: dict[str, list[str]] = {}
    for line in capsys.readouterr().out.splitlines():
        head, _, rest = re.sub(" {2,}", "\t", line).partition("\t")
        lines.setdefault(head, []).append(rest.replace("\t", " "))
    return code, lines


@needs_database
def test_a_search_that_finds_the_exact_ranking_passes_in_every_shape(
    harbour: None, capsys: pytest.CaptureFixture[str]
) -> None:
    published(number=60)
    published(number=30, kind="item", container="OPS")
    published(number=5, model="the one before")
    code, lines = evaluated(capsys)
    assert code == 0
    assert lines["corpus"] == ["90 sources, tests at 64 dimensions"]
    assert lines["other space"] == [
        "5 sources, the one before at 64 dimensions: no search finds these until they are embedded again"
    ]
    assert lines["measured"] == ["25 queries at depth 150 from 1200 candidates"]
    assert lines["first stage"] == ["every sign code is read: there is no semantic index"]
    assert lines["recall"] == ["1.0000 (floor 0.9800 for this corpus size)"]
    assert lines["worst query"] == ["1.0000"]
    assert lines["head misses"] == ["0 (documents dropped from the exact top ten)"]
    shapes = ["source:item", "source:page", "container:item", "container:page"]
    assert [line.split()[0] for line in lines["narrowed"]] == shapes
    assert all("recall 1.0000 floor 0.9800 head misses 0" in line for line in lines["narrowed"])
    assert lines["verdict"] == ["the two-stage search recovers the exact ranking at the shipped depth, in every shape"]


@needs_database
def test_a_search_that_drops_documents_fails_and_names_the_shapes(
    harbour: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.search.evaluating.CANDIDATES", 20)
    published(number=400)
    published(number=15, kind="item", container="OPS")
    code, lines = evaluated(capsys)
    assert code == 1
    assert float(lines["recall"][0].split()[0]) < 0.2
    assert "source:page" in lines["verdict"][0]
    assert "container:page" in lines["verdict"][0]
    assert ":item" not in lines["verdict"][0]


@needs_database
def test_a_document_is_never_its_own_answer_and_two_runs_say_the_same(harbour: None) -> None:
    published(number=1)
    alone = evaluate()
    assert alone is not None
    assert (alone.sources, alone.shapes[0].recall.mean, alone.shapes[0].questions) == (1, 1.0, 1)
    published(number=300)
    assert evaluate() == evaluate()


@needs_database
def test_nothing_embedded_is_nothing_measured(harbour: None, capsys: pytest.CaptureFixture[str]) -> None:
    page("Quay map", "ferries")
    code, lines = evaluated(capsys)
    assert code == 1
    assert "nothing is embedded" in lines["corpus"][0]
    assert "verdict" not in lines
    assert lines["window"][0].startswith("8192 bytes a source")


@needs_database
def test_what_lies_past_the_window_is_counted_with_white_space_collapsed(
    harbour: None, capsys: pytest.CaptureFixture[str]
) -> None:
    page("Short", "ferries   and\n\n\nbarges")
    page("Long", "ferry " * 2_000)
    page("Deep", " " * 20_000 + "what the opening never reads")
    (pages,) = [past for past in past_windows(8_192) if past.kind == "page"]
    assert (pages.sources, pages.sources_past) == (3, 2)
    long = len("Long") + 6 * 2_000
    deep = len("Deep what the opening never reads")
    assert pages.total_bytes == len("Short ferries and barges") + long + deep
    assert pages.past_bytes == (long - 8_192) + (deep - len("Deep"))
    _, lines = evaluated(capsys, "-window", "10")
    assert lines["window"][0].startswith("10 bytes a source")
    assert any(line.startswith("page 3 of 3 sources (100.0%)") for line in lines["past window"])


@needs_database
def test_lists_of_an_index_that_is_not_there_cannot_be_read(harbour: None, capsys: pytest.CaptureFixture[str]) -> None:
    published(number=3)
    with pytest.raises(Refused) as refused:
        evaluated(capsys, "-probes", "8")
    assert refused.value.code is Code.INVALID


@pytest.mark.parametrize("words", [("-probes", "0"), ("-probes", "many"), ("-window", "-1"), ("--window", "")])
def test_counts_that_are_none_are_refused_in_one_line(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.parser().parse_args(["search", "eval", *words])
    assert ended.value.code == 2
    assert "give a number from 1" in capsys.readouterr().err or words[1] == "-1"


@pytest.mark.parametrize(
    ("sources", "floor"), [(0, 0.98), (20_000, 0.98), (120_000, 0.93), (500_000, 0.88), (5_000_000, 0.88)]
)
def test_the_floor_falls_as_the_corpus_grows(sources: int, floor: float) -> None:
    assert floor_of(sources) == pytest.approx(floor)
    assert floor_of(sources + 10_000) <= floor_of(sources)


def test_recall_is_the_share_of_the_exact_ranking_and_a_missing_head_fails_alone() -> None:
    exact = list(range(150))
    assert recall_of([(exact, exact[::-1])]).meets(0.98)
    tail = recall_of([(exact, exact[:149])])
    assert tail.mean == tail.worst == pytest.approx(149 / 150)
    assert tail.head_misses == 0
    assert tail.meets(0.98)
    head = recall_of([(exact, exact[1:]), (exact, exact)])
    assert (head.head_misses, head.meets(0.98)) == (1, False)


@pytest.mark.slow
@needs_database
def test_an_index_is_measured_as_searches_read_it_and_beside_the_scan(
    harbour: None, capsys: pytest.CaptureFixture[str]
) -> None:
    space = make_space(model="tests", dimensions=WIDTH)
    publish(space, 1_200, topics=6)
    index = tend(space)
    assert index is not None
    assert index.is_installed
    code, lines = evaluated(capsys)
    assert code == 0
    assert lines["first stage"] == [
        f"the semantic index of page: {index.probes} of {index.lists} lists read (generation 1)"
    ]
    assert lines["index"][0].startswith("measured on 1200 sources: ")
    (through_it,) = [line for line in lines["narrowed"] if line.startswith("source:page")]
    assert "scan 1.0000, 0 head miss(es)" in through_it
    assert evaluated(capsys, "-probes", str(index.lists))[1]["first stage"][0].startswith(
        f"the semantic index of page: {index.lists} of {index.lists} lists read"
    )
