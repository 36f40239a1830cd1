"""The tools of skills and of the company document, each for success and for a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from company.models.records import AuditEntry, Event
from company.models.revisions import Revision
from knowledge.models import Page, PageReading
from knowledge.writes.pages import approve_page
from skills.models import SkillUsage
from skills.registry.sync import SkillSync
from tests.factories import admin, install_company, token_for
from tests.knowledge.pages import page
from tests.mcp.doors import Assistant, Site
from tests.skills.served import DEPLOY, GITHUB, MENTIONS, NOTES, serve

pytestmark = pytest.mark.covers("AP-02")

DOCUMENT = "name: Harbour\nmission: Berths and ferries.\n"
TOOLS = ["load_tool_skill", "create_pull_request", "post_message"]


def session_of(text: str) -> str:
    """The session an answer of list_tool_skills names."""
    assert text.startswith("session ses_")
    return text.split()[1]


def walk() -> None:
    """Read the skills container, as the process's own thread would."""
    sync = SkillSync()
    sync.request_walk()
    sync.run_pending()


def events(kind: str) -> list[dict[str, Any]]:
    return [event.payload for event in Event.objects.filter(type=kind)]


@pytest.mark.covers("RD-01", "CA-02", "GU-01")
def test_a_seats_turn_from_the_catalogue_to_the_tool(engineer: Assistant) -> None:
    serve(GITHUB, MENTIONS)
    said = engineer.said("list_tool_skills", phase="execute", tools=TOOLS, servers=["github"], turn="t-1")
    session = session_of(said)
    assert "guard armed\n\n## Tool skills" in said
    blocked = engineer.call("check_tool", tool="create_pull_request", server="github", session=session)
    assert not blocked.failed
    assert (blocked.data["allowed"], blocked.data["missing"]) == (False, ["mcp:github"])
    assert blocked.text.startswith("Tool 'create_pull_request' is gated behind")
    loaded = engineer.said("load_tool_skill", key="mcp:github", session=session)
    assert "# GitHub at https://docs.harbour.example\n\nKeep a pull request small." in loaded
    assert engineer.said("check_tool", tool="create_pull_request", session=session) == "create_pull_request · allowed"

    assert events("phase.tool_skill_blocked") == [
        {"seat": "engineer-bot", "phase": "execute", "tool": "create_pull_request", "skill_keys": ["mcp:github"],
         "turn_id": "t-1"},
    ]  # fmt: skip
    (used,) = events("skill_used")
    assert (used["key"], used["source_page_id"], used["turn_id"]) == ("mcp:github", 1, "t-1")
    assert [(read["via"], [each["id"] for each in read["pages"]]) for read in events("knowledge_read")] == [
        ("skill_injected", [1, 2]),
        ("skill_loaded", [1]),
    ]
    assert set(PageReading.objects.values_list("page_id", "via", "last_turn_id")) == {
        (1, "skill_injected", "t-1"), (2, "skill_injected", "t-1"), (1, "skill_loaded", "t-1"),
    }  # fmt: skip


def test_what_is_refused_in_a_turn_unlocks_nothing(engineer: Assistant, site: Site) -> None:
    serve(GITHUB)
    assert engineer.refused("list_tool_skills", phase="sleep", tools=[], servers=[]) == "invalid"
    session = session_of(engineer.said("list_tool_skills", phase="execute", tools=TOOLS, servers=["github"]))
    unknown = engineer.call("load_tool_skill", key="mcp:gitlab", session=session)
    assert (unknown.code, "mcp:github" in unknown.text) == ("not_found", True)
    assert engineer.refused("load_tool_skill", key="mcp:github", session="ses_nobody") == "not_found"
    assert engineer.refused("check_tool", tool="post_message", session="ses_nobody") == "not_found"
    with site.assistant(token_for(seat="product-bot", name="other")) as other:
        assert other.refused("check_tool", tool="create_pull_request", session=session) == "not_found"
    gate = engineer.call("check_tool", tool="create_pull_request", server="github", session=session)
    assert gate.data["allowed"] is False


@pytest.mark.covers("HS-02")
def test_a_skill_folder_is_activated_once_a_session(engineer: Assistant) -> None:
    page("release-notes", NOTES, container="TS", by=admin())
    walk()
    session = session_of(engineer.said("list_tool_skills", phase="execute", tools=[], servers=[]))
    text = engineer.said("skill", name="release-notes", arguments="v1.9", session=session)
    assert "Collect what changed since v1.9." in text
    assert "already active" in engineer.said("skill", name="release-notes", session=session)
    missing = engineer.call("skill", name="release-note", session=session)
    assert (missing.failed, "Did you mean: release-notes?" in missing.text) == (True, True)
    assert engineer.refused("skill", name="release-notes", session="ses_nobody") == "not_found"
    assert engineer.refused("skill", name="release-notes", sesion=session) in {"required", "unknown_field"}


@pytest.mark.covers("PT-01")
def test_a_message_brings_prompt_skills_in(engineer: Assistant) -> None:
    serve(DEPLOY)
    said = engineer.said("match_prompt_skills", text="Please deploy it")
    assert said.startswith("deploy-staging\n\n<system-reminder>")
    assert "Tool stage_deploy: Run the staging deploy." in said
    assert engineer.said("match_prompt_skills", text="Nothing") == "No prompt skill is triggered."
    assert engineer.refused("match_prompt_skills", text=1) == "invalid"


def test_a_skill_is_checked_published_and_its_use_told(operator: Assistant, engineer: Assistant) -> None:
    assert operator.said("validate_skill", text=GITHUB).startswith("tool_skill · 0 problems")
    wrong = GITHUB.replace("phases:", "phasses:")
    assert "phasses" in operator.said("validate_skill", text=wrong)
    assert operator.refused("validate_skill") == "required"
    assert operator.refused("publish_skill", text=wrong) in {"unknown_field", "required", "invalid"}
    assert not Page.objects.exists()

    said = operator.said("publish_skill", text=GITHUB)
    assert said.endswith("version 1 · created")
    made = int(said.split()[1])
    assert operator.said("publish_skill", text=GITHUB).endswith("version 1 · unchanged")
    newer = GITHUB.replace("Keep a pull request small", "Keep it small")
    assert operator.said("publish_skill", text=newer, page=made, base_version=1).endswith("version 2 · updated")
    assert operator.refused("publish_skill", text=GITHUB, page=made, base_version=1) == "stale_version"
    assert operator.refused("publish_skill", text="Just text") == "invalid"

    walk()
    engineer.said("list_tool_skills", phase="execute", tools=TOOLS, servers=["github"])
    assert "mcp:github · offered 1 · loaded 0" in operator.said("list_skill_usage")
    assert "- engineer-bot · offered 1" in operator.said("list_skill_usage", key="mcp:github", days=1)
    assert operator.refused("list_skill_usage", key="mcp:gitlab") == "not_found"
    assert SkillUsage.objects.get().offered == 1


@pytest.mark.covers("CO-02")
def test_administrators_read_and_apply_the_company_document(operator: Assistant) -> None:
    before = Revision.objects.count()
    read = operator.said("get_config")
    revision = int(read.split()[1])
    applied = operator.said("apply_config", text=DOCUMENT, base_revision=revision, summary="Over MCP")
    assert "The document is in force." in applied
    assert Revision.objects.count() == before + 1
    wrong = operator.call("apply_config", text="name: X\nroles: 7\n", base_revision=revision + 1)
    assert wrong.code == "config_invalid"
    assert operator.refused("apply_config", text=DOCUMENT, base_revision=revision) == "revision_advanced"
    assert operator.refused("apply_config", text=DOCUMENT) == "required"
    assert Revision.objects.count() == before + 1
    assert AuditEntry.objects.get(verb="apply_document").door == "mcp"


@pytest.mark.covers("HS-07")
def test_what_an_assistant_writes_to_the_skills_waits_for_review_and_it_is_told_so(
    operator: Assistant, engineer: Assistant
) -> None:
    install_company(skills_review=True)
    said = operator.said("publish_skill", text=GITHUB)
    assert said.endswith("version 1 · created · waits for review")
    made = int(said.split()[1])
    approve_page(actor=admin("vera"), page_id=made, version=1)
    newer = GITHUB.replace("Keep a pull", "Keep each pull")
    saved = operator.said("save_page", page=str(made), base_version=1, body=newer)
    assert "version 2 · draft · waits for review" in saved
    assert "version 1 · version 2 waits for review" in operator.said("get_page", page=str(made))
    assert "waits" not in engineer.said("get_page", page=str(made))
    assert operator.refused("save_page", page=str(made), base_version=1, body="Other.") == "stale_version"
    assert Page.objects.get(pk=made).body == GITHUB
    walk()
    load = engineer.said("list_tool_skills", phase="execute", tools=TOOLS, servers=["github"])
    assert "Keep a pull" in engineer.said("load_tool_skill", key="mcp:github", session=session_of(load))
