"""Search by meaning: what is found, what it is narrowed to, and what an answer says when it cannot be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone
from numpy.typing import NDArray
from pytest_django import DjangoAssertNumQueries, Settings

from company import live
from knowledge.embedding.rules.vectors import Vector
from knowledge.models import EmbeddingSpace, Page
from knowledge.search.asking import search_pages
from knowledge.search.indexing import Indexing
from knowledge.search.lexical.documents import Filters
from knowledge.search.pages import PageCorpus
from knowledge.search.rules.outcome import Degraded, Mode
from knowledge.search.seam import Found, Query, searcher
from knowledge.search.semantic import nearest, nearest_exactly
from knowledge.writes.vectors import NewVector, make_space, publish_vectors
from tests.factories import agent, install_company
from tests.knowledge.embedding.duties import harbour_embedding_with, tick
from tests.knowledge.embedding.server import EmbeddingServer, Reply
from tests.knowledge.pages import page
from tests.knowledge.sizes import copies

pytestmark = pytest.mark.django_db(transaction=True)

#: What the server of these tests takes texts for: the words of a line mean the same.
MEANINGS = (("ferry", "boat", "vessel"), ("invoice", "bill", "payment"), ("storm", "gale", "weather"))


def meaning(asked: dict[str, list[str]]) -> Reply:
    """Vectors that point where a text's words do."""
    vectors = [[0.1 + sum(text.lower().count(word) for word in words) for words in MEANINGS] for text in asked["input"]]
    return Reply({"data": [{"index": at, "embedding": [*one, -0.1]} for at, one in enumerate(vectors)]})


@pytest.fixture
def server(tmp_path: Path, settings: Settings) -> Iterator[EmbeddingServer]:
    settings.INDEX_DIR = tmp_path / "index"
    with EmbeddingServer(behave=meaning) as running:
        harbour_embedding_with(running, model=tmp_path.name)
        yield running


@pytest.fixture
def ready(server: EmbeddingServer, settings: Settings) -> Callable[[], None]:
    """Call it to have the pages written so far indexed and embedded."""
    indexing = Indexing(settings.INDEX_DIR, wanted=[PageCorpus()])

    def catch_up() -> None:
        indexing.catch_up()
        tick()

    return catch_up


def ids(found: Found) -> list[int]:
    return [hit.page_id for hit in found.hits]


def search(text: str, **more: object) -> Found:
    return search_pages(actor=agent(), text=text, **more)  # type: ignore[arg-type]


@pytest.mark.covers("SE-02", "SE-05", "SE-07")
def test_a_page_that_shares_no_word_with_the_question_is_found_by_meaning(ready: Callable[[], None]) -> None:
    vessel, bill = page("Vessels", "vessel " * 5), page("Bills", "bill " * 5)
    ready()
    found = search("boat", mode=Mode.SEMANTIC, limit=1)
    assert ids(found) == [vessel.id]
    assert found.hits[0].score == pytest.approx(1, abs=0.01)
    assert (found.outcome.served_mode, found.outcome.degraded) == (Mode.SEMANTIC, ())
    assert found.outcome.modes == tuple(Mode)
    assert ids(search("boat", mode=Mode.KEYWORD)) == []
    assert ids(search("boat")) == [vessel.id, bill.id]


@pytest.mark.covers("SE-06")
def test_hybrid_puts_what_both_halves_found_first(ready: Callable[[], None]) -> None:
    words = page("Bill of fare", "ferry")
    both = page("The ferry", "vessel and boat")
    meant = page("Vessels", "vessel " * 9)
    ready()
    found = search("ferry")
    assert ids(found)[0] == both.id
    assert set(ids(found)) == {words.id, both.id, meant.id}
    assert found.outcome.served_mode is Mode.HYBRID
    assert [hit.rank for hit in found.hits] == [1, 2, 3]


@pytest.mark.covers("SE-09", "SE-10")
def test_what_may_not_be_found_takes_no_place_of_a_search_by_meaning(ready: Callable[[], None]) -> None:
    drafts = page("Auto-Drafted Skills", "")
    wanted = [page(f"Bill {number}", "bill, and a boat", container="PROD").id for number in range(12)]
    copies(200, title="Boat {}", body="boat boat boat", container="ENG")
    copies(200, title="Draft boat {}", body="boat boat boat", parent_id=drafts.id, container="ENG")
    ready()
    company = live.current()
    install_company(company, scope=("PROD",))
    assert sorted(ids(search("boat", mode=Mode.SEMANTIC, limit=12))) == wanted
    assert ids(search("boat", mode=Mode.SEMANTIC, container="ENG")) == []


@pytest.mark.covers("SE-09")
def test_pages_beneath_an_excluded_ancestor_take_no_place(ready: Callable[[], None]) -> None:
    drafts = page("Auto-Drafted Skills", "")
    copies(400, title="Boat {}", body="boat boat boat", parent_id=drafts.id)
    wanted = page("Bills", "bill")
    ready()
    assert wanted.id in ids(search("boat", mode=Mode.SEMANTIC, limit=2))


@pytest.mark.covers("SE-09")
def test_the_walk_goes_on_past_pages_trashed_since_they_were_embedded(ready: Callable[[], None]) -> None:
    gone = copies(300, title="Boat {}", body="boat boat")
    kept = page("Bills", "bill")
    ready()
    Page.objects.filter(pk__in=gone).update(status="trashed", trashed_at=timezone.now())
    assert ids(search("boat", mode=Mode.SEMANTIC, limit=1)) == [kept.id]


@pytest.mark.covers("SE-07")
def test_a_provider_that_is_down_leaves_the_words_and_says_so(
    ready: Callable[[], None], server: EmbeddingServer
) -> None:
    made = page("Vessels", "vessel and ferry")
    ready()
    server.behave = lambda asked: Reply({}, status=503)
    hybrid, semantic = search("ferry"), search("ferry", mode=Mode.SEMANTIC)
    assert ids(hybrid) == [made.id]
    assert (hybrid.outcome.served_mode, hybrid.outcome.degraded) == (Mode.KEYWORD, (Degraded.EMBEDDING_FAILED,))
    assert (semantic.hits, semantic.outcome.served_mode) == ((), None)
    assert semantic.outcome.degraded == (Degraded.EMBEDDING_FAILED,)
    assert semantic.outcome.modes == tuple(Mode)


@pytest.mark.covers("SE-07", "EM-09")
def test_while_a_space_fills_a_search_by_meaning_says_that_it_is_partial(
    ready: Callable[[], None], server: EmbeddingServer
) -> None:
    page("Vessels", "vessel and ferry")
    ready()
    assert search("boat", mode=Mode.SEMANTIC).outcome.degraded == ()
    harbour_embedding_with(server, model="another")
    assert search("boat", mode=Mode.SEMANTIC).hits == ()
    assert search("boat").outcome.degraded == (Degraded.SEMANTIC_PARTIAL,)
    tick()
    found = search("boat", mode=Mode.SEMANTIC)
    assert (len(found.hits), found.outcome.degraded) == (1, ())


@pytest.mark.covers("SE-11")
def test_a_question_is_embedded_once_until_the_model_changes(
    ready: Callable[[], None], server: EmbeddingServer
) -> None:
    page("Vessels", "vessel")
    ready()
    server.requests.clear()
    for _ in range(3):
        search("a question of its own")
    assert [asked["input"] for asked in server.requests] == [["a question of its own"]]
    harbour_embedding_with(server, model="the next one")
    search("a question of its own")
    assert len(server.requests) == 2


@pytest.mark.covers("EM-12")
def test_with_vectors_off_search_is_by_words_and_nothing_is_embedded(
    ready: Callable[[], None], server: EmbeddingServer
) -> None:
    made = page("Vessels", "ferry")
    ready()
    server.requests.clear()
    install_company(vectors=False)
    found = search("ferry")
    assert (ids(found), found.outcome.modes) == ([made.id], (Mode.KEYWORD,))
    assert found.outcome.degraded == (Degraded.NO_EMBEDDINGS,)
    assert not server.requests


@pytest.mark.covers("SE-13")
def test_a_hybrid_answer_costs_the_same_few_queries_however_many_hits_it_has(
    ready: Callable[[], None], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    copies(60, title="Ferry {}", body="boat")
    ready()
    search("ferry")
    for limit in (2, 50):
        with django_assert_num_queries(9):
            assert len(searcher().search(Query(text="ferry", limit=limit)).hits) == limit


@pytest.mark.slow
@pytest.mark.covers("SE-05", "EM-11")
def test_fifty_pages_beside_many_others_are_recalled_in_full_and_scores_are_exact() -> None:
    random = np.random.default_rng(7)
    space = make_space(model="synthetic", dimensions=64)
    few = _published(random, space, container="ADA", first=1, number=50)
    _published(random, space, container="ENG", first=51, number=4_000)
    asked = _unit(random.standard_normal((1, 64)))[0]
    narrow = Filters(kinds=frozenset({"page"}), containers=frozenset({"ADA"}))
    found = nearest(asked, space=space, filters=narrow)
    assert found == nearest_exactly(asked, space=space, filters=narrow)
    assert {hit.id for hit in found} == set(few)
    assert [hit.score for hit in found] == pytest.approx(
        sorted((few[hit.id] @ asked for hit in found), reverse=True), abs=0.01
    )
    wide = Filters(kinds=frozenset({"page"}), excluded_ids=frozenset(few))
    first = nearest(asked, space=space, filters=wide)
    assert len(first) == 150
    assert not {hit.id for hit in first} & set(few)
    assert nearest(asked, space=space, filters=Filters(kinds=frozenset({"item"}))) == ()


def _published(
    random: np.random.Generator, space: EmbeddingSpace, *, container: str, first: int, number: int
) -> dict[int, Vector]:
    vectors = _unit(random.standard_normal((number, space.dimensions)))
    new = [
        NewVector(object_id=first + at, version=1, container=container, digest="", vector=vector)
        for at, vector in enumerate(vectors)
    ]
    publish_vectors(new, space=space, kind="page", now=timezone.now())
    return {one.object_id: one.vector for one in new}


def _unit(rows: NDArray[np.float64]) -> Vector:
    unit: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
