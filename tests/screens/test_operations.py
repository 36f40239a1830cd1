"""The operations screen: what an administrator sees of search by meaning in each of its states, and trying again."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from company.models import AuditEntry
from company.rules.refusals import Code, Refused
from knowledge.models import HeldSource
from knowledge.reads.embedding import Status, embedding_view
from knowledge.writes.embedding import retry_held
from tests.factories import admin, human
from tests.knowledge.embedding.duties import embedded, harbour_embedding_with, refusing, tick
from tests.knowledge.embedding.server import EmbeddingServer, Reply, well_behaved
from tests.knowledge.pages import page
from tests.knowledge.sizes import copies

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(harbour: object) -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        harbour_embedding_with(running, max_batch_inputs=10)
        yield running


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.mark.covers("UI-05")
def test_only_an_administrator_sees_operations_and_the_way_to_it(ada: Client, root: Client) -> None:
    assert ada.get("/operations").status_code == 403
    assert ada.post("/operations/retry").status_code == 403
    assert "/operations" not in text_of(ada.get("/knowledge"))
    assert 'href="/operations"' in text_of(root.get("/knowledge"))


@pytest.mark.covers("EM-12", "UI-05")
def test_without_a_provider_it_says_how_to_declare_one(root: Client) -> None:
    shown = text_of(root.get("/operations"))
    assert "Pages are found by their words alone" in shown
    assert "providers.embeddings" in shown


@pytest.mark.covers("EM-09", "UI-05")
def test_a_fill_shows_how_far_it_is_and_asks_again_by_itself(root: Client, server: EmbeddingServer) -> None:
    copies(400, title="Berth {}")
    assert "Waiting for its first run" in text_of(root.get("/operations"))
    tick()
    shown = text_of(root.get("/operations"))
    assert "80 %" in shown
    assert "320 of 400 documents" in shown
    assert 'hx-trigger="every 5s"' in shown
    assert "minute left" in shown
    tick()
    shown = text_of(root.get("/operations"))
    assert "Up to date" in shown
    assert "100 %" in shown
    assert "every 5s" not in shown
    part = text_of(root.get("/operations", headers={"HX-Request": "true"}))
    assert "100 %" in part
    assert "<html" not in part


@pytest.mark.covers("EM-07", "UI-05")
def test_a_provider_that_fails_and_one_that_refuses_everything_are_said_in_words(
    root: Client, server: EmbeddingServer
) -> None:
    page("One")
    page("Two")
    server.behave = lambda asked: Reply({"error": {"message": "come back later"}}, status=429)
    tick()
    shown = text_of(root.get("/operations"))
    assert "429: come back later" in shown
    assert "asked again within a minute" in shown
    server.behave = lambda asked: Reply({"error": {"message": "no such parameter"}}, status=400)
    tick()
    shown = text_of(root.get("/operations"))
    assert "it is the configuration and no document" in shown
    assert "no such parameter" in shown


@pytest.mark.covers("EM-06", "UI-05")
def test_a_held_page_is_listed_with_its_reason_and_offered_again_when_asked(
    root: Client, server: EmbeddingServer
) -> None:
    made = page("The <b>poisoned</b> one")
    page("Another")
    server.behave = refusing("poisoned")
    tick()
    shown = root.get("/operations").content.decode()
    assert "too long for us (code context_length_exceeded)" in shown
    assert "The &lt;b&gt;poisoned&lt;/b&gt; one" in shown
    server.behave = well_behaved
    answer = root.post("/operations/retry", {"kind": "page", "id": str(made.id)}, follow=True)
    assert "offered again within a minute" in text_of(answer)
    assert AuditEntry.objects.get(verb="retry_held").target_id == str(made.id)
    assert tick().figures.embedded == 1
    assert made.id in embedded()
    assert root.post("/operations/retry", {"kind": "page", "id": str(made.id)}).status_code == 404


@pytest.mark.covers("EM-06")
def test_only_an_administrator_asks_for_another_try(server: EmbeddingServer) -> None:
    page("poisoned")
    server.behave = refusing("poisoned")
    tick()
    with pytest.raises(Refused) as refused:
        retry_held(actor=human())
    assert refused.value.code is Code.FORBIDDEN
    assert not HeldSource.objects.get().asked_again
    assert retry_held(actor=admin()) == 1
    assert HeldSource.objects.get().asked_again


@pytest.mark.covers("EM-09")
def test_the_view_costs_the_same_few_queries_however_much_is_held(
    server: EmbeddingServer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(9):
        page(f"poisoned {number}")
    server.behave = refusing("poisoned")
    tick()
    with django_assert_num_queries(9):
        view = embedding_view(actor=admin())
    assert view.status is Status.REFUSED
    assert (view.held_total, len(view.held)) == (9, 9)
    assert {one.title for one in view.held} == {f"poisoned {number}" for number in range(9)}
