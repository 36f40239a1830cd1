"""The tools of pages, each for success and for a refusal."""

from __future__ import annotations

import re

import pytest

from company.models import AuditEntry
from company.rules.actors import Scope
from knowledge.models import Comment, Page
from tests.factories import admin, agent, person, token_for
from tests.knowledge.pages import page, row
from tests.mcp.doors import OPERATOR, Assistant, Site

pytestmark = pytest.mark.covers("AP-02")


def id_of(text: str) -> int:
    """The id in the first line of an answer."""
    found = re.match(r"page (\d+) · ", text)
    assert found is not None, text
    return int(found[1])


def test_a_page_is_written_read_to_the_byte_and_saved_on_the_version_it_was_read_at(engineer: Assistant) -> None:
    body = "Stop the queue.\r\n\r\n\tThen “ship” it: größer, 出荷.\r\n\n\nno final newline"
    made = id_of(engineer.said("write_page", title="Deploy Runbook", body=body, labels=["ops"], message="Why"))
    read = engineer.said("get_page", page=made)
    header, _, text = read.partition("\n\n")
    assert header == f"page {made} · ENG/deploy runbook · version 1 · Deploy Runbook"
    assert text == body
    saved = engineer.said("save_page", page="ENG/Deploy runbook", base_version=1, body=text + "!", message="More")
    assert saved.startswith(f"page {made} · ENG/deploy runbook · version 2")
    assert (row(made).body, row(made).labels) == (body + "!", ["ops"])
    entry = AuditEntry.objects.get(verb="save_page")
    assert (entry.door, entry.actor_name) == ("mcp", "engineer-bot")


def test_a_stale_save_is_a_tool_error_with_code_and_current_version_and_changes_nothing(engineer: Assistant) -> None:
    made = page()
    engineer.said("save_page", page=made.id, base_version=1, body="first")
    stale = engineer.call("save_page", page=made.id, base_version=1, body="second", title="Other", watch=False)
    assert stale.code == "stale_version"
    assert stale.data["current_version"] == 2
    assert "current_version: 2" in stale.text
    assert (row(made.id).body, row(made.id).title) == ("first", made.title)


def test_a_save_does_all_of_it_or_nothing(engineer: Assistant) -> None:
    guides, made = page("Guides", ""), page()
    said = engineer.said(
        "save_page", page=made.id, base_version=1, title="Shipping", parent=guides.id, labels=["ops"], watch=False
    )
    assert said.startswith(f"page {made.id} · ENG/shipping · version 2")
    assert (row(made.id).parent_id, row(made.id).labels, row(made.id).watchers) == (guides.id, ["ops"], [])
    elsewhere = page("Elsewhere", container="PROD")
    refused = engineer.refused("save_page", page=made.id, base_version=2, body="text", parent=elsewhere.id)
    assert refused == "parent_invalid"
    assert (row(made.id).version, row(made.id).body) == (2, "Ship it.")
    engineer.said("save_page", page=made.id, base_version=2, parent="")
    assert row(made.id).parent_id is None
    assert engineer.refused("save_page", page=made.id, base_version=9, parent=guides.id) == "stale_version"
    assert engineer.refused("save_page", page=made.id, base_version=2) == "required"


def test_pages_are_listed_in_windows_and_a_filter_that_makes_no_sense_is_refused(engineer: Assistant) -> None:
    guides = page("Guides", "")
    for number in range(3):
        page(f"Page {number}", parent_id=guides.id)
    text = engineer.said("list_pages", container="ENG", roots=True)
    assert text == f"1 page\n\n- page {guides.id} · ENG/guides · version 1 · Guides · 3 beneath"
    first = engineer.said("list_pages", parent=guides.id, limit=2)
    assert first.startswith("2 of 3 pages\n\n- page ")
    cursor = first.rpartition("after: ")[2]
    assert "Page 2" in engineer.said("list_pages", parent="ENG/guides", limit=2, after=cursor)
    assert engineer.said("list_pages", title="nowhere") == "No page fits."
    assert engineer.refused("list_pages", status="asleep") == "invalid"
    assert engineer.refused("list_pages", limit=501) == "too_long"


def test_an_argument_nobody_knows_or_of_another_kind_is_refused_by_name(engineer: Assistant) -> None:
    unknown = engineer.call("get_page", page=1, pgae=2)
    assert (unknown.code, unknown.data["errors"][0]["attr"]) == ("unknown_field", "pgae")
    missing = engineer.call("save_page", body="text")
    assert {error["attr"] for error in missing.data["errors"]} == {"page", "base_version"}
    assert missing.code == "required"
    assert engineer.refused("write_page", title=1, body="text") == "invalid"
    assert engineer.refused("get_page", page="no address") == "invalid"
    assert engineer.refused("get_page", page="ENG/nowhere") == "not_found"
    assert not Page.objects.exists()


def test_an_old_address_still_leads_to_the_page(engineer: Assistant) -> None:
    made = page("Old name")
    engineer.said("save_page", page=made.id, base_version=1, title="New name")
    assert id_of(engineer.said("get_page", page="ENG/old name")) == made.id


def test_comments_are_written_answered_and_put_better(engineer: Assistant) -> None:
    made = page()
    said = engineer.said("comment_on_page", page=made.id, body="Is this so? @lead-bot")
    first = int(said.split()[1])
    engineer.said("comment_on_page", page=made.id, body="It is.", reply_to=first)
    engineer.said("comment_on_page", page=made.id, body="Is this really so?", edit=first)
    assert Comment.objects.get(pk=first).body == "Is this really so?"
    other = page("Other")
    assert engineer.refused("comment_on_page", page=other.id, body="text", edit=first) == "not_found"
    assert engineer.refused("comment_on_page", page=made.id, body="text", edit=first, reply_to=first) == "invalid"
    assert engineer.refused("comment_on_page", page=made.id, body="") == "required"


def test_a_search_that_could_not_run_says_so_in_words_and_no_syntax_is_refused(engineer: Assistant) -> None:
    page("Tariffs", "The night ferry costs more.")
    said = engineer.said("search_knowledge", query='ferry AND ("night', mode="keyword")
    assert "could not be searched" in said or "index is still being built" in said or "Tariffs" in said
    assert engineer.refused("search_knowledge", query="ferry", mode="telepathy") == "unknown_mode"
    assert engineer.refused("search_knowledge", query="") == "required"


def test_people_put_pages_in_order(operator: Assistant) -> None:
    guides, made = page("Guides", ""), page()
    assert operator.said("rename_page", page=made.id, title="Shipping").startswith(f"page {made.id} · ENG/shipping")
    operator.said("move_page", page=made.id, parent=guides.id)
    assert row(made.id).parent_id == guides.id
    operator.said("move_page", page=made.id, parent="", container="PROD")
    assert (row(made.id).container, row(made.id).parent_id) == ("PROD", None)
    operator.said("trash_page", page="PROD/shipping")
    assert operator.said("restore_page", page=made.id).endswith("Back, 1 page in all.")
    operator.said("trash_page", page=made.id)
    assert operator.said("purge_page", page=made.id, reason="Wrong") == f"page {made.id} · gone for good"
    assert not Page.objects.filter(pk=made.id).exists()


def test_what_is_refused_at_upkeep_has_the_codes_of_every_door(operator: Assistant, ada: Assistant) -> None:
    made, other = page(), page("Other")
    assert operator.refused("rename_page", page=made.id, title="Other") == "title_taken"
    assert operator.call("rename_page", page=made.id, title="Other").data["page_id"] == other.id
    assert operator.refused("move_page", page=made.id, parent=made.id) == "parent_invalid"
    assert operator.refused("purge_page", page=made.id, reason="Wrong") == "invalid"
    assert operator.refused("restore_page", page=99_999) == "not_found"
    assert ada.refused("trash_page", page=made.id) == "forbidden"
    assert ada.refused("rename_page", page=made.id, title="Mine now") == "forbidden"
    assert ada.refused("purge_page", page=made.id, reason="Wrong") == "forbidden"
    assert (row(made.id).title, row(made.id).status) == ("Deploy runbook", "published")


@pytest.mark.covers("RD-02")
def test_who_reads_a_page_and_what_links_to_it(operator: Assistant, engineer: Assistant) -> None:
    made = page()
    page("Source", f"See [it](/knowledge/pages/{made.id}).")
    assert operator.said("page_reads", page=made.id).endswith("No agent has read it in these days.")
    engineer.said("get_page", page=made.id)
    engineer.said("get_page", page=made.id)
    text = operator.said("page_reads", page=made.id, days=1)
    assert "- engineer-bot (Engineer Bot) · get_page · 2 · last " in text
    assert operator.refused("page_reads", page=made.id, days=31) == "too_long"
    assert "linked from 1\n\n- page " in operator.said("linked_from", page=made.id)
    assert operator.refused("linked_from", page=made.id, after="nonsense") == "invalid"


@pytest.mark.covers("PG-20")
def test_agents_are_held_back_where_only_people_write(engineer: Assistant) -> None:
    skill = page("A skill", "text", container="TS", by=admin())
    assert engineer.refused("write_page", title="News", body="text", container="HOME") == "reserved_container"
    assert engineer.refused("write_page", title="News", body="text", container="TS") == "reserved_container"
    assert engineer.refused("save_page", page=skill.id, base_version=1, body="do as I say") == "reserved_container"
    assert engineer.refused("comment_on_page", page=skill.id, body="hm") == "reserved_container"
    assert engineer.refused("write_page", title="News", body="text", container="NOPE") == "unknown_container"
    assert row(skill.id).body == "text"


def test_only_what_the_token_may_use_is_listed_and_the_rest_is_refused(site: Site) -> None:
    reading = token_for(seat="engineer-bot", scopes=frozenset({Scope.READ}), name="reading")
    made = page()
    with site.assistant(reading) as reader:
        assert reader.tools() == {
            "list_pages", "get_page", "search_knowledge", "match_prompt_skills", "list_projects", "list_work_items",
            "get_work_item", "search_work_items",
        }  # fmt: skip
        assert reader.refused("save_page", page=made.id, base_version=1, body="text") == "scope_missing"
    with site.assistant(token_for(seat="engineer-bot", name="whole")) as writer:
        assert writer.tools() == {
            "list_pages", "get_page", "search_knowledge", "write_page", "save_page", "comment_on_page",
            "list_tool_skills", "load_tool_skill", "check_tool", "skill", "match_prompt_skills",
            "list_projects", "list_work_items", "get_work_item", "create_work_item", "update_work_item",
            "comment_on_work_item", "search_work_items",
        }  # fmt: skip
    nobody = token_for(holder=person("nobody"), name="nobody")
    with site.assistant(nobody, OPERATOR) as stranger:
        assert stranger.tools() == set()
        assert stranger.refused("get_page", page=made.id) == "forbidden"
    with site.assistant(token_for(holder=person("bea", permissions=["knowledge"]), name="bea"), OPERATOR) as bea:
        assert not bea.tools() & {"purge_page", "get_config", "apply_config", "publish_skill", "list_tool_skills"}
        assert bea.refused("get_config") == "forbidden"


@pytest.mark.parametrize("script", ["The ferry leaves at nine. ", "Паром отходит в девять. ", "渡船九点出发。"])
def test_a_page_of_60_kb_costs_little_more_than_its_bytes(site: Site, script: str) -> None:
    paragraph = script * 12 + "\n\n- [ ] `check --all`\n\n"
    body = paragraph * (60_000 // len(paragraph.encode()) + 1)
    made = page(body=body)
    secret = token_for(seat="engineer-bot")
    for version in ("2025-11-25", "2026-07-28"):
        call = {"name": "get_page", "arguments": {"page": made.id}}
        if version == "2026-07-28":
            call["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        answer = site.post(
            "/agent/mcp",
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
            Authorization=f"Bearer {secret}",
            MCP_Protocol_Version=version,
            Mcp_Method="tools/call",
            Mcp_Name="get_page",
        )
        assert answer.status_code == 200, answer.text
        assert answer.json()["result"]["content"][0]["text"].endswith(body)
        assert len(answer.content) < 1.15 * len(body.encode())


def test_a_page_of_somebody_elses_draft_is_not_there(engineer: Assistant) -> None:
    draft = page("Draft", by=agent("product-bot"), container="PROD", status="draft")
    assert engineer.refused("get_page", page=draft.id) == "not_found"
