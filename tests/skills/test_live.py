"""Skills in a running deployment: what one process saves, every process serves."""

from __future__ import annotations

from pathlib import Path

import httpx
import psycopg
import pytest
from playwright.sync_api import Page

from crewlet_site.embedded.places import Kind, Places
from tests.deployments import Deployment, until
from tests.skills.texts import skill_text

SERVED_WITHIN = 2.0


def registries(connection: psycopg.Connection) -> dict[str, int]:
    """How many skills each process says that it serves."""
    rows = connection.execute("SELECT process, skills FROM skills_syncstate WHERE state = 'synced'").fetchall()
    return {str(process): int(skills) for process, skills in rows}


@pytest.mark.slow
@pytest.mark.covers("TS-08")
def test_a_published_skill_is_served_by_every_process_within_two_seconds(
    deployment: Deployment, tmp_path: Path
) -> None:
    # The deployment is shared with other tests, so this one is about a tool that no other test asks for.
    text = skill_text("tool:live", trigger="{tool: tool_of_this_test}", title="A skill that has just been written")
    (tmp_path / "live.md").write_text(text)
    with psycopg.connect(Places(deployment.data_dir, Kind.POSTGRES).url, autocommit=True) as connection:
        before = registries(connection)
        assert len(before) >= 2
        deployment.crewlet("skills", "import", str(tmp_path))
        grown = {process: skills + 1 for process, skills in before.items()}
        took = until(lambda: registries(connection) == grown, 10)
    assert took < SERVED_WITHIN


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.covers("TS-08", "CA-03")
def test_a_skill_edited_in_a_browser_is_what_agents_load_from_every_web_process(
    deployment: Deployment, browser_page: Page, tmp_path: Path
) -> None:
    text = skill_text("tool:edited", trigger="{tool: tool_edited_in_a_browser}", title="A skill about to be edited")
    (tmp_path / "edited.md").write_text(text)
    deployment.crewlet("skills", "import", str(tmp_path))
    words = ("--permissions", "knowledge,admin", "--password-stdin")
    deployment.crewlet("iam", "person", "skipper", *words, stdin="a long password\n")
    secret = deployment.crewlet("iam", "token", "live", "--seat", "tech-lead").strip()

    def ask(method: str, path: str, **body: object) -> httpx.Response:
        """One request on a connection of its own, so that any of the web processes may answer it."""
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.request(method, f"{deployment.url}/api/v1{path}", headers=headers, json=body or None)

    until(lambda: ask("GET", "/skills/tool:edited").status_code == 200, 10)
    page_id = ask("GET", "/skills/tool:edited").json()["page_id"]
    tools = ["tool_edited_in_a_browser", "load_tool_skill"]
    session = ask("POST", "/sessions", phase="execute", tools=tools, servers=[]).json()["id"]
    gate = {"tool": "tool_edited_in_a_browser"}
    assert ask("POST", f"/sessions/{session}/gate", **gate).json()["missing"] == ["tool:edited"]

    browser_page.goto(f"{deployment.url}/sign-in")
    browser_page.fill("[name=login]", "skipper")
    browser_page.fill("[name=password]", "a long password")
    browser_page.press("[name=password]", "Enter")
    browser_page.wait_for_url("**/knowledge")
    browser_page.goto(f"{deployment.url}/knowledge/pages/{page_id}/edit")
    browser_page.fill("#body", browser_page.input_value("#body") + "\nLook at the tide table first.\n")
    browser_page.click("#save")
    browser_page.wait_for_url(f"**/knowledge/pages/{page_id}")

    def is_served() -> bool:
        answer = ask("POST", f"/sessions/{session}/load", key="tool:edited").json()
        return "Look at the tide table first." in answer["body"]

    assert until(is_served, 10) < SERVED_WITHIN
    until(lambda: all(is_served() for _ in range(5)), SERVED_WITHIN)
    assert all(is_served() for _ in range(20)), "a web process still serves what was there before"
    assert ask("POST", f"/sessions/{session}/gate", **gate).json()["allowed"]
