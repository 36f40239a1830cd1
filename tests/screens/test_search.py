"""The screen of the search and the palette, as a person reads them."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from company.rules.chart import Company
from knowledge.search.indexing import Indexing
from knowledge.search.pages import PageCorpus
from tests.knowledge.pages import page
from tests.skills.served import GITHUB, serve

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.fixture
def index(harbour: Company, tmp_path: Path, settings: Settings) -> Indexing:
    settings.INDEX_DIR = tmp_path / "index"
    return Indexing(settings.INDEX_DIR, wanted=[PageCorpus()])


@pytest.mark.covers("SE-13", "UI-01")
def test_a_hit_shows_where_it_lies_and_marks_what_was_asked_for(index: Indexing, ada: Client) -> None:
    above = page("Operations")
    made = page("Night <ferries>", "The lighthouse & the *Ferries*.", parent_id=above.id)
    index.catch_up()
    shown = ada.get("/search", {"q": "ferry lighthouse"}).content.decode()
    assert f'href="/knowledge/pages/{made.id}"' in shown
    assert "Night &lt;<mark>ferries</mark>&gt;" in shown
    assert "The <mark>lighthouse</mark> &amp; the <mark>Ferries</mark>." in shown
    assert "Operations" in shown
    assert "1 page" in shown
    assert "every page was searched" in shown


@pytest.mark.covers("SE-07", "SE-08")
def test_what_an_answer_is_worth_is_said_in_words(index: Indexing, ada: Client) -> None:
    page("Tariffs", "ferry")
    building = text_of(ada.get("/search", {"q": "ferry"}))
    assert "still being built" in building
    assert "No page matches" not in building
    index.catch_up()
    assert "this company has no search by meaning" in text_of(ada.get("/search", {"q": "ferry"}))
    semantic = text_of(ada.get("/search", {"q": "ferry", "mode": "semantic"}))
    assert "This was not searched" in semantic
    assert "mode=keyword" in semantic
    assert "No page matches" in text_of(ada.get("/search", {"q": "zeppelin"}))
    assert "Nothing in PROD holds these words" in text_of(ada.get("/search", {"q": "ferry", "space": "PROD"}))


@pytest.mark.covers("SE-02", "SE-03")
def test_what_cannot_be_asked_is_said_and_what_was_typed_is_kept(index: Indexing, ada: Client) -> None:
    answer = ada.get("/search", {"q": "x" * 401})
    assert answer.status_code == 400
    assert "a question is at most 400" in text_of(answer)
    assert f'value="{"x" * 401}"' in text_of(answer)
    assert ada.get("/search", {"q": " "}).status_code == 200
    assert ada.get("/search", {"q": "x", "mode": "psychic"}).status_code == 400


@pytest.mark.covers("UI-01")
def test_the_palette_suggests_pages_and_skills_as_somebody_types(index: Indexing, ada: Client) -> None:
    made = page("Git <workflow>", "of the ferries")
    serve(GITHUB)
    index.catch_up()
    shown = ada.get("/search/suggestions", {"q": "git"}).content.decode()
    assert f'role="option" tabindex="-1" href="/knowledge/pages/{made.id}"' in shown
    assert "Git &lt;workflow&gt;" in shown
    assert 'href="/skills/mcp:github"' in shown
    assert ada.get("/search/suggestions", {"q": "ferries"}).content.decode().count("/knowledge/pages/") == 0
    assert ada.get("/search/suggestions", {"q": ""}).content == b""


def test_without_the_app_there_is_no_search(index: Indexing, stranger: Client) -> None:
    assert stranger.get("/search", {"q": "ferry"}).status_code == 403
    assert stranger.get("/search/suggestions", {"q": "ferry"}).status_code == 403
    assert 'id="palette"' not in stranger.get("/company").content.decode()
