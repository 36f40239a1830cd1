"""The skills' REST door: shapes, codes, and who may come in."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from company.rules.days import company_day
from knowledge.writes.pages import create_page
from skills.models import SkillSession, SkillUsage
from skills.registry.sync import SkillSync
from tests.factories import admin, agent, install_company, person, token_for
from tests.skills.doors import Door
from tests.skills.served import GITHUB, HINT, MENTIONS, serve
from tests.skills.texts import skill_text

SURFACE = {"tools": ["load_tool_skill", "post_message"], "servers": ["github"]}


@pytest.fixture
def door(db: None) -> Door:
    install_company()
    serve(GITHUB, MENTIONS, HINT)
    return Door(token_for(seat="engineer-bot"))


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "skills"),
        ("GET", "skills/mcp:github"),
        ("GET", "skills/mcp:github/usage"),
        ("GET", "skill-problems"),
        ("GET", "skill-explain?phase=execute&seat=engineer-bot"),
        ("POST", "skill-validate"),
        ("POST", "sessions"),
        ("GET", "sessions/ses_x"),
        ("PATCH", "sessions/ses_x"),
        ("POST", "sessions/ses_x/load"),
        ("POST", "sessions/ses_x/gate"),
    ],
)
def test_every_route_needs_an_actor_and_the_knowledge_app(door: Door, method: str, path: str) -> None:
    bodies = {
        "skill-validate": {"text": "x"},
        "sessions": {"phase": "execute", **SURFACE},
        "sessions/ses_x": {},
        "sessions/ses_x/load": {"key": "a"},
        "sessions/ses_x/gate": {"tool": "a"},
    }
    body = bodies.get(path) if method != "GET" else None
    assert Door(None).ask(method, path, body, expect=401)["errors"][0]["code"] == "not_authenticated"
    outsider = Door(token_for(holder=person("grace"), name="outsider"))
    assert outsider.ask(method, path, body, expect=403)["errors"][0]["code"] == "forbidden"


@pytest.mark.covers("TS-01")
def test_a_skill_is_answered_as_its_page_writes_it(door: Door) -> None:
    assert door.get("skills/mcp:github") == {
        "key": "mcp:github",
        "title": "GitHub at ${docs_url}",
        "summary": "Open small pull requests and link the work item.",
        "body": "Keep a pull request small. See ${docs_url}.",
        "phases": ["execute", "subagent"],
        "required": True,
        "trigger": {"mcp_server": "github"},
        "page_id": 1,
        "page_version": 1,
        "covers": {"tools": [], "servers": ["github"]},
    }
    assert door.get("skills/mcp:gitlab", expect=404)["errors"][0]["code"] == "not_found"


def test_the_list_comes_by_key_in_windows(door: Door, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(4):
        first = door.get("skills?limit=2")
    assert [skill["key"] for skill in first["results"]] == ["mcp:github", "skill:hint"]
    assert first["total"] == 3
    second = door.get(f"skills?limit=2&after={first['after']}")
    assert [skill["key"] for skill in second["results"]] == ["skill:mentions"]
    assert second["after"] is None
    assert door.get("skills?limit=501", expect=400)["limit"] == 500


def test_the_number_of_queries_does_not_grow_with_the_list(
    door: Door, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    serve(*(skill_text(f"tool:{n}", trigger=f"{{tool: t{n}}}") for n in range(100)))
    with django_assert_max_num_queries(4):
        assert len(door.get("skills?limit=100")["results"]) == 100


@pytest.mark.covers("TS-01", "TS-04", "TS-09", "SV-01")
def test_problems_name_page_key_field_and_line(door: Door) -> None:
    serve(
        GITHUB,
        GITHUB,
        skill_text("tool:broken", phases="[plan]"),
        skill_text("tool:drift", trigger="{any_of: [{tool: get_issue}, {tool: gone}]}", body="${nothing}"),
        skill_text("tool:foreign", trigger="{mcp_server: wiki}"),
    )
    found = door.get("skill-problems")
    assert [(one["kind"], one["page_id"], one.get("key")) for one in found["results"]] == [
        ("duplicated", 2, "mcp:github"),
        ("undecodable", 3, "tool:broken"),
        ("unresolved", 4, "tool:drift"),
        ("dangling", 4, "tool:drift"),
        ("matches_nothing", 5, "tool:foreign"),
    ]
    assert (found["results"][0]["served"], found["results"][0]["shadowed"]) == (1, 2)
    assert found["results"][1]["problems"] == [
        {
            "code": "invalid",
            "field": "phases[0]",
            "line": 4,
            "detail": "There is no phase 'plan'. The phases are execute, review, subagent.",
        }
    ]
    first = door.get("skill-problems?limit=3")
    rest = door.get(f"skill-problems?limit=3&after={first['after']}")
    assert first["results"] + rest["results"] == found["results"]
    assert (first["total"], rest["after"]) == (5, None)


def test_explaining_says_of_every_skill_whether_and_why(door: Door) -> None:
    found = door.get("skill-explain?seat=product-bot&phase=execute")["skills"]
    assert found == [
        {"key": "mcp:github", "included": False, "reason": "The server 'github' does not reach it."},
        {"key": "skill:hint", "included": False, "reason": "The server 'github' does not reach it."},
        {"key": "skill:mentions", "included": True, "reason": "The tool 'post_message' is on the surface."},
    ]
    found = door.get("skill-explain?phase=subagent&tools=post_message&tools=other&servers=github")["skills"]
    assert [(one["key"], one["included"]) for one in found] == [
        ("mcp:github", True),
        ("skill:hint", False),
        ("skill:mentions", False),
    ]
    assert found[2]["reason"] == "It is not shown in subagent, only in execute, review."
    found = door.get("skill-explain?phase=review&seat=engineer-bot")["skills"]
    assert [one["included"] for one in found] == [False, True, False]
    assert door.get("skill-explain?phase=plan&seat=engineer-bot", expect=400)["errors"][0]["attr"] == "phase"
    assert door.get("skill-explain?seat=engineer-bot", expect=400)["errors"][0]["code"] == "required"
    assert door.get("skill-explain?phase=execute&seat=nobody", expect=400)["errors"][0]["attr"] == "seat"
    assert door.get("skill-explain?phase=execute", expect=400)["errors"][0]["code"] == "required"


@pytest.mark.covers("TS-01", "TS-03")
def test_validating_answers_the_skill_or_everything_wrong_with_it(door: Door) -> None:
    found = door.post("skill-validate", {"text": skill_text("tool:new", trigger="{tool: get_issue}", summary="é")})
    assert (found["kind"], found["problems"], found["warnings"]) == ("tool_skill", [], [])
    assert found["skill"]["key"] == "tool:new"
    assert found["skill"]["page_id"] is None
    assert found["bytes"] == {"summary": 2, "body": 26}
    broken = door.post("skill-validate", {"text": skill_text(phases="[plan]", summary="x" * 241)})
    assert "skill" not in broken
    assert [(one["code"], one["field"], one["line"]) for one in broken["problems"]] == [
        ("invalid", "phases[0]", 4),
        ("too_long", "summary", 6),
    ]
    assert broken["bytes"]["summary"] == 241
    for text, kind in (
        ("", "page"),
        ("# Prose", "page"),
        ("---\nname: a\ndescription: b\ntriggers: [c]\n---\n", "prompt_skill"),
        ("---\nname: a\ndescription: b\n---\n", "agent_skill"),
    ):
        assert door.post("skill-validate", {"text": text})["kind"] == kind


def test_validating_warns_of_what_the_skill_would_meet(door: Door) -> None:
    text = skill_text(trigger="{tool: gone}", body="${nothing}", more="owner: x\n")
    warnings = door.post("skill-validate", {"text": text})["warnings"]
    assert len(warnings) == 4
    assert "Page 1 is served under this key" in warnings[1]


@pytest.mark.covers("GU-01", "CA-03")
def test_a_session_from_opening_to_an_allowed_call(door: Door) -> None:
    session = door.post("sessions", {"phase": "execute", **SURFACE}, expect=201)
    assert session == {
        "id": session["id"],
        "phase": "execute",
        "turn": None,
        **SURFACE,
        "catalogue": session["catalogue"],
        "skills": ["mcp:github", "skill:hint", "skill:mentions"],
        "loaded": [],
        "guard": {"armed": True, "reason": None},
    }
    path = f"sessions/{session['id']}"
    blocked = door.post(f"{path}/gate", {"tool": "get_issue"})
    assert (blocked["allowed"], blocked["missing"]) == (False, ["mcp:github"])
    assert blocked["message"].startswith("Tool 'get_issue' is gated behind a required tool skill you\n")
    assert door.post(f"{path}/load", {"key": "mcp:github"}) == {
        "key": "mcp:github",
        "title": "GitHub at https://docs.harbour.example",
        "body": "Keep a pull request small. See https://docs.harbour.example.",
    }
    assert door.post(f"{path}/gate", {"tool": "get_issue", "server": "github"}) == {
        "allowed": True,
        "message": "",
        "missing": [],
    }
    assert door.get(path)["loaded"] == ["mcp:github"]
    changed = door.ask("PATCH", path, {"servers": [], "tools": ["post_message"]})
    assert (changed["skills"], changed["guard"]) == (["skill:mentions"], {"armed": False, "reason": "no_loader"})
    assert changed["loaded"] == ["mcp:github"]


@pytest.mark.parametrize(
    ("body", "code", "attr"),
    [
        ({**SURFACE}, "required", "phase"),
        ({"phase": "execute", "servers": []}, "required", "tools"),
        ({"phase": "plan", **SURFACE}, "invalid", "phase"),
        ({"phase": "execute", **SURFACE, "seat": "x"}, "unknown_field", "seat"),
        ({"phase": "execute", "tools": "x", "servers": []}, "invalid", "tools"),
        ([], "invalid", None),
    ],
)
def test_a_body_of_another_shape_is_refused_by_name(door: Door, body: object, code: str, attr: str | None) -> None:
    error = door.post("sessions", body, expect=400)["errors"][0]
    assert error["code"] == code
    if attr is not None:
        assert error["attr"] == attr


def test_a_review_session_refuses_to_load_and_another_seats_session_is_not_there(door: Door) -> None:
    session = door.post("sessions", {"phase": "review", **SURFACE}, expect=201)
    assert session["guard"] == {"armed": False, "reason": "review"}
    path = f"sessions/{session['id']}"
    assert door.post(f"{path}/load", {"key": "mcp:github"}, expect=403)["errors"][0]["code"] == "forbidden"
    other = Door(token_for(seat="product-bot"))
    assert other.get(path, expect=404)["errors"][0]["code"] == "not_found"
    error = door.post("sessions/ses_none/load", {"key": "mcp:github"}, expect=404)["errors"][0]
    assert error["code"] == "not_found"
    own = door.post("sessions", {"phase": "execute", **SURFACE}, expect=201)["id"]
    error = door.post(f"sessions/{own}/load", {"key": "nothing"}, expect=404)["errors"][0]
    assert error["detail"].endswith("The keys are: mcp:github, skill:hint, skill:mentions.")


@pytest.mark.covers("US-01")
def test_usage_follows_the_page_by_seat_and_company_day(door: Door) -> None:
    session = door.post("sessions", {"phase": "execute", **SURFACE}, expect=201)["id"]
    door.post(f"sessions/{session}/gate", {"tool": "get_issue"})
    door.post(f"sessions/{session}/load", {"key": "mcp:github"})
    from django.utils import timezone

    from company import live

    today = company_day(live.current(), timezone.now())
    serve(GITHUB.replace("mcp:github", "mcp:forge"))
    found = door.get("skills/mcp:forge/usage?days=7")
    assert (found["key"], found["until"]) == ("mcp:forge", today.isoformat())
    assert found["seats"] == [
        {
            "seat": "engineer-bot",
            "offered": 1,
            "loaded": 1,
            "blocked": 1,
            "by_day": [{"day": today.isoformat(), "offered": 1, "loaded": 1, "blocked": 1}],
        }
    ]
    SkillUsage.objects.update(day=today.replace(year=today.year - 1))
    assert door.get("skills/mcp:forge/usage")["seats"] == []
    assert door.get("skills/mcp:forge/usage?days=0", expect=400)["errors"][0]["code"] == "invalid"
    assert door.get("skills/mcp:forge/usage?days=367", expect=400)["limit"] == 366


def test_opening_with_an_idempotency_key_twice_opens_one_session(door: Door) -> None:
    headers = {"Idempotency-Key": "turn-7"}
    body = {"phase": "execute", **SURFACE}
    first = door.ask("POST", "sessions", body, expect=201, **headers)
    assert door.ask("POST", "sessions", body, expect=201, **headers) == first
    assert SkillSession.objects.count() == 1


@pytest.mark.covers("US-01")
def test_a_page_of_the_skills_container_says_whom_its_skill_reached(door: Door) -> None:
    page = create_page(actor=admin(), container="TS", title="GitHub", body=GITHUB)
    home = create_page(actor=agent(), container="ENG", title="Prose", body="prose")
    SkillSync(report=lambda _report: None).run_pending()
    session = door.post("sessions", {"phase": "execute", **SURFACE}, expect=201)["id"]
    door.post(f"sessions/{session}/load", {"key": "mcp:github"})
    (reach,) = door.get(f"pages/{page.id}")["skill_loaded_by"]
    assert (reach["handle"], reach["loaded"], reach["offered"]) == ("engineer-bot", 1, 1)
    assert reach["last_at"]
    assert "skill_loaded_by" not in door.get(f"pages/{home.id}")
