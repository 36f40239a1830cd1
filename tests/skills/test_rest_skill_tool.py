"""The skill tool at the REST door: the document's roots, the library, gates, the hook, what a session remembers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from company import live
from company.models.records import AuditEntry, Event
from company.rules.chart import SkillGates, SkillHook, SkillRoot, UntrustedSkills
from knowledge.writes.pages import create_page, save_page
from skills.models import SkillSession, SkillUsage
from skills.reads.explain import explain
from skills.reads.skill_tool import skill_catalogue
from skills.registry.sync import SkillSync
from skills.tool_skills.memory import sessions
from skills.tool_skills.rules.documents import Kind
from skills.writes.activation import activate_skill
from skills.writes.sessions import open_session
from tests.factories import admin, agent, install_company, person, token_for
from tests.skills.doors import Door
from tests.skills.folders import write_files, write_skill
from tests.skills.hooks import AHook, listening
from tests.skills.served import NOTES
from tests.threads import at_once


def publish(title: str, body: str) -> int:
    """A page of the skills container, served at once."""
    page = create_page(actor=admin(), container="TS", title=title, body=body)
    SkillSync(report=lambda _report: None).run_pending()
    return page.id


@pytest.fixture
def door(db: None) -> Door:
    install_company()
    publish("Release notes", NOTES)
    return Door(token_for(seat="engineer-bot"))


@pytest.fixture
def hook() -> Iterator[AHook]:
    with listening() as hook:
        yield hook


def session(door: Door, *, turn: str | None = "turn-7") -> str:
    opened = door.post("sessions", {"phase": "execute", "tools": [], "servers": [], "turn": turn}, expect=201)
    return f"sessions/{opened['id']}/skill"


def gates(*roots: Path, trusted: bool = True, **changes: Any) -> None:
    """Put a document in force whose `skills` name these folders."""
    named = tuple(SkillRoot(path=str(root), trusted=trusted) for root in roots)
    install_company(skill_gates=SkillGates(roots=named, **changes))


@pytest.mark.covers("HS-01", "HS-02")
def test_a_skill_of_the_library_is_activated_once_a_session(door: Door) -> None:
    path = session(door)
    answer = door.post(path, {"name": "release-notes", "arguments": "v1"})
    assert answer["kind"] == "ok"
    assert answer["dir"] == "/api/v1/library/release-notes"
    assert answer["body"] == "# Release notes\n\nCollect what changed since v1.\n"
    assert answer["bytes"] == len(answer["body"])
    assert answer["output"].startswith('<skill name="release-notes" dir="/api/v1/library/release-notes">\n')
    again = door.post(path, {"name": "release-notes"})
    assert (again["kind"], again["at_turn"]) == ("already_loaded", "turn-7")
    assert again["output"] == (
        '(Skill "release-notes" is already active in this session. Body was loaded at turn turn-7. '
        "No new content was added.)"
    )
    assert door.post(session(door), {"name": "release-notes"})["kind"] == "ok"


@pytest.mark.covers("HS-02")
def test_what_a_session_has_loaded_outlives_the_process(door: Door) -> None:
    path = session(door, turn=None)
    door.post(path, {"name": "release-notes"})
    sessions.forget_all()
    again = door.post(path, {"name": "release-notes"})
    assert (again["kind"], again["at_turn"]) == ("already_loaded", None)
    assert "Body was loaded earlier." in again["output"]


@pytest.mark.covers("HS-02")
def test_the_body_is_exact_whatever_line_ends_it_has(door: Door) -> None:
    publish("Exact", "\ufeff---\r\nname: exact\r\ndescription: d\r\n---\r\n\r\n  # A\r\n\r\n$1 stays \r\n\r\n")
    answer = door.post(session(door), {"name": "exact"})
    assert answer["body"] == "\r\n  # A\r\n\r\n$1 stays \r\n\r\n"


@pytest.mark.covers("HS-02", "HS-03")
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "skill name is required"),
        ({"name": ""}, "must not be empty"),
        ({"name": "Release_Notes"}, "lowercase-kebab-case"),
        ({"name": "a" * 65}, "at most 64"),
        ({"skill_name": "release-notes"}, "use 'name'"),
        ({"name": "release-notes", "reload": True}, "skills load once per session"),
        ({"name": "release-notes", "verbose": True}, "unknown parameter 'verbose'"),
        ({"name": "release-notes", "arguments": 7}, "string or an object"),
        ({"name": "release-notes", "arguments": {"tag": "v2"}}, "does not accept named arguments"),
        ({"name": "release-notes", "user_initiated": "yes"}, "unknown parameter 'user_initiated'"),
        ([], "takes an object"),
        ("release-notes", "takes an object"),
    ],
)
def test_a_wrong_call_is_answered_with_200_and_says_what_to_write(door: Door, body: object, said: str) -> None:
    answer = door.post(session(door), body)
    assert (answer["kind"], answer["code"]) == ("error", "INVALID_PARAM")
    assert said in answer["message"]
    assert answer["output"] == f"Error [INVALID_PARAM]: {answer['message']}"


@pytest.mark.covers("HS-02", "HS-05")
def test_a_name_nobody_has_is_answered_with_names_like_it_and_a_refused_page_is_none(door: Door) -> None:
    publish("Broken", NOTES.replace("release-notes", "broken-notes").replace("Use when", "Use: when"))
    answer = door.post(session(door), {"name": "release-note"})
    assert (answer["kind"], answer["siblings"]) == ("not_found", ["release-notes"])
    assert door.post(session(door), {"name": "broken-notes"})["kind"] == "not_found"


@pytest.mark.covers("HS-01")
def test_a_root_of_the_document_goes_before_the_library_and_earlier_roots_before_later_ones(
    door: Door, tmp_path: Path
) -> None:
    project, user = tmp_path / "project", tmp_path / "user"
    write_skill(project, body="project")
    write_skill(user, body="user")
    folder = write_skill(user, "only-user", body="user")
    write_files(folder, "scripts/a.py")
    gates(project, user)
    assert door.post(session(door), {"name": "release-notes"})["body"] == "project"
    answer = door.post(session(door), {"name": "only-user"})
    assert (answer["dir"], answer["resources"]) == (str(folder), ["scripts/a.py"])
    gates()
    assert door.post(session(door), {"name": "release-notes"})["dir"] == "/api/v1/library/release-notes"


@pytest.mark.covers("HS-02", "HS-03")
def test_the_refusals_of_folders_on_the_server(door: Door, tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    write_skill(root, "misnamed", text="---\nname: other\ndescription: d\n---\nx")
    write_skill(root, "malformed", text="---\nname: malformed\ndescription: a: b\n---\nx")
    write_skill(elsewhere, "outside")
    (root / "outside").symlink_to(elsewhere / "outside")
    write_skill(root / "secrets", "keys")
    write_skill(root, "by-hand", extra="disable-model-invocation: true\n")
    gates(root, root / "secrets")
    path = session(door)
    for name, code in (
        ("misnamed", "NAME_MISMATCH"),
        ("other", "NAME_MISMATCH"),
        ("malformed", "INVALID_FRONTMATTER"),
        ("outside", "OUTSIDE_WORKSPACE"),
        ("keys", "SENSITIVE"),
        ("by-hand", "DISABLED"),
    ):
        answer = door.post(path, {"name": name})
        assert (answer["kind"], answer["code"]) == ("error", code)
        assert name in answer["message"]


@pytest.mark.covers("HS-03")
@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "NOT_TRUSTED"),
        ({"untrusted": UntrustedSkills.WARN}, "ok"),
        ({"untrusted": UntrustedSkills.ALLOW}, "ok"),
        ({"allow_without_hook": True}, "ok"),
    ],
)
def test_an_untrusted_folder_needs_a_hook_unless_the_document_says_otherwise(
    door: Door, tmp_path: Path, changes: dict[str, Any], kind: str
) -> None:
    write_skill(tmp_path, "project-skill")
    gates(tmp_path, trusted=False, **changes)
    answer = door.post(session(door), {"name": "project-skill"})
    assert answer.get("code", answer["kind"]) == kind


@pytest.mark.covers("HS-03")
def test_a_root_that_is_no_absolute_folder_is_told_and_trusts_nothing(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(tmp_path, "here")
    monkeypatch.chdir(tmp_path)
    roots = (SkillRoot(path="", trusted=True), SkillRoot(path="~nobody-here/x"), SkillRoot(path=str(tmp_path)))
    install_company(skill_gates=SkillGates(roots=roots))
    assert door.post(session(door), {"name": "here"})["code"] == "NOT_TRUSTED"
    assert door.post(session(door), {"name": "release-notes"})["kind"] == "ok"


@pytest.mark.covers("HS-03")
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b'"allow"', "ok"),
        (200, b'{"decision": "allow_once"}', "ok"),
        (200, b'"ask"', "PERMISSION_DENIED"),
        (200, b"gladly", "PERMISSION_DENIED"),
        (500, b'"allow"', "PERMISSION_DENIED"),
    ],
)
def test_the_hook_decides_and_every_decision_is_on_record(
    door: Door, hook: AHook, status: int, body: bytes, kind: str
) -> None:
    hook.status, hook.body = status, body
    gates(hook=SkillHook(url=hook.url, secret="harbour"))
    path = session(door)
    answer = door.post(path, {"name": "release-notes"})
    assert answer.get("code", answer["kind"]) == kind
    entry = AuditEntry.objects.get(target_kind="skill")
    assert (entry.verb, entry.target_id) == ("skill.allow" if kind == "ok" else "skill.deny", "release-notes")
    assert entry.actor_name == "engineer-bot"
    assert entry.detail["session"] == path.split("/")[1]
    if kind != "ok":
        assert entry.detail["code"] == kind
        assert not SkillUsage.objects.exists()
        hook.status, hook.body = 200, b"allow"
        assert door.post(path, {"name": "release-notes"})["kind"] == "ok"


@pytest.mark.covers("HS-03")
def test_a_hook_that_is_away_lets_nothing_through(door: Door) -> None:
    gates(hook=SkillHook(url="http://127.0.0.1:1/"))
    assert door.post(session(door), {"name": "release-notes"})["code"] == "PERMISSION_DENIED"


@pytest.mark.covers("HS-03")
def test_a_fence_that_holds_a_skill_back_is_on_record_too(door: Door, tmp_path: Path) -> None:
    write_skill(tmp_path / ".env", "keys")
    gates(tmp_path / ".env")
    door.post(session(door), {"name": "keys"})
    assert AuditEntry.objects.get(verb="skill.deny").detail["code"] == "SENSITIVE"


@pytest.mark.covers("HS-02", "HS-03")
def test_only_people_activate_what_is_kept_from_models(door: Door) -> None:
    publish("By hand", "---\nname: by-hand\ndescription: d\ndisable-model-invocation: true\n---\nx")
    call = {"name": "by-hand", "user_initiated": True}
    assert door.post(session(door), call)["code"] == "DISABLED"
    ada = Door(token_for(seat="ada-marsh", name="ada"))
    path = session(ada)
    assert ada.post(path, {"name": "by-hand"})["code"] == "DISABLED"
    assert ada.post(path, call)["kind"] == "ok"
    ada_herself = Door(token_for(holder=person("ada", seat="ada-marsh"), name="herself"))
    assert ada_herself.post(path, call)["kind"] == "already_loaded"


@pytest.mark.covers("HS-02", "US-01")
def test_a_load_is_counted_and_published_with_its_page(door: Door) -> None:
    door.post(session(door), {"name": "release-notes"})
    usage = SkillUsage.objects.get(key="release-notes")
    assert (usage.seat, usage.loaded, usage.offered) == ("engineer-bot", 1, 0)
    payload = Event.objects.get(type="skill_used").payload
    assert (payload["key"], payload["source_page_id"], payload["turn_id"]) == (
        "release-notes", usage.page_id, "turn-7",
    )  # fmt: skip


def test_another_seats_session_is_not_there_and_everybody_needs_a_seat_and_the_app(door: Door) -> None:
    path = session(door)
    call = {"name": "release-notes"}
    assert Door(token_for(seat="product-bot", name="other")).post(path, call, expect=404)["errors"][0]["code"] == (
        "not_found"
    )
    assert door.post("sessions/ses_none/skill", call, expect=404)["errors"][0]["code"] == "not_found"
    assert Door(None).post(path, call, expect=401)["errors"][0]["code"] == "not_authenticated"
    for secret in (token_for(name="service"), token_for(holder=person("grace"), name="grace")):
        assert Door(secret).post(path, call, expect=403)["errors"][0]["code"] == "forbidden"


@pytest.mark.covers("HS-02")
def test_a_page_saved_after_it_was_listed_is_not_served_with_front_matter_nobody_judged(door: Door) -> None:
    page = create_page(actor=admin(), container="TS", title="Late", body=NOTES.replace("release-notes", "late"))
    SkillSync(report=lambda _report: None).run_pending()
    body = page.body.replace("cut.\n", "cut.\nallowed-tools: Bash\n")
    save_page(actor=admin(), page_id=page.id, base_version=1, body=body)
    path = session(door)
    assert door.post(path, {"name": "late"})["code"] == "IO_ERROR"
    SkillSync(report=lambda _report: None).run_pending()
    assert door.post(path, {"name": "late"})["kind"] == "ok"


@pytest.mark.covers("HS-02")
@pytest.mark.django_db(transaction=True)
def test_of_two_calls_at_once_one_loads_the_skill() -> None:
    install_company()
    publish("Release notes", NOTES)
    opened = open_session(actor=agent(), phase="execute", tools=[], servers=[], turn="3")
    call = {"name": "release-notes"}
    kinds = [
        str(getattr(answer, "kind", answer))
        for answer in at_once(
            [lambda: activate_skill(actor=agent(), session_id=opened.id, params=call) for _ in range(4)]
        )
    ]
    assert sorted(kinds) == ["already_loaded"] * 3 + ["ok"]
    assert SkillSession.objects.get().activated == {"release-notes": "3"}


FLAGS = st.sampled_from(["", "disable-model-invocation: true\n", "user-invocable: false\n", "arguments: {a: {}}\n"])
PLACES = st.sampled_from(["trusted", "project", "secrets", "library", "gone"])
SKILLS = st.dictionaries(
    st.sampled_from(["one", "two", "three", "broken"]), st.tuples(PLACES, FLAGS), min_size=1, max_size=4
)


@pytest.mark.covers("HS-05")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(skills=SKILLS, untrusted=st.sampled_from(list(UntrustedSkills)), unsafe=st.booleans())
def test_listing_and_activation_never_disagree(
    db: None,
    tmp_path_factory: pytest.TempPathFactory,
    skills: dict[str, tuple[str, str]],
    untrusted: UntrustedSkills,
    unsafe: bool,
) -> None:
    base = tmp_path_factory.mktemp("roots")
    places = {name: base / name for name in ("trusted", "project", "secrets")}
    for folder in places.values():
        folder.mkdir()
    install_company(
        skill_gates=SkillGates(
            roots=tuple(SkillRoot(path=str(path), trusted=name != "project") for name, path in places.items()),
            untrusted=untrusted,
            allow_without_hook=unsafe,
        )
    )
    pages = []
    for name, (place, flags) in skills.items():
        description = "d: e" if name == "broken" else "d"
        text = f"---\nname: {name}\ndescription: {description}\n{flags}---\nWhat it says.\n"
        if place in places:
            write_skill(places[place], name, text=text)
        elif place == "library":
            pages.append(text)
    from tests.skills.served import serve

    serve(*pages)
    with pytest.MonkeyPatch.context() as monkeypatch:
        bodies = dict(enumerate(pages, 1))
        monkeypatch.setattr("skills.reads.skill_tool.source_page", lambda page_id: _page(page_id, bodies[page_id]))
        opened = open_session(actor=agent(), phase="execute", tools=[], servers=[])
        explained = {
            line.key: line.included
            for line in explain(actor=agent(), phase="execute", seat="engineer-bot", tools=None, servers=None)
            if line.dialect is Kind.AGENT_SKILL
        }
        shown = skill_catalogue(actor=agent())
        for name in skills:
            kind = activate_skill(actor=agent(), session_id=opened.id, params={"name": name}).kind
            assert (kind == "ok") is explained.get(name, False)
            assert (kind == "ok") is (f"<name>{name}</name>" in shown)


def _page(page_id: int, body: str) -> Any:
    from knowledge.reads.sources import SourcePage

    assert live.current().skills_container is not None
    return SourcePage(id=page_id, container="TS", title="t", version=1, body=body, published=True)
