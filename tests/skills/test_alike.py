"""Skills that say nearly the same of themselves: found by a duty, kept by version, told at every door."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from company.rules.windows import Window
from knowledge.embedding.providers.protocol import ProviderUnavailable
from knowledge.embedding.rules.packing import Limits
from knowledge.writes.pages import create_page, save_page, trash_page
from skills import alike
from skills.models import SkillPair, SkillSaying
from skills.reads.alike import alike_to, list_alike
from skills.registry.sync import SkillSync
from skills.writes.alike import compare_skills
from tests.factories import admin, human, install_company, person, token_for
from tests.skills.doors import Door
from tests.skills.texts import skill_text

ONE = "How much a guest gets back and who may grant it. Outside the table, ask first."
AGAIN = "How much guests get back, and who may grant it; outside the table ask first."
OTHER = "What never to say to a guest, and how to end a letter."


class Provider:
    """A provider that knows three subjects, and fails after so many requests."""

    model, dimensions, is_metered, configuration = "subjects", 3, False, "subjects-1"

    def __init__(self, *, answers: int = 1_000) -> None:
        self.limits = Limits(inputs=2)
        self.asked: list[str] = []
        self.answers = answers

    def embed(self, texts: Sequence[str], *, timeout: float = 1) -> list[list[float]]:
        if not self.answers:
            raise ProviderUnavailable("away")
        self.answers -= 1
        self.asked += texts
        return [[float(word in text) for word in ("guest", "berth", "pull")] for text in texts]


def publish(key: str, summary: str) -> int:
    return create_page(actor=admin(), title=key, body=skill_text(key, summary=summary), container="TS").id


def pairs() -> list[tuple[str, str, int, str]]:
    SkillSync().run_pending()
    found = list_alike(actor=human(), window=Window()).results
    return [(one.first.name, one.second.name, one.likeness, one.measure) for one in found]


@pytest.fixture
def harbour(db: None) -> None:
    install_company()


@pytest.fixture
def provider(harbour: None, monkeypatch: pytest.MonkeyPatch) -> Provider:
    made = Provider()
    monkeypatch.setattr("skills.writes.alike.provider_for", lambda company: made)
    return made


def test_words_in_another_order_and_case_are_the_same_words() -> None:
    assert alike.words_of("Ask FIRST, ask twice.") == alike.words_of("twice ask first")
    found = alike.pairs_by_words([ONE, OTHER, AGAIN], [0, 1, 2])
    assert [(pair.first, pair.second) for pair in found] == [(0, 2)]
    assert alike.pairs_by_words([ONE, OTHER, AGAIN], [1]) == ()


@given(st.lists(st.text(max_size=40), max_size=8))
def test_any_texts_can_be_compared(texts: list[str]) -> None:
    for pair in alike.pairs_by_words(texts, range(len(texts))):
        assert pair.first < pair.second
        assert alike.ALIKE_BY_WORDS <= pair.likeness <= 1000


def test_a_container_of_copies_is_no_square_of_pairs() -> None:
    copies = np.full((60, 4), 0.5, dtype=np.float32)
    found = alike.pairs_by_meaning(copies, range(60))
    assert len(found) <= 60 * alike.NEAREST
    assert {place for pair in found for place in (pair.first, pair.second)} == set(range(60))


def test_without_a_provider_words_are_compared_and_it_says_so(harbour: None) -> None:
    publish("skill:one", ONE)
    publish("skill:other", OTHER)
    publish("skill:again", AGAIN)
    compare_skills()
    ((first, second, likeness, measure),) = pairs()
    assert (first, second, measure) == ("skill:one", "skill:again", "words")
    assert likeness > 90


def test_a_provider_is_asked_once_a_version(provider: Provider) -> None:
    one = publish("skill:one", "A guest.")
    publish("skill:two", "Guests, of whom a guest.")
    publish("skill:berth", "A berth.")
    compare_skills()
    assert pairs() == [("skill:one", "skill:two", 100, "subjects")]
    assert sorted(provider.asked) == ["A berth.", "A guest.", "Guests, of whom a guest."]
    compare_skills()
    assert len(provider.asked) == 3, "nothing has changed"
    save_page(actor=admin(), page_id=one, base_version=1, body=skill_text("skill:one", summary="One berth."))
    compare_skills()
    assert provider.asked[3:] == ["One berth."]
    assert pairs() == [("skill:one", "skill:berth", 100, "subjects")]


def test_a_skill_that_goes_takes_its_pairs_along(provider: Provider) -> None:
    publish("skill:one", "A guest.")
    two = publish("skill:two", "The guest.")
    compare_skills()
    assert len(pairs()) == 1
    trash_page(actor=admin(), page_id=two)
    assert pairs() == [], "it is not served any more, compared or not"
    compare_skills()
    assert (SkillPair.objects.count(), SkillSaying.objects.count()) == (0, 1)


def test_what_a_failing_provider_has_answered_is_kept_and_the_rest_comes_later(provider: Provider) -> None:
    for number in range(3):
        publish(f"skill:{number}", f"The guest number {number}.")
    provider.answers = 1
    compare_skills()
    assert pairs() == [("skill:0", "skill:1", 100, "subjects")]
    provider.answers = 1
    compare_skills()
    assert len(pairs()) == 3


def test_another_measure_compares_everything_again(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    publish("skill:one", ONE)
    publish("skill:again", AGAIN)
    compare_skills()
    monkeypatch.setattr("skills.writes.alike.provider_for", lambda company: None)
    compare_skills()
    assert [measure for *_, measure in pairs()] == ["words"]


def test_the_rest_door_lists_pairs_in_windows(
    provider: Provider, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    made = [publish(f"skill:{number}", f"The guest number {number}.") for number in range(3)]
    compare_skills()
    SkillSync().run_pending()
    door = Door(token_for(seat="engineer-bot"))
    with django_assert_max_num_queries(5):
        first = door.get("skills-alike?limit=2")
    rest = door.get(f"skills-alike?limit=2&after={first['after']}")
    assert (first["total"], len(first["results"]), len(rest["results"]), rest["after"]) == (3, 2, 1, None)
    assert first["results"][0] == {
        "likeness": 100,
        "measure": "subjects",
        "skills": [
            {"key": f"skill:{n}", "dialect": "tool_skill", "page_id": made[n], "text": f"The guest number {n}."}
            for n in (0, 1)
        ],
    }
    assert len(alike_to(actor=human(), page_id=made[2])) == 2
    outsider = Door(token_for(holder=person("grace"), name="outsider"))
    assert outsider.ask("GET", "skills-alike", expect=403)["errors"][0]["code"] == "forbidden"


def test_the_duty_runs_from_the_worker(harbour: None) -> None:
    from skills.tasks import compare_skills_now

    publish("skill:one", ONE)
    task: Any = compare_skills_now
    task()
    assert SkillSaying.objects.count() == 1
