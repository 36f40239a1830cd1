"""Items by meaning: found in all three modes, embedded beside the pages, and no request for a change of status."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from knowledge.models import SignCode
from knowledge.search.indexing import Indexing
from knowledge.search.rules.outcome import Mode
from tests.factories import agent
from tests.knowledge.embedding.duties import harbour_embedding_with, tick
from tests.knowledge.embedding.server import EmbeddingServer
from tests.knowledge.pages import page
from tests.knowledge.search.test_semantic import meaning
from tests.tracker.items import item, save
from tracker.search.asking import search_items
from tracker.writes.items import move_item, trash_item

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(tmp_path: Path, settings: Settings) -> Iterator[EmbeddingServer]:
    settings.INDEX_DIR = tmp_path / "index"
    with EmbeddingServer(behave=meaning) as running:
        harbour_embedding_with(running, model=tmp_path.name)
        yield running


@pytest.fixture
def ready(server: EmbeddingServer, settings: Settings) -> Callable[[], None]:
    """Call it to have everything written so far indexed and embedded."""
    indexing = Indexing(settings.INDEX_DIR)

    def catch_up() -> None:
        indexing.catch_up()
        tick()

    return catch_up


def keys(text: str, mode: Mode, **more: object) -> list[str]:
    return [hit.key for hit in search_items(actor=agent(), text=text, mode=mode, **more).hits]  # type: ignore[arg-type]


@pytest.mark.covers("SE-02", "EM-05")
def test_items_are_found_in_all_three_modes_and_pages_never_among_them(ready: Callable[[], None]) -> None:
    boat = item("Paint the boat", description="The vessel needs a coat.")
    item("Pay the bill", project="PROD")
    page("Ferries", "A boat and a vessel.")
    ready()
    assert keys("ferry", Mode.KEYWORD) == []
    assert keys("ferry", Mode.SEMANTIC)[0] == boat.key
    assert keys("vessel", Mode.HYBRID)[0] == boat.key
    assert keys("ferry", Mode.SEMANTIC, project="PROD") == ["PROD-1"]
    found = search_items(actor=agent(), text="ferry", mode=Mode.SEMANTIC)
    assert found.outcome.served_mode is Mode.SEMANTIC
    assert all(hit.key for hit in found.hits)


@pytest.mark.covers("EM-04")
def test_a_change_of_status_or_project_costs_no_request_and_one_of_the_title_does(
    server: EmbeddingServer, ready: Callable[[], None]
) -> None:
    made = item("Paint the boat")
    ready()
    server.requests.clear()
    save(made.key, status="in_progress", assignee="lead-bot", priority="high")
    move_item(actor=agent(), key=made.key, project="PROD")
    ready()
    assert server.requests == []
    code = SignCode.objects.get(kind="item")
    assert (code.object_id, code.container) == (made.id, "PROD")
    save(made.key, title="Paint the ferry")
    ready()
    assert [asked["input"] for asked in server.requests] == [["Paint the ferry"]]
    trash_item(actor=agent(), key=made.key)
    assert keys("ferry", Mode.SEMANTIC) == []
