"""Pairs of skills that are alike, on their own screen, in the list, and on each of the two."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from skills.models import SkillPair
from tests.skills.served import NOTES, serve
from tests.skills.texts import skill_text

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.mark.covers("UI-04")
def test_a_pair_is_shown_on_its_screen_in_the_list_and_on_both_skills(ada: Client) -> None:
    serve(skill_text("mcp:github"), NOTES, skill_text("tool:alone"))
    SkillPair.objects.create(first=1, second=2, likeness=934, measure="words")
    pairs = text_of(ada.get("/skills/alike"))
    assert "93 %" in pairs
    assert "because no embedding provider is configured" in pairs
    assert 'href="/skills/release-notes?dialect=agent_skill"' in pairs
    assert text_of(ada.get("/skills")).count("like 1 other") == 2
    for address, other in (("mcp%3Agithub", "release-notes"), ("release-notes", "mcp:github")):
        shown = text_of(ada.get(f"/skills/{address}"))
        assert "Says nearly what another skill says" in shown
        assert f'dir="auto">{other}</a> <span class="quiet">93 % alike' in shown
    assert "Says nearly" not in text_of(ada.get("/skills/tool%3Aalone"))


def test_a_model_is_named_and_a_pair_of_a_skill_that_is_gone_is_not_shown(ada: Client) -> None:
    serve(skill_text("mcp:github"), NOTES)
    SkillPair.objects.create(first=1, second=2, likeness=900, measure="minilm")
    SkillPair.objects.create(first=1, second=9, likeness=990, measure="minilm")
    shown = text_of(ada.get("/skills/alike"))
    assert "1 pair, compared by meaning, with the model minilm." in shown
    assert "99 %" not in shown
    assert "like 1 other" in text_of(ada.get("/skills"))


def test_many_pairs_come_in_windows_and_none_has_its_own_words(ada: Client) -> None:
    assert "No two are alike" in text_of(ada.get("/skills/alike"))
    serve(*(skill_text(f"tool:t{number}") for number in range(20)))
    SkillPair.objects.bulk_create(
        SkillPair(first=first, second=second, likeness=900, measure="minilm")
        for first in range(1, 11)
        for second in range(11, 17)
    )
    first = ada.get("/skills/alike")
    assert text_of(first).count("90 %") == 50
    after = text_of(first).partition('href="?after=')[2].partition('"')[0]
    assert text_of(ada.get(f"/skills/alike?after={after}")).count("90 %") == 10
