"""Prompt skills and agent skills at the REST door: matching, listing, validating, explaining, what is wrong."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.factories import install_company, person, token_for
from tests.skills.doors import Door
from tests.skills.served import DEPLOY, GITHUB, NOTES, TIDES, serve


@pytest.fixture
def door(db: None) -> Door:
    install_company()
    serve(GITHUB, DEPLOY, TIDES, NOTES)
    return Door(token_for(seat="engineer-bot"))


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/skills"), ("POST", "prompt-skills/match")])
def test_every_route_needs_an_actor_and_the_knowledge_app(door: Door, method: str, path: str) -> None:
    body = {"text": "x"} if method == "POST" else None
    assert Door(None).ask(method, path, body, expect=401)["errors"][0]["code"] == "not_authenticated"
    outsider = Door(token_for(holder=person("grace"), name="outsider"))
    assert outsider.ask(method, path, body, expect=403)["errors"][0]["code"] == "forbidden"


@pytest.mark.covers("PT-03")
def test_the_list_tells_triggers_and_the_names_of_tools(
    door: Door, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(4):
        found = door.get("/api/skills")
    assert found == {
        "skills": [
            {
                "name": "deploy-staging",
                "description": "How Harbour ships to staging.",
                "triggers": ["deploy", "ship it"],
                "tools": ["stage_deploy"],
            },
            {
                "name": "tides",
                "description": "Where tide tables come from.",
                "triggers": ["tide", "Gezeiten"],
                "tools": [],
            },
        ]
    }


@pytest.mark.covers("PT-01", "PT-02", "PT-03")
def test_a_message_brings_in_what_it_triggers(
    door: Door, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(4):
        found = door.post("prompt-skills/match", {"text": "Please SHIP  it at high tide"})
    assert found["skills"] == ["deploy-staging", "tides"]
    (message,) = found["messages"]  # a skill that says nothing sends no message
    assert message["role"] == "user"
    assert message["content"].startswith("<system-reminder>\n## Loaded skill: deploy-staging\nRun the smoke test")
    assert message["content"].count("</system-reminder>") == 1
    assert "&lt;/system-reminder&gt;" in message["content"]
    assert found["tools"] == [
        {
            "name": "stage_deploy",
            "description": "Run the staging deploy.",
            "command": "./deploy staging",
            "schema": {"type": "object", "properties": {}},
        }
    ]


@pytest.mark.covers("PT-01")
def test_a_message_without_a_trigger_brings_nothing_in(door: Door) -> None:
    for text in ("", "redeployed tides", "nothing of it \x00 here"):
        assert door.post("prompt-skills/match", {"text": text}) == {"skills": [], "messages": [], "tools": []}
    error = door.post("prompt-skills/match", {"message": "x"}, expect=400)["errors"]
    assert {one["code"] for one in error} == {"required", "unknown_field"}
    assert door.post("prompt-skills/match", {"text": 5}, expect=400)["errors"][0]["code"] == "invalid"


@pytest.mark.covers("PT-01", "HS-04")
def test_validating_answers_a_skill_of_each_dialect_or_everything_wrong_with_it(door: Door) -> None:
    prompt = door.post("skill-validate", {"text": DEPLOY.replace("deploy-staging", "deploy-live")})
    assert (prompt["kind"], prompt["problems"], prompt["warnings"]) == ("prompt_skill", [], [])
    assert prompt["skill"]["triggers"] == ["deploy", "ship it"]
    assert prompt["skill"]["tools"][0]["command"] == "./deploy staging"
    agent = door.post("skill-validate", {"text": NOTES})
    assert (agent["kind"], agent["skill"]["name"], agent["problems"]) == ("agent_skill", "release-notes", [])
    assert agent["warnings"] == ["Page 4 is served under this name; the lower page number wins it."]
    assert agent["bytes"]["summary"] == len("Use when a release is cut.")
    for text, kind, field in (
        (DEPLOY.replace("deploy,", "on,"), "prompt_skill", "triggers[0]"),
        (NOTES.replace("release-notes", "Release Notes"), "agent_skill", "name"),
        (NOTES.replace("Use when", "Use: when"), "agent_skill", "frontmatter"),
    ):
        found = door.post("skill-validate", {"text": text})
        assert (found["kind"], found["problems"][0]["field"], "skill" in found) == (kind, field, False)


@pytest.mark.covers("HS-05")
def test_problems_cover_every_dialect(door: Door) -> None:
    serve(DEPLOY, DEPLOY, NOTES, NOTES, TIDES.replace("[tide, ", "[7, "), NOTES.replace("Use when", "Use: when"))
    found = door.get("skill-problems")["results"]
    assert [(one["kind"], one["page_id"], one.get("key")) for one in found] == [
        ("duplicated", 2, "deploy-staging"),
        ("duplicated", 4, "release-notes"),
        ("undecodable", 5, "tides"),
        ("undecodable", 6, None),
    ]
    assert (found[2]["problems"][0]["field"], found[2]["problems"][0]["line"]) == ("triggers[0]", 4)


@pytest.mark.covers("HS-05")
def test_explaining_covers_every_dialect(door: Door) -> None:
    serve(
        GITHUB,
        DEPLOY,
        NOTES,
        NOTES,
        "---\nname: quiet\ndescription: d\ntools: []\n---\nSaid to nobody.\n",
        NOTES.replace("release-notes", "Release Notes"),
        NOTES.replace("release-notes", "by-hand").replace("cut.\n", "cut.\ndisable-model-invocation: true\n"),
    )
    found = door.get("skill-explain?seat=engineer-bot&phase=execute")["skills"]
    assert [(one["key"], one["included"]) for one in found] == [
        ("Release Notes", False),
        ("by-hand", False),
        ("deploy-staging", True),
        ("mcp:github", True),
        ("quiet", False),
        ("release-notes", True),
        ("release-notes", False),
    ]
    reasons = [one["reason"] for one in found]
    assert reasons[0].startswith("Page 6 cannot be read: line 2: name: ")
    assert "disable-model-invocation" in reasons[1]
    assert reasons[2] == "It comes with a message that says 'deploy', 'ship it'."
    assert reasons[5] == "Served from /api/v1/library/release-notes."
    assert reasons[6] == "Page 4 waits behind page 3, which has the lower number."
