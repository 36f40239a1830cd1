"""The index over sign codes: when there is one, what it may miss, and what becomes of it as the corpus moves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from company.models import Event
from knowledge.embedding.rules.vectors import Vector
from knowledge.embedding.training import tend_index
from knowledge.models import EmbeddingSpace, SemanticIndex, SignCode, SourceVector
from knowledge.search.lexical.documents import Filters
from knowledge.search.rules.recall import Recall
from knowledge.search.semantic import Probe, nearest, nearest_exactly, probe_for
from knowledge.search.semantic.measuring import measure
from knowledge.writes.vectors import NewVector, make_space, publish_vectors

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WIDTH = 64
PAGES = Filters(kinds=frozenset({"page"}), excluded_containers=frozenset({"TS"}))


@pytest.fixture
def space(db: None) -> EmbeddingSpace:
    return make_space(model="synthetic", dimensions=WIDTH)


def publish(space: EmbeddingSpace, number: int, *, topics: int, first: int = 1, spread: float = 0.3) -> None:
    """Documents about so many subjects; about none of them where there are 0."""
    random = np.random.default_rng(first)
    subjects = np.random.default_rng(7).standard_normal((max(topics, 1), WIDTH))
    noise = random.standard_normal((number, WIDTH))
    rows = subjects[random.integers(0, topics, number)] + spread * noise if topics else noise
    vectors: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    new = [
        NewVector(object_id=first + at, version=1, container="ENG" if at % 40 else "ADA", digest="", vector=one)
        for at, one in enumerate(vectors)
    ]
    publish_vectors(new, space=space, kind="page", now=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a transaction that checks later may not build an index
    space.current = SignCode.objects.filter(space=space).count()
    space.save()


def tend(space: EmbeddingSpace, *, after: timedelta = timedelta(0)) -> SemanticIndex | None:
    """The index after the duty has seen to it; None where it found nothing to do."""
    done = tend_index(space=space, kind="page", now=timezone.now() + after)
    return SemanticIndex.objects.get(space=space) if done else None


def indexes() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'codes_by_nearness%' ORDER BY 1")
        return [name for (name,) in cursor.fetchall()]


def vector_of(space: EmbeddingSpace, object_id: int) -> Vector:
    kept = SourceVector.objects.get(code__space=space, object_id=object_id).vector
    return np.asarray(kept, dtype=np.float32)


@pytest.mark.covers("EM-10")
def test_a_corpus_with_subjects_gets_an_index_that_meets_the_floor_and_is_told(space: EmbeddingSpace) -> None:
    publish(space, 1_200, topics=6)
    index = tend(space)
    assert index is not None
    assert index.is_installed
    assert 1 <= index.probes <= index.lists // 2
    assert index.recall >= index.floor == 0.98
    assert (index.head_misses, index.trained_on, index.is_alarmed) == (0, 1_200, False)
    assert indexes() == [f"codes_by_nearness_{space.pk}_page_1"]
    told = Event.objects.get(type="duty.index_trained").payload
    assert (told["installed"], told["probes"], told["sources"]) == (True, index.probes, 1_200)
    probe = probe_for(index, PAGES)
    assert probe == Probe(generation=1, probes=index.probes)
    asked = vector_of(space, 5)
    found = nearest(asked, space=space, filters=PAGES, probe=probe)
    exact = nearest_exactly(asked, space=space, filters=PAGES)
    assert found[:10] == exact[:10]
    assert tend(space) is None


@pytest.mark.covers("EM-10")
def test_a_search_through_the_index_reads_its_lists_and_nothing_else(space: EmbeddingSpace) -> None:
    publish(space, 1_200, topics=6)
    index = tend(space)
    assert index is not None
    few = nearest(vector_of(space, 5), space=space, filters=PAGES, limit=1_200, candidates=1_200, probe=Probe(1, 1))
    assert 0 < len(few) < 1_200
    assert len(nearest(vector_of(space, 5), space=space, filters=PAGES, limit=1_200, candidates=1_200)) == 1_200


@pytest.mark.covers("EM-10")
def test_a_corpus_without_subjects_is_scanned_and_the_choice_is_kept(space: EmbeddingSpace) -> None:
    publish(space, 1_200, topics=0)
    index = tend(space)
    assert index is not None
    assert (index.is_installed, index.probes) == (False, 0)
    assert index.trained_at is not None
    assert indexes() == []
    assert probe_for(index, PAGES) is None
    assert tend(space) is None


@pytest.mark.covers("EM-10")
def test_a_small_corpus_has_no_index_and_one_that_shrank_loses_its(space: EmbeddingSpace) -> None:
    publish(space, 200, topics=4)
    index = tend(space)
    assert index is not None
    assert not index.is_installed
    space.current = 9_000  # most of it of another corpus
    space.save()
    assert tend(space) is None
    publish(space, 900, topics=4, first=1_001)
    index = tend(space)
    assert index is not None
    assert index.is_installed
    SourceVector.objects.filter(object_id__gt=1_300).delete()
    SignCode.objects.filter(object_id__gt=1_300).delete()
    space.current = 500
    space.save()
    index = tend(space)
    assert index is not None
    assert (index.is_installed, indexes()) == (False, [])


@pytest.mark.covers("EM-10")
def test_a_new_document_is_found_at_once_and_a_doubled_corpus_is_trained_anew(space: EmbeddingSpace) -> None:
    publish(space, 1_050, topics=6)
    index = tend(space)
    assert index is not None
    assert index.is_installed
    publish(space, 1_050, topics=6, first=5_001)
    probe = probe_for(index, PAGES)
    assert nearest(vector_of(space, 5_003), space=space, filters=PAGES, probe=probe)[0].id == 5_003
    index = tend(space)
    assert index is not None
    assert (index.generation, index.trained_on) == (2, 2_100)
    assert indexes() == [f"codes_by_nearness_{space.pk}_page_2"]


@pytest.mark.covers("EM-10")
def test_every_day_it_is_measured_again_and_trained_anew_where_no_count_of_lists_is_enough(
    space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(space, 1_200, topics=6)
    index = tend(space)
    assert index is not None
    SemanticIndex.objects.update(probes=3)
    again = tend(space, after=timedelta(days=1, minutes=1))
    assert again is not None
    assert (again.generation, again.probes) == (1, index.probes)

    def measured(*args: Any, probe: Probe | None = None, **more: Any) -> Recall:
        if probe is not None and probe.generation == 1:
            return Recall(mean=0.5, worst=0.5, head_misses=3)
        return measure(*args, probe=probe, **more)

    monkeypatch.setattr("knowledge.embedding.training.measure", measured)
    again = tend(space, after=timedelta(days=2, minutes=2))
    assert again is not None
    assert (again.generation, again.is_installed) == (2, True)


@pytest.mark.covers("EM-10")
def test_codes_that_fail_their_corpus_are_an_alarm_told_once(
    space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(space, 1_024, topics=0)
    failing = Recall(mean=0.5, worst=0.1, head_misses=9)
    monkeypatch.setattr("knowledge.embedding.training.measure", lambda *args, **more: failing)
    for day in range(2):
        index = tend(space, after=timedelta(days=1.1 * day))
        assert index is not None
        assert (index.is_installed, index.is_alarmed) == (False, True)
    assert Event.objects.filter(type="alarm.ivf_recall_below_floor").count() == 1


@pytest.mark.covers("EM-11")
def test_a_narrowed_search_reads_every_code_it_may_find(space: EmbeddingSpace) -> None:
    publish(space, 1_200, topics=6)
    index = tend(space)
    assert index is not None
    assert index.is_installed
    asked = vector_of(space, 5)
    for narrowed in (
        Filters(kinds=PAGES.kinds, containers=frozenset({"ADA"})),
        Filters(kinds=PAGES.kinds, buckets=(0, 31)),
        Filters(kinds=PAGES.kinds, excluded_ids=frozenset({1})),
    ):
        assert probe_for(index, narrowed) is None
        exact = nearest_exactly(asked, space=space, filters=narrowed, limit=30)
        assert nearest(asked, space=space, filters=narrowed, limit=30) == exact
