"""The screens of the tool skills."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from skills.models import SkillUsage
from skills.tool_skills.rules.triggers import AllOf, AnyOf, McpServer, Tool
from skills.views.words import trigger_in_words
from tests.skills.served import GITHUB, HINT, serve

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.mark.covers("UI-04", "US-01")
def test_the_list_says_what_each_skill_did_and_what_cannot_be_read(ada: Client) -> None:
    serve(GITHUB, HINT, GITHUB, "---\nkey: tool:x\ntrigger: {tool: x}\nphases: [plan]\ntitle: X\nsummary: Y\n---\nBody")
    SkillUsage.objects.create(
        page_id=1, key="mcp:github", seat="engineer-bot", day=timezone.now().date(), offered=70, loaded=0
    )
    shown = text_of(ada.get("/skills"))
    assert "mcp:github" in shown
    assert "any tool of the server github" in shown
    assert "offered, never loaded" in shown
    assert "never offered" in shown
    assert "Cannot be read" in shown
    assert "Line 4" in shown
    assert "Shadowed" in shown


@pytest.mark.covers("UI-04", "CA-01")
def test_a_skill_is_shown_as_agents_get_it_in_each_phase(ada: Client) -> None:
    serve(GITHUB, HINT)
    SkillUsage.objects.create(
        page_id=2, key="skill:hint", seat="lead-bot", day=timezone.now().date() - timedelta(days=2), offered=3, loaded=1
    )
    shown = text_of(ada.get("/skills/skill%3Ahint"))
    assert "## Tool skills to weigh the work against" in shown
    assert "- skill:hint: A hint." in shown
    assert "lead-bot" in shown
    assert "offered 3, loaded 1, blocked 0" in shown
    assert "https://docs.harbour.example" in text_of(ada.get("/skills/mcp%3Agithub")), "variables are filled in"


def test_a_key_nobody_serves_has_a_screen_that_says_so(ada: Client) -> None:
    serve(GITHUB)
    assert ada.get("/skills/tool%3Anone").status_code == 404


def test_without_any_skill_the_screen_says_how_one_is_made(ada: Client) -> None:
    serve()
    assert "No skill is served" in text_of(ada.get("/skills"))


def test_triggers_read_as_words() -> None:
    trigger = AllOf(parts=(Tool(name="a"), AnyOf(parts=(Tool(name="b"), McpServer(name="c")))))
    assert trigger_in_words(trigger) == "the tool a together with (the tool b or any tool of the server c)"
