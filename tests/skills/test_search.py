"""Search over skills: by words, by meaning, by both, and what is told where one half cannot answer."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import pytest
from pytest_django import DjangoAssertNumQueries

from company.rules.refusals import Code, Refused
from knowledge.embedding.providers.protocol import ProviderUnavailable
from knowledge.embedding.rules.packing import Limits
from knowledge.search.rules.outcome import Degraded, Mode
from knowledge.search.semantic.asking import _query_vectors
from knowledge.writes.pages import create_page, save_page
from skills.models import SkillSaying
from skills.reads.search import search_skills
from skills.reads.shelf import Wanted
from skills.registry.sync import SkillSync
from skills.tool_skills.rules.documents import Kind, Phase
from skills.wording import Wording, held
from skills.writes.alike import compare_skills
from tests.factories import admin, agent, human, install_company, person, token_for
from tests.skills.doors import Door
from tests.skills.served import DEPLOY, GITHUB, HINT, MENTIONS, NOTES, serve
from tests.skills.texts import skill_text

REFUND = "What guests get back and who may grant it."
BERTH = "Which berth a boat of a certain length may take."
SUBJECTS = (("refund", "get back", "money"), ("berth", "boat", "moor"), ("pull",))


class Provider:
    """A provider that knows three subjects by any of their words."""

    model, dimensions, is_metered, configuration = "subjects", 4, False, "subjects-1"
    limits = Limits(inputs=8)

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.is_away = False

    def embed(self, texts: Sequence[str], *, timeout: float = 1) -> list[list[float]]:
        self.asked += texts
        if self.is_away:
            raise ProviderUnavailable("away")
        return [[*(float(any(word in text for word in words)) for words in SUBJECTS), 0.1] for text in texts]


@pytest.fixture
def harbour(db: None) -> None:
    install_company()


@pytest.fixture
def provider(harbour: None, monkeypatch: pytest.MonkeyPatch) -> Provider:
    made = Provider()
    monkeypatch.setattr("skills.writes.alike.provider_for", lambda company: made)
    monkeypatch.setattr("knowledge.search.semantic.asking.provider_for", lambda company: made)
    _query_vectors.cache_clear()
    return made


def publish(key: str, summary: str) -> int:
    return create_page(actor=admin(), title=key, body=skill_text(key, summary=summary), container="TS").id


@pytest.fixture
def embedded(provider: Provider) -> Provider:
    """Two skills of whose summaries there are vectors."""
    publish("skill:refunds", REFUND)
    publish("skill:berths", BERTH)
    compare_skills()
    SkillSync().run_pending()
    provider.asked.clear()
    return provider


def names(text: str, mode: Mode = Mode.HYBRID, wanted: Wanted | None = None) -> list[str]:
    found = search_skills(actor=human(), text=text, mode=mode, wanted=wanted or Wanted())
    return [one.name for one in found.hits]


def places(question: str, *among: Wording) -> list[int]:
    return [one.place for one in held(question, among)]


def test_a_skill_is_found_by_its_words_in_another_form_and_the_rarer_word_counts_more() -> None:
    among = [
        Wording("skill:a", "Deploys", "How the service is deployed."),
        Wording("skill:b", "Refunds", "How the service grants refunds."),
        Wording("skill:c", "Letters", "How the service writes."),
    ]
    assert places("service refunding", *among)[0] == 1
    assert places("how do I deploy?", *among) == [0]
    assert places("nothing of it", *among) == []
    assert places("…!?", *among) == []


def test_a_word_in_the_name_counts_more_than_one_in_the_text() -> None:
    among = [Wording("skill:a", "A", "Mentions of people."), Wording("skill:mentions", "B", "People.")]
    assert places("mentions", *among) == [1, 0]


def test_a_name_given_whole_is_first_and_the_beginning_of_a_word_finds_it() -> None:
    among = [Wording("tool:git", "git github git", "git github mcp"), Wording("mcp:github", "Pull requests", "x")]
    assert places("mcp:github", *among)[0] == 1
    assert places("pul", *among) == [1]
    assert places("ull", *among) == []


@pytest.mark.covers("HS-06")
def test_skills_of_every_dialect_are_found_by_words_and_it_says_why_not_by_meaning(harbour: None) -> None:
    serve(GITHUB, MENTIONS, DEPLOY, NOTES)
    found = search_skills(actor=agent(), text="when a release is cut, mention people")
    assert {one.name for one in found.hits} >= {"release-notes", "skill:mentions"}
    assert "mcp:github" not in [one.name for one in found.hits]
    assert found.outcome.served_mode is Mode.KEYWORD
    assert found.outcome.degraded == (Degraded.NO_EMBEDDINGS,)
    assert names("staging", wanted=Wanted(dialect=Kind.TOOL_SKILL)) == []
    assert names("Gezeiten ship it") == ["deploy-staging"], "a prompt skill's triggers are its words too"


@pytest.mark.covers("HS-06")
def test_a_skill_that_shares_no_word_with_the_question_is_found_by_meaning(embedded: Provider) -> None:
    assert names("moor my ship", Mode.KEYWORD) == []
    assert names("moor my ship")[0] == "skill:berths"
    assert names("money", Mode.SEMANTIC)[0] == "skill:refunds"
    found = search_skills(actor=human(), text="money")
    assert (found.outcome.served_mode, found.outcome.degraded) == (Mode.HYBRID, ())
    assert names("skill:berths money")[0] == "skill:berths", "a name given whole comes before any meaning"


@pytest.mark.covers("HS-06")
def test_only_a_question_that_is_asked_by_meaning_is_sent_and_once(embedded: Provider) -> None:
    names("money", Mode.KEYWORD)
    assert embedded.asked == []
    names("money")
    names("money", Mode.SEMANTIC)
    assert embedded.asked == ["money"]


@pytest.mark.covers("HS-06")
def test_while_the_provider_is_away_words_answer_and_it_says_so(embedded: Provider) -> None:
    embedded.is_away = True
    found = search_skills(actor=human(), text="guests")
    assert [one.name for one in found.hits] == ["skill:refunds"]
    assert (found.outcome.served_mode, found.outcome.degraded) == (Mode.KEYWORD, (Degraded.EMBEDDING_FAILED,))
    alone = search_skills(actor=human(), text="guests", mode=Mode.SEMANTIC)
    assert (alone.hits, alone.outcome.served_mode) == ((), None), "words cannot stand in for meaning"


@pytest.mark.covers("HS-06")
def test_what_is_not_embedded_yet_is_found_by_its_words_and_told_of(embedded: Provider) -> None:
    refunds = SkillSaying.objects.order_by("page_id").first()
    assert refunds is not None
    changed = skill_text("skill:refunds", summary="Vouchers, and for whom.")
    save_page(actor=admin(), page_id=refunds.page_id, base_version=1, body=changed)
    SkillSync().run_pending()
    found = search_skills(actor=human(), text="money")
    assert [one.name for one in found.hits] == ["skill:berths"], "the vector is of what it said before"
    assert found.outcome.degraded == (Degraded.SEMANTIC_PARTIAL,)
    assert names("vouchers")[0] == "skill:refunds"


def test_no_question_is_sent_where_no_skill_has_a_vector(provider: Provider) -> None:
    publish("skill:refunds", REFUND)
    SkillSync().run_pending()
    found = search_skills(actor=human(), text="guests")
    assert [one.name for one in found.hits] == ["skill:refunds"]
    assert (found.outcome.degraded, provider.asked) == ((Degraded.SEMANTIC_PARTIAL,), [])


def test_a_vector_of_another_model_is_not_compared(embedded: Provider) -> None:
    embedded.configuration = "subjects-2"
    assert search_skills(actor=human(), text="money").outcome.degraded == (Degraded.SEMANTIC_PARTIAL,)


def test_a_search_stays_within_what_the_list_is_narrowed_to(embedded: Provider) -> None:
    assert set(names("money", wanted=Wanted(phase=Phase.REVIEW))) == set()
    assert set(names("money", wanted=Wanted(dialect=Kind.TOOL_SKILL))) == {"skill:refunds", "skill:berths"}


def test_a_search_costs_two_queries_however_many_skills_there_are(
    embedded: Provider, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        names("money")
    for number in range(20):
        publish(f"skill:n{number}", f"Number {number} of a boat.")
    compare_skills()
    SkillSync().run_pending()
    with django_assert_num_queries(2):
        assert len(names("boat")) == 22


@pytest.mark.parametrize(("text", "code"), [(" ", Code.REQUIRED), ("x" * 401, Code.TOO_LONG), ("a\0b", Code.INVALID)])
def test_a_text_that_cannot_be_asked_is_refused(harbour: None, text: str, code: Code) -> None:
    with pytest.raises(Refused) as refused:
        search_skills(actor=human(), text=text)
    assert refused.value.code is code


@pytest.mark.covers("HS-06")
def test_the_rest_list_of_skills_is_searched_with_q(harbour: None) -> None:
    serve(GITHUB, MENTIONS, HINT, NOTES)
    door = Door(token_for(seat="engineer-bot"))
    found = door.get("skills?q=" + quote("mention people, a hint"))
    assert [one["key"] for one in found["results"]] == ["skill:mentions", "skill:hint"]
    assert found["results"][0]["page_id"] == 2, "rows are those of the list"
    assert found["outcome"] == {
        "served_mode": "keyword",
        "modes": ["keyword"],
        "coverage": {"nodes": 1, "complete": True, "buckets_missing": []},
        "degraded": ["no_embeddings"],
    }
    first = door.get("skills?limit=1&q=" + quote("mention people, a hint"))
    rest = door.get(f"skills?limit=1&after={first['after']}&q=" + quote("mention people, a hint"))
    assert [first["total"], rest["after"]] == [2, None]
    assert [one["key"] for one in rest["results"]] == ["skill:hint"]
    assert "outcome" not in door.get("skills")


@pytest.mark.covers("HS-06")
def test_the_rest_library_is_searched_with_q(
    harbour: None, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    serve(GITHUB, NOTES, NOTES.replace("release-notes", "tide-tables").replace("a release is cut", "boats come in"))
    door = Door(token_for(seat="engineer-bot"))
    with django_assert_max_num_queries(5):
        found = door.get("library?q=" + quote("boats coming in"))
    assert [one["name"] for one in found["results"]] == ["tide-tables"]
    assert (found["total"], found["after"], found["outcome"]["served_mode"]) == (1, None, "keyword")
    assert set(found["results"][0]) == {"name", "description", "version", "digest", "size", "page_id"}


def test_the_rest_search_refuses_what_a_search_of_pages_refuses(harbour: None) -> None:
    door = Door(token_for(seat="engineer-bot"))
    for path, status, code in (
        ("skills?q=", 400, "required"),
        ("skills?q=a&mode=vector", 400, "unknown_mode"),
        ("library?q=", 400, "required"),
        ("library?q=a&mode=vector", 400, "unknown_mode"),
        ("skills?q=a&after=WyJhIl0", 400, "invalid"),
    ):
        assert door.get(path, expect=status)["errors"][0]["code"] == code
    outsider = Door(token_for(holder=person("grace"), name="outsider"))
    assert outsider.get("skills?q=a", expect=403)["errors"][0]["code"] == "forbidden"
