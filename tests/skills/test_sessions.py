"""Sessions: opened by seats, matched again when their surface changes, unlocked by loading, and asked cheaply."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from structlog.testing import LogCapture

from company.models.records import AuditEntry, Event
from company.rules.actors import Actor, Scope
from company.rules.days import company_day
from company.rules.refusals import Code, Refused
from skills.models import SkillSession, SkillUsage
from skills.reads.sessions import SessionView
from skills.tool_skills import memory
from skills.tool_skills.memory import sessions
from skills.writes.sessions import (
    change_session,
    check_gate,
    forget_sessions,
    load_skill,
    open_session,
    show_session,
)
from tests.factories import HARBOUR, admin, agent, human, install_company
from tests.skills.served import GITHUB, HINT, MENTIONS, serve
from tests.skills.texts import skill_text

TOOLS = ["load_tool_skill", "create_pull_request", "post_message"]


def opened(actor: Actor | None = None, **changes: Any) -> SessionView:
    given: dict[str, Any] = {"phase": "execute", "tools": TOOLS, "servers": ["github", "chat"], "turn": "turn-1"}
    return open_session(actor=actor or agent(), **{**given, **changes})


def payloads(kind: str) -> list[dict[str, Any]]:
    return list(Event.objects.filter(type=kind).order_by("id").values_list("payload", flat=True))


def counts() -> dict[str, tuple[int, int, int]]:
    rows = SkillUsage.objects.order_by("key").values_list("key", "offered", "loaded", "blocked")
    return {key: (offered, loaded, blocked) for key, offered, loaded, blocked in rows}


@pytest.fixture
def harbour(db: None) -> None:
    install_company()
    serve(GITHUB, MENTIONS, HINT)


@pytest.mark.covers("GU-01", "CA-01")
def test_a_session_is_opened_with_the_catalogue_of_its_surface(harbour: None) -> None:
    view = opened()
    assert view.id.startswith("ses_")
    assert view.skills == ("mcp:github", "skill:hint", "skill:mentions")
    assert view.catalogue.startswith("## Tool skills\n\n")
    assert view.turn == "turn-1"
    assert view.unarmed is None


@pytest.mark.covers("CA-02", "US-01", "RD-01")
def test_the_rendered_catalogue_is_one_read_of_the_pages_it_lists_in_their_order(harbour: None) -> None:
    opened()
    assert payloads("knowledge_read") == [
        {
            "seat": "engineer-bot",
            "role": "Engineer Bot",
            "turn_id": "turn-1",
            "work_key": None,
            "phase": "execute",
            "via": "skill_injected",
            "backend": "native",
            "query": "",
            "pages": [
                {"id": 1, "container": "TS", "title": "Page 1", "rank": 1},
                {"id": 3, "container": "TS", "title": "Page 3", "rank": 2},
                {"id": 2, "container": "TS", "title": "Page 2", "rank": 3},
            ],
        }
    ]
    assert counts() == {"mcp:github": (1, 0, 0), "skill:hint": (1, 0, 0), "skill:mentions": (1, 0, 0)}


def test_a_session_that_matches_nothing_has_no_catalogue_and_records_nothing(harbour: None) -> None:
    view = opened(tools=["load_tool_skill"], servers=[])
    assert (view.catalogue, view.skills) == ("", ())
    assert not Event.objects.exists()
    assert not SkillUsage.objects.exists()


@pytest.mark.covers("GU-01")
def test_a_gated_call_is_refused_until_every_missing_skill_is_loaded(harbour: None) -> None:
    serve(GITHUB, skill_text("tool:pull_requests", trigger="{tool: create_pull_request}", summary="Draft first."))
    session = opened().id
    answer = check_gate(actor=agent(), session_id=session, tool="create_pull_request")
    assert not answer.allowed
    assert answer.missing == ("mcp:github", "tool:pull_requests")
    assert "`load_tool_skill(key='mcp:github')` and `load_tool_skill(key='tool:pull_requests')`" in answer.message
    load_skill(actor=agent(), session_id=session, key="mcp:github")
    answer = check_gate(actor=agent(), session_id=session, tool="create_pull_request")
    assert answer.missing == ("tool:pull_requests",)
    load_skill(actor=agent(), session_id=session, key="tool:pull_requests")
    assert check_gate(actor=agent(), session_id=session, tool="create_pull_request").allowed


@pytest.mark.covers("GU-02")
def test_the_server_of_a_call_is_the_one_named_or_the_one_that_lists_the_tool(harbour: None) -> None:
    session = opened().id
    assert not check_gate(actor=agent(), session_id=session, tool="unlisted", server="github").allowed
    assert check_gate(actor=agent(), session_id=session, tool="unlisted").allowed
    assert not check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
    assert check_gate(actor=agent(), session_id=session, tool="get_issue", server="chat").allowed


@pytest.mark.covers("GU-02")
def test_an_all_of_skill_gates_only_where_it_matches_whole(harbour: None) -> None:
    serve(skill_text("both", trigger="{all_of: [{mcp_server: github}, {tool: post_message}]}"))
    partly = opened(tools=["load_tool_skill"]).id
    assert check_gate(actor=agent(), session_id=partly, tool="get_issue").allowed
    whole = opened().id
    assert check_gate(actor=agent(), session_id=whole, tool="get_issue").missing == ("both",)
    assert check_gate(actor=agent(), session_id=whole, tool="post_message").missing == ("both",)


@pytest.mark.covers("GU-02")
@pytest.mark.parametrize(
    "tool",
    ["load_tool_skill", "activate_tool", "list_mcp_server_tools", "submit_work", "submit_review", "mark_onboarded"],
)
def test_plumbing_is_never_gated_whatever_a_trigger_says(harbour: None, tool: str) -> None:
    serve(skill_text("greedy", trigger=f"{{tool: {tool}}}"))
    session = opened(tools=["load_tool_skill", tool]).id
    assert check_gate(actor=agent(), session_id=session, tool=tool, server="github").allowed


@pytest.mark.covers("GU-03")
def test_without_the_loader_the_guard_is_disarmed_and_says_so(harbour: None, logged: LogCapture) -> None:
    view = opened(tools=["create_pull_request"])
    assert view.unarmed == "no_loader"
    assert {"event": "skill_guard_disabled_no_loader", "session": view.id, "log_level": "warning"} in logged.entries
    assert check_gate(actor=agent(), session_id=view.id, tool="create_pull_request").allowed
    view = change_session(actor=agent(), session_id=view.id, tools=TOOLS)
    assert view.unarmed is None
    assert not check_gate(actor=agent(), session_id=view.id, tool="create_pull_request").allowed


@pytest.mark.covers("GU-03", "CA-01", "CA-03")
def test_a_review_is_never_gated_lists_unmarked_and_loads_nothing(harbour: None) -> None:
    view = opened(phase="review")
    assert view.catalogue == "## Tool skills to weigh the work against\n\n- skill:hint: A hint."
    assert view.unarmed == "review"
    assert check_gate(actor=agent(), session_id=view.id, tool="create_pull_request").allowed
    with pytest.raises(Refused) as refused:
        load_skill(actor=agent(), session_id=view.id, key="skill:hint")
    assert refused.value.code is Code.FORBIDDEN
    assert counts()["skill:hint"] == (1, 0, 0)


@pytest.mark.covers("CA-03", "SV-01", "CA-02")
def test_a_load_answers_the_rendered_skill_and_is_recorded_against_its_page(harbour: None) -> None:
    session = opened().id
    loaded = load_skill(actor=agent(), session_id=session, key="mcp:github")
    assert loaded.title == "GitHub at https://docs.harbour.example"
    assert loaded.body == "Keep a pull request small. See https://docs.harbour.example."
    assert payloads("skill_used") == [
        {
            "seat": "engineer-bot",
            "role": "Engineer Bot",
            "turn_id": "turn-1",
            "phase": "execute",
            "key": "mcp:github",
            "source_page_id": 1,
            "source_container": "TS",
        }
    ]
    read = payloads("knowledge_read")[-1]
    assert (read["via"], read["pages"]) == (
        "skill_loaded",
        [{"id": 1, "container": "TS", "title": "Page 1", "rank": 1}],
    )
    assert counts()["mcp:github"] == (1, 1, 0)


@pytest.mark.covers("CA-03")
def test_an_unknown_key_lists_the_keys_there_are_and_unlocks_nothing(harbour: None) -> None:
    session = opened().id
    with pytest.raises(Refused) as refused:
        load_skill(actor=agent(), session_id=session, key="mcp:gitlab")
    assert refused.value.code is Code.NOT_FOUND
    assert refused.value.detail.endswith("The keys are: mcp:github, skill:hint, skill:mentions.")
    assert show_session(actor=agent(), session_id=session).loaded == ()
    assert not payloads("skill_used")


@pytest.mark.covers("GU-04", "US-01")
def test_a_block_is_counted_and_published_and_an_allowed_call_is_not(harbour: None) -> None:
    session = opened().id
    check_gate(actor=agent(), session_id=session, tool="post_message")
    check_gate(actor=agent(), session_id=session, tool="other")
    assert payloads("phase.tool_skill_blocked") == [
        {
            "seat": "engineer-bot",
            "phase": "execute",
            "tool": "post_message",
            "skill_keys": ["skill:mentions"],
            "turn_id": "turn-1",
        }
    ]
    assert counts()["skill:mentions"] == (1, 0, 1)


@pytest.mark.covers("GU-01")
def test_a_changed_surface_is_matched_again_and_only_what_is_new_is_offered(harbour: None) -> None:
    session = opened(tools=["load_tool_skill"], servers=[]).id
    assert check_gate(actor=agent(), session_id=session, tool="post_message").allowed
    view = change_session(actor=agent(), session_id=session, tools=TOOLS)
    assert view.skills == ("skill:mentions",)
    assert not check_gate(actor=agent(), session_id=session, tool="post_message").allowed
    change_session(actor=agent(), session_id=session, servers=["github"])
    change_session(actor=agent(), session_id=session, tools=TOOLS)
    assert [[page["id"] for page in read["pages"]] for read in payloads("knowledge_read")] == [[2], [1, 3]]
    assert {key: offered for key, (offered, _, _) in counts().items()} == {
        "mcp:github": 1,
        "skill:hint": 1,
        "skill:mentions": 1,
    }


def test_looking_at_a_session_offers_what_its_catalogue_had_not_shown(harbour: None) -> None:
    session = opened().id
    serve(GITHUB, MENTIONS, HINT, skill_text("tool:late", trigger="{tool: post_message}"))
    assert "tool:late" in show_session(actor=agent(), session_id=session).skills
    show_session(actor=agent(), session_id=session)
    assert counts()["tool:late"] == (1, 0, 0)


@pytest.mark.covers("GU-04")
def test_the_gate_judges_by_the_registry_of_the_moment_and_by_key(harbour: None) -> None:
    session = opened().id
    load_skill(actor=agent(), session_id=session, key="mcp:github")
    assert check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
    serve(GITHUB.replace("mcp:github", "mcp:forge"))
    assert check_gate(actor=agent(), session_id=session, tool="get_issue").missing == ("mcp:forge",)
    serve("prose")
    assert check_gate(actor=agent(), session_id=session, tool="get_issue").allowed


@pytest.mark.covers("GU-04")
def test_loaded_keys_survive_a_restart_are_carried_into_a_resumed_session_and_shared_with_none(harbour: None) -> None:
    session = opened().id
    load_skill(actor=agent(), session_id=session, key="mcp:github")
    sessions.forget_all()
    assert check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
    assert not check_gate(actor=agent(), session_id=opened().id, tool="get_issue").allowed
    resumed = opened(loaded=["mcp:github", "not:here:now"])
    assert resumed.loaded == ("mcp:github", "not:here:now")
    assert check_gate(actor=agent(), session_id=resumed.id, tool="get_issue").allowed


@pytest.mark.parametrize("actor", [human(), admin(), human("engineer-bot")])
def test_people_and_services_have_no_sessions(harbour: None, actor: Actor) -> None:
    session = opened().id
    for act in (
        lambda: opened(actor),
        lambda: show_session(actor=actor, session_id=session),
        lambda: change_session(actor=actor, session_id=session, tools=[]),
        lambda: load_skill(actor=actor, session_id=session, key="mcp:github"),
        lambda: check_gate(actor=actor, session_id=session, tool="x"),
    ):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.code is Code.FORBIDDEN


@pytest.mark.covers("GU-04")
@pytest.mark.parametrize("of", ["another seat", "nobody", "a NUL"])
def test_a_session_that_is_not_the_seats_own_is_not_found(harbour: None, of: str) -> None:
    own = opened().id
    session = {"another seat": own, "nobody": "ses_nobody", "a NUL": "ses_\x00"}[of]
    check_gate(actor=agent(), session_id=own, tool="x")
    other = agent("product-bot")
    for act in (
        lambda: show_session(actor=other, session_id=session),
        lambda: change_session(actor=other, session_id=session, tools=[]),
        lambda: load_skill(actor=other, session_id=session, key="mcp:github"),
        lambda: check_gate(actor=other, session_id=session, tool="x"),
    ):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.code is Code.NOT_FOUND


@pytest.mark.parametrize(
    ("changes", "code", "attr"),
    [
        ({"phase": "plan"}, Code.INVALID, "phase"),
        ({"turn": "x" * 129}, Code.TOO_LONG, "turn"),
        ({"turn": "\x00"}, Code.INVALID, "turn"),
        ({"tools": ["a", ""]}, Code.INVALID, "tools.1"),
        ({"servers": ["a\n"]}, Code.INVALID, "servers.0"),
        ({"tools": ["x" * 257]}, Code.TOO_LONG, "tools.0"),
        ({"tools": ["x"] * 5_001}, Code.TOO_LONG, "tools"),
        ({"loaded": ["no key"]}, Code.INVALID, "loaded.0"),
    ],
)
def test_what_is_no_session_is_refused_and_nothing_is_written(
    harbour: None, changes: dict[str, Any], code: Code, attr: str
) -> None:
    with pytest.raises(Refused) as refused:
        opened(**changes)
    assert (refused.value.code, refused.value.problems[0].attr) == (code, attr)
    assert not SkillSession.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_token_that_only_reads_may_look_and_not_load(harbour: None) -> None:
    session = opened().id
    reader = agent(scopes=frozenset({Scope.READ}))
    assert show_session(actor=reader, session_id=session).id == session
    with pytest.raises(Refused) as refused:
        load_skill(actor=reader, session_id=session, key="mcp:github")
    assert refused.value.code is Code.SCOPE_MISSING


def test_opening_changing_and_loading_are_audited(harbour: None) -> None:
    session = opened().id
    change_session(actor=agent(), session_id=session, servers=["github"])
    load_skill(actor=agent(), session_id=session, key="mcp:github")
    rows = AuditEntry.objects.filter(target_kind="session", target_id=session)
    assert list(rows.values_list("verb", "version_before", "version_after")) == [
        ("session.open", None, 1),
        ("session.change", 1, 2),
        ("session.load", 2, 3),
    ]


@pytest.mark.covers("US-01")
def test_usage_is_counted_by_the_companys_own_day(db: None) -> None:
    at = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    company = install_company(timezone="Pacific/Auckland")
    assert company_day(company, at).isoformat() == "2026-03-02"
    assert company_day(HARBOUR, at).isoformat() == "2026-03-01"
    serve(GITHUB)
    opened()
    assert SkillUsage.objects.get().day == company_day(company, timezone.now())


def test_sessions_nobody_has_changed_for_long_are_forgotten_and_their_usage_stays(harbour: None) -> None:
    old, young = opened().id, opened().id
    SkillSession.objects.filter(pk=old).update(updated_at=timezone.now() - timedelta(days=31))
    assert forget_sessions(before=timezone.now() - timedelta(days=30)) == 1
    assert list(SkillSession.objects.values_list("id", flat=True)) == [young]
    assert counts()["mcp:github"] == (2, 0, 0)


@pytest.fixture
def committed(transactional_db: None) -> None:
    install_company()
    serve(GITHUB, MENTIONS, HINT)


@pytest.mark.covers("GU-04")
@pytest.mark.django_db(transaction=True)
def test_an_allowed_gate_costs_no_query(committed: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    serve(
        *(skill_text(f"tool:{n}", trigger=f"{{any_of: [{{tool: t{n}}}, {{mcp_server: s{n}}}]}}") for n in range(1_000))
    )
    session = opened(tools=["load_tool_skill", *(f"t{n}" for n in range(200))], loaded=["tool:1"]).id
    with django_assert_num_queries(0):
        for _ in range(300):
            assert check_gate(actor=agent(), session_id=session, tool="t1").allowed


@pytest.mark.covers("GU-04")
@pytest.mark.django_db(transaction=True)
def test_what_one_process_changes_the_next_gate_of_another_sees(
    committed: None, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    session = opened().id
    other = memory.SessionMemory()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("skills.reads.sessions.sessions", other)
        elsewhere.setattr("skills.writes.sessions.sessions", other)
        assert not check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
        load_skill(actor=agent(), session_id=session, key="mcp:github")
    with django_assert_num_queries(1):
        assert check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
    with django_assert_num_queries(0):
        assert check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("skills.reads.sessions.sessions", other)
        elsewhere.setattr("skills.writes.sessions.sessions", other)
        change_session(actor=agent(), session_id=session, loaded=[])
    assert not check_gate(actor=agent(), session_id=session, tool="get_issue").allowed


class Away:
    """A Valkey nobody can reach."""

    def get(self, _name: str) -> None:
        raise redis.ConnectionError("away")

    def eval(self, *_words: object) -> None:
        raise redis.ConnectionError("away")


@pytest.mark.covers("GU-04")
@pytest.mark.django_db(transaction=True)
def test_while_valkey_is_away_the_row_is_read_and_what_it_missed_is_told_when_it_is_back(
    committed: None, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    session = opened().id
    other = memory.SessionMemory()
    row = SkillSession.objects.get(pk=session)
    from skills.reads.sessions import state_of_row

    other.keep(state_of_row(row))
    with monkeypatch.context() as outage:
        outage.setattr("skills.tool_skills.memory.valkey", Away)
        load_skill(actor=agent(), session_id=session, key="mcp:github")
        with django_assert_num_queries(1):
            assert check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
    with django_assert_num_queries(0):
        assert check_gate(actor=agent(), session_id=session, tool="get_issue").allowed
    assert other.current(session) is None


@pytest.mark.covers("GU-04")
@pytest.mark.django_db(transaction=True)
def test_a_call_that_no_skill_covers_asks_neither_valkey_nor_the_database(
    committed: None, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    session = opened().id
    monkeypatch.setattr("skills.tool_skills.memory.valkey", Away)
    with django_assert_num_queries(0):
        assert check_gate(actor=agent(), session_id=session, tool="uncovered").allowed
        assert check_gate(actor=agent(), session_id=session, tool="submit_work", server="github").allowed
    with pytest.raises(Refused) as refused:
        check_gate(actor=agent("product-bot"), session_id=session, tool="uncovered")
    assert refused.value.code is Code.NOT_FOUND


@pytest.mark.covers("GU-04")
@pytest.mark.django_db(transaction=True)
def test_loads_and_patches_that_run_at_once_all_stay(committed: None) -> None:
    texts = [skill_text(f"tool:{n}", trigger="{mcp_server: github}") for n in range(8)]
    serve(*texts)
    session = opened(servers=["github"]).id
    failures: list[BaseException] = []

    def act(n: int) -> None:
        try:
            if n < 8:
                load_skill(actor=agent(), session_id=session, key=f"tool:{n}")
            else:
                change_session(actor=agent(), session_id=session, tools=[*TOOLS, f"more_{n}"])
        except BaseException as error:  # noqa: BLE001 (told to the test's own thread)
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    row = SkillSession.objects.get(pk=session)
    assert set(row.loaded) == {f"tool:{n}" for n in range(8)}
    assert row.generation == 11
    assert {loaded for _, loaded, _ in counts().values()} == {1}


def test_the_memory_forgets_the_session_unused_for_longest() -> None:
    from skills.tool_skills.rules.documents import Phase
    from skills.tool_skills.sessions import SessionState

    held = memory.SessionMemory(capacity=2)
    for name in ("a", "b", "a", "c"):
        held.keep(
            SessionState(
                id=f"ses_test_{name}", seat="s", phase=Phase.EXECUTE, turn="", tools=(), servers=(),
                offered=frozenset(), loaded=(), generation=1,
            )
        )  # fmt: skip
    assert list(held._kept) == ["ses_test_a", "ses_test_c"]
