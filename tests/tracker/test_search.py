"""Items are found: by words, by key, by meaning, in one project, and never from the trash."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from knowledge.search.indexing import Indexing
from knowledge.search.rules.outcome import Mode
from tests.company.doors import bearer, codes
from tests.factories import agent, human, install_company, token_for
from tests.knowledge.pages import page
from tests.screens.browsers import browser_of
from tests.tracker.items import ada, item, save
from tracker.search.asking import search_items
from tracker.search.corpus import ItemCorpus
from tracker.views.searching import suggest_items
from tracker.writes.items import move_item, trash_item

pytestmark = pytest.mark.django_db(transaction=True)

Index = Callable[[], None]


@pytest.fixture
def index(tmp_path: Path, settings: Settings, transactional_db: None) -> Index:
    """Harbour in force; call it to have everything written so far indexed."""
    install_company()
    settings.INDEX_DIR = tmp_path / "index"
    indexing = Indexing(settings.INDEX_DIR)

    def catch_up() -> None:
        indexing.catch_up()

    return catch_up


def keys(text: str, **more: object) -> list[str]:
    return [hit.key for hit in search_items(actor=agent(), text=text, mode=Mode.KEYWORD, **more).hits]  # type: ignore[arg-type]


@pytest.mark.covers("SE-02", "TK-02")
def test_items_are_found_by_words_and_by_key_and_pages_are_not_among_them(index: Index) -> None:
    made = item("Holds do not expire", description="The lighthouse clock is late.")
    other = item("Lighthouse paint", project="PROD")
    page("Lighthouse", body="A page.")
    index()
    assert sorted(keys("lighthouse")) == [made.key, other.key]
    assert keys("lighthouse", project="ENG") == [made.key]
    assert keys(made.key)[0] == made.key
    answer = bearer(token_for(seat="engineer-bot")).get("/api/v1/search/items?q=lighthouse&mode=keyword&project=ENG")
    (hit,) = answer.json()["hits"]
    assert (hit["key"], hit["container"], hit["page_id"], hit["rank"]) == (made.key, "ENG", None, 1)
    assert "lighthouse" in hit["snippet"]
    assert answer.json()["outcome"]["served_mode"] == "keyword"


@pytest.mark.covers("SE-02")
def test_an_item_follows_its_changes_and_leaves_with_the_trash(index: Index) -> None:
    made = item("Holds do not expire")
    index()
    save(made.key, title="Berths stay taken")
    move_item(actor=agent(), key=made.key, project="PROD")
    index()
    assert keys("berths", project="PROD") == [made.key]
    assert keys("berths", project="ENG") == []
    assert keys("expire") == []
    trash_item(actor=agent(), key=made.key)
    assert keys("berths") == []  # judged by its row, before the index hears of it
    index()
    assert keys("berths") == []


@pytest.mark.covers("SE-02")
def test_a_mode_nobody_knows_and_a_reader_without_the_app_are_refused(index: Index) -> None:
    client = bearer(token_for(seat="engineer-bot"))
    assert codes(client.get("/api/v1/search/items?q=x&mode=magic")) == ["unknown_mode"]
    assert codes(client.get("/api/v1/search/items")) == ["required"]
    without = bearer(token_for(seat="ada-marsh", name="ada"))
    assert codes(without.get("/api/v1/search/items?q=x")) == ["forbidden"]


@pytest.mark.covers("EM-04")
def test_only_a_change_of_the_words_moves_what_a_vector_is_made_of(index: Index) -> None:
    made = item("Holds", description="one")
    corpus, company = ItemCorpus(), install_company()

    def source() -> tuple[int, str, str, str]:
        row = corpus.sources(company=company).get(pk=made.id)
        return row.source_version, row.source_container, row.source_title, row.source_body

    before = source()
    save(made.key, status="done", assignee="lead-bot", labels=["x"], due="2026-12-01")
    assert source() == before
    move_item(actor=agent(), key=made.key, project="PROD")
    assert source() == (before[0], "PROD", *before[2:])
    save(made.key, title="Berths")
    assert source()[0] > before[0]


@pytest.mark.covers("TK-02")
def test_the_palette_and_the_screen_offer_items_to_those_who_hold_the_app(index: Index) -> None:
    made = item("Tide table wrong")
    index()
    assert [one.address for one in suggest_items(actor=ada(), text="tide ta", limit=8)] == [
        f"/tracker/items/{made.key}"
    ]
    assert [one.label for one in suggest_items(actor=ada(), text=made.key.lower(), limit=8)] == ["Tide table wrong"]
    assert suggest_items(actor=human(), text="tide", limit=8) == ()
    mia = browser_of("mia", "knowledge", "tracker", seat="ada-marsh")
    shown = mia.get("/tracker/search?q=tide&mode=keyword").content.decode()
    assert f'href="/tracker/items/{made.key}"' in shown
    assert "status-todo" in mia.get("/search/suggestions?q=tide").content.decode()
