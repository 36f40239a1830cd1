"""The screen of what skills cost each seat, and what one skill's screen says of its own cost."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.factories import install_company
from tests.skills.served import GITHUB, HINT, NOTES, serve
from tests.skills.texts import skill_text

pytestmark = pytest.mark.django_db

LONG = "Open small pull requests and link the work item they belong to, so that reviewers find it."


def text_of(answer: Any) -> str:
    return unescape(answer.content.decode())


@pytest.mark.covers("HS-06")
def test_each_seat_and_phase_is_shown_with_its_bytes_and_its_catalogue_can_be_read(ada: Client) -> None:
    serve(GITHUB, HINT, NOTES)
    shown = text_of(ada.get("/skills/seats"))
    assert "The document sets no limit" in shown
    assert "Engineer Bot" in shown
    assert "Ada Marsh" not in shown.partition("<table")[2], "a person has no prompt"
    assert "for the list of 1 agent skill" in shown
    one = text_of(ada.get("/skills/seats?seat=engineer-bot&phase=review"))
    assert "Engineer Bot in review: 63 bytes" in one
    assert "- skill:hint: A hint." in one


@pytest.mark.covers("HS-06")
def test_over_the_limit_it_says_which_catalogues_gave_way_and_how(ada: Client) -> None:
    install_company(dashboard_base_url="", catalogue_budget_bytes=320)
    serve(skill_text(summary=LONG), *(skill_text(f"skill:{name}", summary=LONG, required="false") for name in "abc"))
    shown = text_of(ada.get("/skills/seats?seat=lead-bot&phase=execute"))
    assert "One catalogue may weigh <strong>320 bytes</strong>" in shown
    assert "4 catalogues have shorter summaries." in shown
    assert "cut from 596" in shown
    assert "shortened</span> <code>mcp:github</code> <code>skill:a</code>" in shown
    install_company(dashboard_base_url="", catalogue_budget_bytes=20)
    shown = text_of(ada.get("/skills/seats?seat=lead-bot&phase=execute"))
    assert "over the limit" in shown
    assert "left out of 4" in shown
    assert "left out of 4 catalogues for want of room" in text_of(ada.get("/skills/skill%3Aa"))


@pytest.mark.covers("HS-06")
def test_a_skills_own_screen_says_what_it_costs(ada: Client) -> None:
    serve(GITHUB, skill_text("tool:quiet", trigger="{tool: nowhere}"))
    shown = text_of(ada.get("/skills/mcp%3Agithub"))
    assert "Its line costs 94 bytes in each of" in shown
    assert "4 catalogues</a>, read or not: 376 bytes over one turn of every seat" in shown
    assert "No seat pays for it." in text_of(ada.get("/skills/tool%3Aquiet"))


def test_a_seat_or_phase_nobody_knows_shows_the_table_alone(ada: Client) -> None:
    serve(GITHUB)
    for asked in ("seat=nobody&phase=execute", "seat=lead-bot&phase=plan", "seat=%00&phase="):
        assert 'id="catalogue"' not in text_of(ada.get(f"/skills/seats?{asked}"))


def test_without_agents_there_is_nothing_to_pay(ada: Client) -> None:
    install_company(seats=())
    assert "No agent holds a seat" in text_of(ada.get("/skills/seats"))


def test_many_skills_cost_no_more_queries_and_only_the_heaviest_are_listed(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    serve(*(skill_text(f"tool:t{number}") for number in range(60)))
    with django_assert_num_queries(3):  # session, person, unread notifications
        shown = text_of(ada.get("/skills/seats"))
    assert shown.count('class="skill-key"') == 20
    assert "40 lighter skills more" in shown


def test_whoever_has_not_the_app_does_not_see_it(stranger: Client) -> None:
    assert stranger.get("/skills/seats").status_code == 403
