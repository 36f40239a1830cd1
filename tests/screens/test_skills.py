"""The screens of the tool skills."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from knowledge.models import Revision
from knowledge.search.semantic.asking import _query_vectors
from knowledge.writes.pages import create_page, save_page
from skills.models import SkillUsage
from skills.registry.sync import SkillSync
from skills.tool_skills.rules.triggers import AllOf, AnyOf, McpServer, Tool
from skills.views.words import trigger_in_words
from skills.writes.alike import compare_skills
from tests.factories import admin
from tests.skills.served import DEPLOY, GITHUB, HINT, NOTES, serve
from tests.skills.test_search import Provider
from tests.skills.texts import skill_text

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
    answer = ada.get("/skills/mcp%3Agithob")
    assert answer.status_code == 404
    assert "No skill is served as" in text_of(answer)
    assert "GET /api" not in text_of(answer)
    assert '<a href="/skills/mcp%3Agithub">' in text_of(answer), "the name most like it is offered"


@pytest.mark.covers("UI-04")
def test_three_dialects_stand_in_one_list_and_the_address_narrows_it(ada: Client) -> None:
    serve(GITHUB, HINT, DEPLOY, NOTES)
    every = text_of(ada.get("/skills"))
    for name in ("mcp:github", "skill:hint", "deploy-staging", "release-notes"):
        assert f">{name}</a>" in every
    for asked, shown in (
        ("dialect=prompt_skill", {"deploy-staging"}),
        ("dialect=agent_skill", {"release-notes"}),
        ("phase=review", {"skill:hint"}),
        ("phase=subagent", {"mcp:github"}),
        ("flag=never_offered", {"mcp:github", "skill:hint"}),
        ("q=SHIP+it", {"deploy-staging"}),
        ("dialect=tool_skill&q=hint", {"skill:hint"}),
        ("q=nowhere", set()),
        ("dialect=nonsense", {"mcp:github", "skill:hint", "deploy-staging", "release-notes"}),
    ):
        found = set(
            re.findall(r'class="skill-key" href="[^"]*">([^<]*)</a>', ada.get(f"/skills?{asked}").content.decode())
        )
        assert found == shown, asked


def test_a_filter_answers_htmx_with_the_list_alone(ada: Client) -> None:
    serve(GITHUB, NOTES)
    part = text_of(ada.get("/skills?q=release", headers={"HX-Request": "true"}))
    assert "<html" not in part
    assert "release-notes" in part
    assert "mcp:github" not in part


@pytest.mark.covers("HS-06")
def test_typing_filters_by_words_and_a_search_by_meaning_is_asked_for(
    ada: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    provider = Provider()
    monkeypatch.setattr("skills.writes.alike.provider_for", lambda company: provider)
    monkeypatch.setattr("knowledge.search.semantic.asking.provider_for", lambda company: provider)
    _query_vectors.cache_clear()
    create_page(actor=admin(), title="A", body=skill_text("skill:a", summary="Which berth to take."), container="TS")
    compare_skills()
    SkillSync().run_pending()
    provider.asked.clear()
    typed = text_of(ada.get("/skills?q=moor", headers={"HX-Request": "true"}))
    assert "No skill passes these filters" in typed
    assert 'href="/skills?q=moor&mode=hybrid"' in typed
    assert provider.asked == [], "nothing is sent while somebody types"
    with django_assert_num_queries(6):  # session, person, unread notifications, their use, vectors, which are alike
        found = text_of(ada.get("/skills?q=moor&mode=hybrid"))
    assert provider.asked == ["moor"]
    assert ">skill:a</a>" in found
    assert "by words and meaning" in found
    provider.is_away = True
    away = text_of(ada.get("/skills?q=berth&mode=hybrid"))
    assert ">skill:a</a>" in away
    assert "Ranked by words alone: the question could not be read for its meaning in time." in away


@pytest.mark.covers("HS-06")
def test_without_a_provider_the_list_says_that_words_are_all_there_is(ada: Client) -> None:
    serve(GITHUB, NOTES)
    typed = text_of(ada.get("/skills?q=release"))
    assert "this company has no search by meaning" in typed
    assert "mode=hybrid" not in typed
    found = text_of(ada.get("/skills?q=releases&mode=hybrid"))
    assert ">release-notes</a>" in found
    assert "Ranked by words alone: this company has no search by meaning." in found
    assert "at most 400" in text_of(ada.get(f"/skills?q={'%C3%9F%E2%82%AC' * 100}&mode=hybrid"))


def test_the_list_costs_the_same_however_many_skills_there_are(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ada.get("/skills")
    for many in (1, 120):
        serve(*(skill_text(f"tool:t{number}") for number in range(many)))
        with django_assert_num_queries(5):  # session, person, unread notifications, the use of all, which are alike
            shown = text_of(ada.get("/skills"))
        assert shown.count('class="skill-key"') == min(many, 100)
    assert "Show more: 20 skills" in shown
    assert text_of(ada.get("/skills?from=100")).count('class="skill-key"') == 20


@pytest.mark.covers("UI-04")
def test_the_list_shows_a_summary_as_agents_get_it(ada: Client) -> None:
    serve(skill_text("tool:x", summary="Read ${docs_url} first."))
    shown = text_of(ada.get("/skills"))
    assert "Read https://docs.harbour.example first." in shown
    assert "${docs_url}" not in shown


@pytest.mark.covers("UI-04", "TS-09")
def test_what_is_wrong_is_grouped_by_kind_below_the_list_and_names_pages_by_title(ada: Client) -> None:
    serve(
        GITHUB, GITHUB, skill_text("tool:far", trigger="{mcp_server: elsewhere}"), skill_text("tool:gone", trigger="{}")
    )
    shown = text_of(ada.get("/skills"))
    assert shown.index("Reaches no seat") > shown.index("</table>"), "the list comes first"
    assert shown.index("Cannot be read") < shown.index("Shadowed") < shown.index("nothing has to be done")
    assert '<a href="/knowledge/pages/2" dir="auto">Page 2</a>' in shown
    assert "“Page 1” is served as 'mcp:github'." in shown
    assert '<span class="chip">reaches no seat</span>' in shown, "it is said, not warned of"
    assert shown.count('<details class="fold">') == 3, "closed until somebody opens them"


@pytest.mark.covers("UI-04")
def test_a_prompt_skill_and_an_agent_skill_have_a_screen_with_their_body(root: Client) -> None:
    prompt = create_page(actor=admin(), title="Deploying", body=DEPLOY, container="TS")
    folder = create_page(actor=admin(), title="Notes", body=NOTES, container="TS")
    SkillSync().run_pending()
    shown = text_of(root.get("/skills/deploy-staging"))
    assert "a message that says “deploy”, “ship it”" in shown
    assert "Run the smoke test after." in shown
    assert f"/skills/pages/{prompt.id}/edit" in shown
    assert "Collect what changed since $1." in text_of(root.get("/skills/release-notes?dialect=agent_skill"))
    assert "Collect what changed since $1." in text_of(root.get(f"/skills/pages/{folder.id}"))
    assert root.get("/skills/pages/999999").status_code == 404


@pytest.mark.covers("US-01", "UI-04")
def test_the_use_of_a_skill_stands_beside_the_versions_of_its_page(root: Client) -> None:
    page = create_page(actor=admin(), title="GitHub", body=GITHUB, container="TS")
    save_page(actor=admin(), page_id=page.id, base_version=1, body=GITHUB + "More.\n", message="Say more")
    today = timezone.now()
    Revision.objects.filter(page_id=page.id, version=1).update(created_at=today - timedelta(days=10))
    Revision.objects.filter(page_id=page.id, version=2).update(created_at=today - timedelta(days=3))
    for ago, offered, loaded in ((12, 9, 9), (8, 10, 1), (4, 10, 1), (2, 4, 3)):
        SkillUsage.objects.create(
            page_id=page.id, key="mcp:github", seat="lead-bot", day=today.date() - timedelta(days=ago),
            offered=offered, loaded=loaded,
        )  # fmt: skip
    SkillSync().run_pending()
    shown = " ".join(re.sub(r"<[^>]+>", " ", text_of(root.get("/skills/mcp%3Agithub"))).split())
    assert re.search(r"Version 2 served root, 3 days ago Say more 4 3 \(75 %\) 0", shown), shown
    assert re.search(r"Version 1 root, [\w ]{5,12} 20 2 \(10 %\) 0", shown)
    drawn = text_of(root.get("/skills/mcp%3Agithub"))
    assert f"{today - timedelta(days=3):%d %b}: version 2" in drawn
    assert drawn.count('class="version"') == 2


@pytest.mark.covers("US-01", "UI-04")
def test_what_an_edit_changed_is_said_where_both_versions_were_offered_enough(root: Client) -> None:
    page = create_page(actor=admin(), title="GitHub", body=GITHUB, container="TS")
    for version in (1, 2, 3):
        save_page(actor=admin(), page_id=page.id, base_version=version, body=f"{GITHUB}{version}")
    today = timezone.now()
    for version, ago, offered, loaded in ((1, 20, 40, 8), (2, 15, 9, 9), (3, 10, 20, 15), (4, 3, 10, 6)):
        saved = today - timedelta(days=ago)
        Revision.objects.filter(page_id=page.id, version=version).update(created_at=saved)
        SkillUsage.objects.create(
            page_id=page.id, key="mcp:github", seat="lead-bot", day=saved.date(), offered=offered, loaded=loaded
        )
    SkillSync().run_pending()
    answer = text_of(root.get("/skills/mcp%3Agithub"))
    shown = " ".join(re.sub(r"<[^>]+>", " ", answer).split())
    assert re.search(r"Version 4 .*? 10 6 \(60 %\) 15 fewer of 100", shown), shown
    assert re.search(r"Version 3 .*? 20 15 \(75 %\) 55 more of 100", shown), "against version 1: 2 had nine offers"
    assert re.search(r"Version 2 \S+ .*? 9 9 \(100 %\) 0 Version 1", shown)
    assert "The figures as a table" in answer
    assert re.search(rf"{today - timedelta(days=10):%-d %b} lead-bot 20 15 0", shown)


def test_without_any_skill_the_screen_says_how_one_is_made(ada: Client) -> None:
    serve()
    assert "No skill is served" in text_of(ada.get("/skills"))


def test_triggers_read_as_words() -> None:
    trigger = AllOf(parts=(Tool(name="a"), AnyOf(parts=(Tool(name="b"), McpServer(name="c")))))
    assert trigger_in_words(trigger) == "the tool a together with (the tool b or any tool of the server c)"
