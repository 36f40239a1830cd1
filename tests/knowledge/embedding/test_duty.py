"""The duty against a service: what is asked for, what is kept, and how many requests it takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoAssertNumQueries

from knowledge.embedding.duty import embed_sources
from knowledge.models import EmbeddingPass, EmbeddingSpace, EmbeddingState, HeldSource, SignCode, SourceVector
from knowledge.rules.buckets import bucket_of
from knowledge.writes.pages import move_page, purge_page, save_page, trash_page
from tests.factories import admin, agent, install_company
from tests.knowledge.embedding.duties import LATER, embedded, harbour_embedding_with, refusing, sizes, tick
from tests.knowledge.embedding.server import EmbeddingServer, Reply, well_behaved
from tests.knowledge.pages import page, proven_admin
from tests.knowledge.sizes import copies

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        harbour_embedding_with(running)
        yield running


@pytest.mark.covers("EM-02", "EM-03")
def test_a_published_page_gets_a_vector_of_its_opening(server: EmbeddingServer) -> None:
    made = page("Night  ferries", "Moor \n\n at the quay.")
    page("A rule", "for agents", container="TS", by=admin())
    page("[Auto-draft] A habit", "of agents")
    assert tick().figures.embedded == 1
    assert [asked["input"] for asked in server.requests] == [["Night ferries Moor at the quay."]]
    code = SignCode.objects.get()
    assert (code.kind, code.object_id, code.container, code.bucket) == ("page", made.id, "ENG", bucket_of(made.id))
    assert (code.version, code.code) == (1, "1110")
    assert (code.space.model, code.space.dimensions) == ("tests", 4)
    assert sum(one * one for one in code.full.vector) == pytest.approx(1, abs=0.01)


@pytest.mark.covers("EM-02")
def test_a_tick_with_nothing_to_do_is_a_handful_of_queries_and_no_request(
    server: EmbeddingServer, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    copies(30, title="Berth {}")
    tick()
    with django_assert_max_num_queries(12):
        assert tick().figures.is_nothing
    assert len(server.requests) == 1


@pytest.mark.covers("EM-02")
@pytest.mark.django_db(transaction=True)  # so many sources are given an index, which no open transaction may hold up
def test_a_tick_sends_at_most_32_requests_of_at_most_1024_sources(server: EmbeddingServer) -> None:
    harbour_embedding_with(server, max_batch_inputs=10)
    copies(400, title="Berth {}")
    assert tick().figures.embedded == 320
    assert sizes(server) == [10] * 32
    harbour_embedding_with(server)
    copies(1_300, title="Berth {}", container="PROD")
    server.requests.clear()
    assert [tick().figures.embedded for _ in range(3)] == [1_024, 356, 0]
    assert sizes(server)[:8] == [128] * 8


@pytest.mark.covers("EM-02")
def test_requests_keep_to_the_tokens_a_model_takes_counted_in_bytes(server: EmbeddingServer) -> None:
    harbour_embedding_with(server, max_batch_tokens=8_192, max_input_tokens=4_096)
    for number in range(5):
        page(f"Log {number}", "wind and sea " * 1_000)
    tick()
    assert sizes(server) == [2, 2, 1]
    assert {len(text.encode()) for asked in server.requests for text in asked["input"]} == {4_096}


@pytest.mark.covers("EM-04")
def test_a_page_that_moves_takes_its_vector_along_without_a_request(server: EmbeddingServer) -> None:
    made = page("Tariffs", "of the ferry")
    tick()
    before = SourceVector.objects.get()
    move_page(actor=agent(), page_id=made.id, parent_id=None, container="PROD")
    ticked = tick()
    assert (ticked.figures.requests, ticked.figures.restamped) == (0, 1)
    assert SignCode.objects.get().container == "PROD"
    assert SourceVector.objects.get().embedded_at == before.embedded_at
    assert len(server.requests) == 1


@pytest.mark.covers("EM-04")
def test_a_change_that_leaves_the_text_alone_costs_no_request_and_a_new_title_does(server: EmbeddingServer) -> None:
    made = page("Tariffs", "of the ferry")
    tick()
    save_page(actor=agent(), page_id=made.id, base_version=1, body="of  the\nferry")
    assert tick().figures.restamped == 1
    assert SignCode.objects.get().version == 2
    save_page(actor=agent(), page_id=made.id, labels=["money"])
    assert tick().figures.is_nothing
    assert len(server.requests) == 1
    save_page(actor=agent(), page_id=made.id, title="Prices")
    assert tick().figures.embedded == 1
    assert [asked["input"] for asked in server.requests[1:]] == [["Prices of the ferry"]]


@pytest.mark.covers("EM-02")
def test_the_vector_of_a_page_that_is_trashed_or_purged_goes(server: EmbeddingServer) -> None:
    first, second, kept = page("One"), page("Two"), page("Three")
    tick()
    trash_page(actor=admin(), page_id=first.id)
    trash_page(actor=admin(), page_id=second.id)
    purge_page(actor=proven_admin(), page_id=second.id, reason="a copy")
    assert tick().figures.removed == 2
    assert embedded() == {kept.id}
    assert SourceVector.objects.count() == 1


@pytest.mark.covers("EM-06")
@pytest.mark.parametrize("status", [400, 413, 422])
def test_one_refused_page_among_128_costs_fifteen_requests_and_only_itself(
    server: EmbeddingServer, status: int
) -> None:
    copies(127, title="Berth {}")
    poison = page("The poisoned one")
    server.behave = refusing("poisoned", status=status)
    ticked = tick()
    assert (ticked.figures.requests, len(server.requests)) == (15, 15)
    assert (ticked.figures.embedded, ticked.figures.held) == (127, 1)
    held = HeldSource.objects.get()
    assert (held.object_id, held.attempts, held.size) == (poison.id, 1, len("The poisoned one Ship it."))
    assert "context_length_exceeded" in held.reason


@pytest.mark.covers("EM-06")
def test_a_held_page_is_offered_alone_after_an_hour_and_costs_nothing_before(server: EmbeddingServer) -> None:
    made = page("The poisoned one")
    server.behave = refusing("poisoned")
    tick()
    assert tick().figures.is_nothing
    new = page("Another")
    assert embedded() == set()
    tick()
    assert embedded() == {new.id}
    assert sizes(server) == [1, 1]
    tick(after=LATER)
    assert server.requests[-1]["input"] == ["The poisoned one Ship it."]
    assert HeldSource.objects.get().attempts == 2
    server.behave = well_behaved
    tick(after=2 * LATER)
    assert embedded() == {new.id, made.id}
    assert not HeldSource.objects.exists()
    assert len(server.requests) == 4


@pytest.mark.covers("EM-06")
def test_at_most_two_held_pages_a_tick_the_longest_refused_first(server: EmbeddingServer) -> None:
    for number in range(5):
        page(f"poisoned {number}")
    server.behave = refusing("poisoned")
    tick()
    server.requests.clear()
    for _ in range(3):
        tick(after=LATER)
    assert [asked["input"][0][:10] for asked in server.requests] == [f"poisoned {number}" for number in range(5)]


@pytest.mark.covers("EM-06")
def test_rewriting_a_held_page_offers_it_at_once_and_moving_it_does_not(server: EmbeddingServer) -> None:
    made = page("Tariffs", "poisoned")
    server.behave = refusing("poisoned")
    tick()
    move_page(actor=agent(), page_id=made.id, parent_id=None, container="PROD")
    save_page(actor=agent(), page_id=made.id, base_version=1, body="  poisoned ")
    assert tick().figures.requests == 0
    assert HeldSource.objects.get().version == 2
    save_page(actor=agent(), page_id=made.id, base_version=2, body="cured")
    assert tick().figures.embedded == 1
    assert not HeldSource.objects.exists()


@pytest.mark.covers("EM-06")
def test_another_configuration_forgets_refusals_and_another_key_does_not(server: EmbeddingServer) -> None:
    page("The poisoned one")
    server.behave = refusing("poisoned")
    tick()
    harbour_embedding_with(server, api_key="another")
    assert tick().figures.requests == 0
    harbour_embedding_with(server, max_input_tokens=8)
    tick()
    assert server.requests[-1]["input"] == ["The pois"]
    assert not HeldSource.objects.exists()


@pytest.mark.covers("EM-06")
def test_an_isolation_that_a_rate_limit_cut_short_goes_on_where_it_stopped(server: EmbeddingServer) -> None:
    copies(127, title="Berth {}")
    page("The poisoned one")
    refuse = refusing("poisoned")
    server.behave = lambda asked: Reply({}, status=429) if len(server.requests) == 5 else refuse(asked)
    assert tick().failure.startswith("429")
    server.behave = refuse
    tick()
    assert len(embedded()) == 127
    assert HeldSource.objects.count() == 1
    assert len(server.requests) == 16
    assert EmbeddingState.objects.get().halves == {}


@pytest.mark.covers("EM-07")
@pytest.mark.parametrize("broken", [[float("nan"), 1, 1, 1], [1, float("inf"), 1, 1], [0, 0, 0, 0]])
def test_a_vector_that_cannot_be_kept_costs_only_itself(server: EmbeddingServer, broken: list[float]) -> None:
    kept = [page(f"Berth {number}").id for number in range(3)]
    held = page("Broken")

    def behave(asked: dict[str, list[str]]) -> Reply:
        answer = well_behaved(asked)
        for result, text in zip(answer.body["data"], asked["input"], strict=True):
            result["embedding"] = broken if "Broken" in text else result["embedding"]
        return answer

    server.behave = behave
    tick()
    tick()
    assert embedded() == set(kept)
    assert (HeldSource.objects.get().object_id, HeldSource.objects.get().is_unusable) == (held.id, True)
    assert sizes(server) == [4]


@pytest.mark.covers("EM-07")
@pytest.mark.parametrize("status", [401, 429, 500, 503])
def test_any_other_failure_ends_the_tick_and_loses_nothing(server: EmbeddingServer, status: int) -> None:
    copies(300, title="Berth {}")
    server.behave = lambda asked: Reply({"error": {"message": "not now"}}, status=status)
    assert tick().failure == f"{status}: not now"
    assert (sizes(server), embedded()) == ([128], set())
    assert not HeldSource.objects.exists()
    server.behave = well_behaved
    assert tick().figures.embedded == 300


@pytest.mark.covers("EM-07")
def test_a_service_that_keeps_failing_is_asked_less_and_less_often(server: EmbeddingServer) -> None:
    page()
    server.behave = lambda asked: Reply({}, status=500)
    for _ in range(4):
        tick()
    assert len(server.requests) == 2
    tick(after=LATER)
    assert len(server.requests) == 3
    harbour_embedding_with(server)
    server.behave = well_behaved
    assert tick().figures.embedded == 1


@pytest.mark.covers("EM-07")
def test_two_pages_refused_alone_with_nothing_accepted_blame_the_configuration(
    server: EmbeddingServer, caplog: pytest.LogCaptureFixture
) -> None:
    page("One")
    page("Two")
    server.behave = lambda asked: Reply({"error": {"message": "no such parameter"}}, status=400)
    tick()
    assert EmbeddingState.objects.get().is_blamed
    harbour_embedding_with(server, max_batch_inputs=64)
    server.behave = well_behaved
    tick()
    assert not EmbeddingState.objects.get().is_blamed


@pytest.mark.covers("EM-08")
@pytest.mark.parametrize("indices", [[0, 0, 1], [0, 1, 3], [0, None, 2], [0, 1, "2"]])
def test_an_answer_that_does_not_map_onto_the_batch_is_kept_by_nobody(
    server: EmbeddingServer, indices: list[object]
) -> None:
    for number in range(3):
        page(f"Berth {number}")

    def behave(asked: dict[str, list[str]]) -> Reply:
        answer = well_behaved(asked)
        for result, index in zip(answer.body["data"], indices, strict=True):
            result["index"] = index
        return answer

    server.behave = behave
    assert "refused" in tick().failure
    assert (embedded(), len(server.requests)) == (set(), 1)
    assert not HeldSource.objects.exists()


@pytest.mark.covers("EM-09")
def test_another_model_is_another_space_and_the_old_one_goes_once_the_new_one_is_full(server: EmbeddingServer) -> None:
    copies(200, title="Berth {}")
    tick()
    assert EmbeddingSpace.objects.get().filled_at is not None
    harbour_embedding_with(server, model="newer", max_batch_inputs=5)
    tick()
    newer = EmbeddingSpace.objects.get(model="newer")
    assert (newer.filled_at, SignCode.objects.count()) == (None, 200 + 160)
    tick()
    newer.refresh_from_db()
    assert newer.filled_at is not None
    assert [space.model for space in EmbeddingSpace.objects.all()] == ["newer"]
    assert SourceVector.objects.count() == 200


@pytest.mark.covers("EM-09")
def test_coverage_is_measured_and_too_little_of_it_is_an_alarm_told_once(server: EmbeddingServer) -> None:
    copies(20, title="Berth {}")
    server.behave = lambda asked: Reply({}, status=500)
    tick()
    space = EmbeddingSpace.objects.get()
    assert (space.sources, space.current, space.is_alarmed) == (20, 0, True)
    server.behave = well_behaved
    tick()
    space.refresh_from_db()
    assert (space.sources, space.current, space.is_alarmed) == (20, 20, False)


@pytest.mark.covers("EM-12")
def test_without_vectors_the_duty_stops(server: EmbeddingServer) -> None:
    page()
    install_company(vectors=False)
    assert embed_sources() == []
    assert not server.requests
    assert not EmbeddingPass.objects.exists()
