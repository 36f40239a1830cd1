"""Search as a reader meets it: what is found, what never is, and what an answer says of itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from company.models.records import Event
from company.rules.actors import Permission
from company.rules.chart import Backend
from company.rules.refusals import Code, Refused
from knowledge.models import Page, PageStatus
from knowledge.search.asking import find_titles, search_pages
from knowledge.search.indexing import Indexing
from knowledge.search.pages import PageCorpus
from knowledge.search.rules.outcome import Degraded, Mode
from knowledge.search.seam import Found, Query, searcher
from knowledge.writes.pages import trash_page
from tests.factories import admin, agent, install_company, person, token_for
from tests.knowledge.pages import page

pytestmark = pytest.mark.django_db(transaction=True)

Index = Callable[[], None]


@pytest.fixture
def index(tmp_path: Path, settings: Settings, transactional_db: None) -> Index:
    """Harbour in force; call it to have the pages written so far indexed."""
    install_company()
    settings.INDEX_DIR = tmp_path / "index"
    indexing = Indexing(settings.INDEX_DIR, wanted=[PageCorpus()])

    def catch_up() -> None:
        indexing.catch_up()

    return catch_up


@pytest.fixture
def api(index: Index) -> APIClient:
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(seat='engineer-bot')}")
    return made


def ids(found: Found) -> list[int]:
    return [hit.page_id for hit in found.hits]


def search(text: str, **more: object) -> Found:
    return search_pages(actor=agent(), text=text, **more)  # type: ignore[arg-type]


@pytest.mark.covers("SE-01", "SE-07", "SE-13")
def test_a_hit_says_what_was_found_where_and_why(index: Index, api: APIClient) -> None:
    above = page("Operations", "How we work.")
    made = page("Night ferries", "x " * 300 + "The **lighthouse** is lit at dusk." + " y" * 300, parent_id=above.id)
    index()
    answer = api.get("/api/v1/search/pages", {"q": "lighthouse", "mode": "keyword"})
    assert answer.status_code == 200
    (hit,) = answer.json()["hits"]
    snippet = hit.pop("snippet")
    assert "lighthouse" in snippet
    assert len(snippet) <= 200
    assert hit.pop("score") > 0
    assert hit == {
        "title": "Night ferries",
        "url": f"https://harbour.example/knowledge/pages/{made.id}",
        "container": "ENG",
        "page_id": made.id,
        "ancestors": ["Operations"],
        "rank": 1,
    }
    assert answer.json()["outcome"] == {
        "served_mode": "keyword",
        "modes": ["keyword"],
        "coverage": {"nodes": 1, "complete": True, "buckets_missing": []},
        "degraded": [],
    }


@pytest.mark.covers("SE-09")
def test_an_answer_is_full_however_many_pages_may_not_be_found(index: Index) -> None:
    install_company(scope=("PROD", "TS"))
    drafts = page("Auto-Drafted Skills", "", container="PROD")
    wanted = [page(f"Berth {number}", "ferry and more words", container="PROD").id for number in range(12)]
    for number in range(40):
        page(f"Better {number}", "ferry")
        page(f"Skill {number}", "ferry", container="TS", by=admin())
        page(f"Filed {number}", "ferry", parent_id=drafts.id)
        page(f"[Auto-draft] {number}", "ferry", container="PROD")
        page(f"Draft {number}", "ferry", container="PROD", status=PageStatus.DRAFT)
    index()
    assert sorted(ids(search("ferry", limit=12))) == wanted
    Page.objects.filter(pk__in=wanted[:9]).update(status=PageStatus.TRASHED, trashed_at="2026-01-01T00:00Z")
    assert sorted(ids(search("ferry", limit=12))) == wanted[9:]
    assert ids(search("ferry", container="ENG")) == ids(search("ferry", container="TS")) == []


@pytest.mark.covers("SE-09")
def test_the_walk_goes_on_past_pages_that_have_gone_since_they_were_indexed(index: Index) -> None:
    gone = [page(f"Ferry {number}", "ferry").id for number in range(40)]
    kept = page("Tariffs", "of the ferry, among other things " * 20)
    index()
    for page_id in gone:
        trash_page(actor=admin(), page_id=page_id)
    assert ids(search("ferry", limit=1)) == [kept.id]


@pytest.mark.covers("SE-09")
def test_a_caller_chooses_which_ancestors_are_left_out(index: Index) -> None:
    drafts = page("auto-drafted  SKILLS", "")
    filed = page("Filed", "ferry", parent_id=drafts.id)
    index()
    assert ids(search("ferry")) == []
    assert ids(searcher().search(Query(text="ferry", excluded_ancestors=()))) == [filed.id]


@pytest.mark.covers("SE-02", "SE-07")
def test_without_a_model_hybrid_falls_back_to_words_and_semantic_finds_nothing(index: Index) -> None:
    made = page("Tariffs", "ferry")
    index()
    hybrid, semantic = search("ferry"), search("ferry", mode=Mode.SEMANTIC)
    assert ids(hybrid) == [made.id]
    assert (hybrid.outcome.served_mode, hybrid.outcome.degraded) == (Mode.KEYWORD, (Degraded.NO_EMBEDDINGS,))
    assert (semantic.hits, semantic.outcome.served_mode) == ((), None)
    assert semantic.outcome.degraded == (Degraded.NO_EMBEDDINGS,)


@pytest.mark.covers("SE-08")
def test_an_index_that_is_not_built_yet_is_no_answer_that_nothing_matched(index: Index) -> None:
    page("Tariffs", "ferry")
    found = search("ferry", mode=Mode.KEYWORD)
    assert found.hits == ()
    assert found.outcome.degraded == (Degraded.BUILDING,)
    assert not found.outcome.coverage.complete


@pytest.mark.covers("SE-01", "SE-07")
def test_where_the_pages_are_kept_elsewhere_or_nowhere_the_outcome_says_so(index: Index) -> None:
    install_company(backend=Backend.NONE)
    assert not searcher().can_search(seat="engineer-bot")
    assert search("ferry").outcome.degraded == (Degraded.UNSUPPORTED,)
    assert find_titles(actor=agent(), text="ferry").outcome.served_mode is None


@pytest.mark.covers("SE-07")
def test_a_search_that_breaks_says_so_and_raises_nothing(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("a file of the index is gone")

    monkeypatch.setattr("knowledge.search.lexical.reader.LexicalReader.search", broken)
    found = search("ferry")
    assert (found.hits, found.outcome.served_mode) == ((), None)


@pytest.mark.covers("SE-13")
def test_an_answer_costs_the_same_few_queries_however_many_hits_it_has(
    index: Index, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    above = page("Operations", "")
    for number in range(60):
        page(f"Berth {number}", "ferry", parent_id=above.id)
    index()
    for limit in (2, 50):
        with django_assert_num_queries(4):
            assert len(searcher().search(Query(text="ferry", limit=limit)).hits) == limit


@pytest.mark.covers("SE-04")
def test_titles_are_found_while_they_are_typed_and_nothing_is_recorded(index: Index) -> None:
    made = page("Night ferries", "moor at the quay")
    page("Night ferries of old", "", container="TS", by=admin())
    index()
    assert ids(find_titles(actor=agent(), text="night fer")) == [made.id]
    assert ids(find_titles(actor=agent(), text="quay")) == []
    assert not Event.objects.filter(type="knowledge_read").exists()


@pytest.mark.covers("RD-01")
def test_what_a_seat_finds_is_recorded_as_read_and_a_persons_search_is_not(index: Index) -> None:
    made = page("Tariffs", "ferry")
    index()
    search("ferry")
    (event,) = Event.objects.filter(type="knowledge_read")
    assert event.seat == "engineer-bot"
    assert (event.payload["via"], event.payload["query"], event.payload["backend"]) == ("search", "ferry", "native")
    assert event.payload["pages"] == [{"id": made.id, "container": "ENG", "title": "Tariffs", "rank": 1}]
    search("nothing like it")
    search_pages(actor=admin(), text="ferry")
    assert Event.objects.filter(type="knowledge_read").count() == 1


@pytest.mark.covers("SE-02", "SE-03")
@pytest.mark.parametrize(
    ("asked", "code", "attr"),
    [
        ({}, "required", "q"),
        ({"q": "  "}, "required", "q"),
        ({"q": "a\x00b"}, "invalid", "q"),
        ({"q": "x" * 401}, "too_long", "q"),
        ({"q": "x" * 2000}, "too_long", "q"),
        ({"q": "x", "mode": "psychic"}, "unknown_mode", "mode"),
        ({"q": "x", "limit": "51"}, "too_long", "limit"),
        ({"q": "x", "limit": "0"}, "invalid", "limit"),
        ({"q": "x", "project": "ENG"}, "unknown_field", "project"),
    ],
)
def test_what_cannot_be_asked_is_refused(api: APIClient, asked: dict[str, str], code: str, attr: str) -> None:
    answer = api.get("/api/v1/search/pages", asked)
    assert answer.status_code == 400
    assert [(one["code"], one["attr"]) for one in answer.json()["errors"]] == [(code, attr)]


@pytest.mark.slow
@pytest.mark.covers("SE-03")
def test_any_other_input_is_an_answer(index: Index, api: APIClient) -> None:
    page("Tariffs", "ferry")
    index()
    printable = [chr(point) for point in (*range(32, 127), *range(160, 592), 0x3042, 0x4E2D, 0x1F6A2, 0x200B)]
    asked = [
        *(f"{one}{one} ferry{one}" for one in printable),
        "the of and is", '"', "AND OR NOT", "title:(", "[a TO b]", "*", "ferry~2^9", "\\", "中" * 133, "a" * 400,
    ]  # fmt: skip
    statuses = {text: api.get("/api/v1/search/pages", {"q": text, "limit": "1"}).status_code for text in asked}
    assert {text: status for text, status in statuses.items() if status != 200} == {}


@pytest.mark.covers("SE-10")
def test_without_the_app_search_is_refused(index: Index) -> None:
    api = APIClient()
    assert api.get("/api/v1/search/pages", {"q": "ferry"}).status_code == 401
    holder = person("tracker-only", permissions=[Permission.TRACKER.value])
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(holder=holder)}")
    assert api.get("/api/v1/search/pages", {"q": "ferry"}).status_code == 403


ASKABLE = {
    "stop words alone": "the of and to in is that for it as was with",
    "signs alone": "?!?! ((( )))",
    "as long as may be": "x" * 400,
    "words, as long as may be": ("ferry " * 80)[:400],
    "Chinese, as long as may be": "渡" * 133,
    "a syntax": 'title:"ferry" AND (a OR -b)^2 ~3 [1 TO 2] *:* /x.*/ {!lucene}',
    "statements": "'; DROP TABLE knowledge_page; --",
    "a format": "%s %(x)s {0} ${x} \\x00 \\",
    "controls": "".join(map(chr, range(1, 32))) + "ferry\x7f",
    "marks": "f\u0301e\u0301rr\u0301y \u202e\u2066 \ufeff\u200b\u00ad",
    "emoji": "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ferry",
    "many scripts": "渡し船 паром φέρι عبّارة मल्लाह เรือ 나룻배",
    "beyond the basic plane": "\U00020000\U0001d11e\U0010ffff",
}


@pytest.mark.covers("SE-03")
@pytest.mark.parametrize("mode", [mode.value for mode in Mode])
def test_whatever_is_asked_is_answered_in_every_mode(index: Index, api: APIClient, mode: str) -> None:
    page("Night ferry", "The ferry, паром and 渡し船.")
    index()
    for text in ASKABLE.values():
        answer = api.get("/api/v1/search/pages", {"q": text, "mode": mode})
        assert answer.status_code == 200, text
        assert answer.json()["outcome"]["coverage"]["complete"] is (mode != "semantic")


@pytest.mark.covers("SE-03")
def test_half_a_surrogate_pair_in_an_address_is_no_fault_of_ours(index: Index, api: APIClient) -> None:
    page("Night ferry", "The ferry.")
    index()
    for raw in ("%ED%A0%80ferry", "%FF%FE ferry", "%C3ferry"):
        assert api.get(f"/api/v1/search/pages?q={raw}").status_code in (200, 400)
    with pytest.raises(Refused) as refused:
        search("ferry \ud800")
    assert refused.value.code is Code.INVALID
