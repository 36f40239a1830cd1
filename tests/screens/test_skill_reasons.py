"""The screen that says why a skill is not there, and leads to where that can be mended."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.skills.served import DEPLOY, GITHUB, MENTIONS, NOTES, serve

pytestmark = pytest.mark.django_db


@pytest.fixture
def shown(ada: Client, root: Client) -> Any:
    serve(
        GITHUB,
        MENTIONS,
        DEPLOY,
        NOTES,
        GITHUB,
        "---\nkey: tool:x\ntrigger: {tool: x}\nphases: [plan]\ntitle: X\nsummary: Y\n---\nBody",
        "---\nname: quiet\ndescription: d\ntools: []\n---\nSaid to nobody.\n",
    )

    def ask(query: str, *, by: Client = root, status: int = 200) -> str:
        answer = by.get(f"/skills/why?{query}")
        assert answer.status_code == status
        return unescape(answer.content.decode())

    return ask


@pytest.mark.covers("UI-04", "HS-05")
def test_the_screen_leads_to_where_each_reason_is_mended(shown: Any, ada: Client) -> None:
    page = shown("seat=product-bot&phase=execute")
    assert "3 of 7 skills would be there." in page
    assert "<a href=\"/company\">Declare 'github' under mcp_env of Product Bot" in page
    assert '<a href="/skills/pages/7/edit">Give it a trigger.</a>' in page
    assert '<a href="/skills/pages/5/edit">Give it a key of its own.</a>' in page
    assert "line 4" in page
    assert "skill:mentions" not in page, "what is there is not in question"
    assert "skill:mentions" in shown("seat=product-bot&phase=execute&all=true")
    reader = shown("seat=product-bot&phase=execute", by=ada)
    assert "/edit" not in reader, "who may not write is not sent to a form"
    assert "Give it a trigger." in reader


@pytest.mark.covers("UI-04")
def test_tools_and_servers_can_be_named_in_place_of_the_seats(shown: Any) -> None:
    page = shown("seat=&phase=execute&tools=post_message,+other&servers=github&all=true&skill=MENT")
    assert "The tool 'post_message' is on the surface." in page
    assert "mcp:github" not in page
    assert "No skill is called that" in shown("seat=product-bot&skill=nobody")
    assert "Give 'seat', or the surface" in shown("seat=&phase=execute", status=400)
    assert "no seat with this handle" in shown("seat=nobody", status=400)


@pytest.mark.covers("UI-04")
def test_a_skills_own_screen_says_which_seats_see_it(shown: Any, ada: Client) -> None:
    page = unescape(ada.get("/skills/mcp%3Agithub").content.decode())
    assert '<span class="chip good">execute, subagent</span> <strong dir="auto">Engineer Bot</strong>' in page
    assert 'href="/skills/why?seat=product-bot&phase=execute&skill=mcp%3Agithub"' in page
