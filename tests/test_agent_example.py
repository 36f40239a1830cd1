"""`examples/agent.py` plays the main job against a running deployment, and says what happened."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from crewlet_site.environment import ROOT
from crewlet_site.example_pages import EXAMPLES
from skills.tool_skills.rules.documents import ToolSkill
from skills.tool_skills.rules.parser import read_page
from tests.deployments import Deployment, clean_environment, until

pytestmark = pytest.mark.slow

AGENT = [sys.executable, str(ROOT / "examples/agent.py")]


def _skill(name: str) -> ToolSkill:
    skill = read_page((EXAMPLES / f"tool-skills/{name}.md").read_text(encoding="utf-8"))
    assert isinstance(skill, ToolSkill)
    return skill


def _token(deployment: Deployment, *words: str) -> str:
    return deployment.crewlet("iam", "token", "tests", *words).strip()


@contextmanager
def _watching(deployment: Deployment) -> Iterator[list[str]]:
    """The agent with `--watch`, and the lines it has printed so far."""
    environment = clean_environment(CREWLET_URL=deployment.url, CREWLET_TOKEN=_token(deployment, "--seat", "tech-lead"))
    process = subprocess.Popen([*AGENT, "--watch"], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines: list[str] = []
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        yield lines
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        reader.join(10)
        process.stdout.close()


@pytest.mark.covers("CA-01", "CA-03", "GU-01", "OP-01")
def test_the_agent_sees_the_catalogue_is_told_what_to_read_reads_it_and_passes(deployment: Deployment) -> None:
    environment = clean_environment(
        CREWLET_URL=deployment.url, CREWLET_TOKEN=_token(deployment, "--seat", "booking-engineer")
    )
    ran = subprocess.run(AGENT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    host, requests = _skill("code-host"), _skill("pull-requests")
    assert ran.stdout.startswith("## Tool skills\n\n")
    assert f"- mcp:github (required — load before use): {host.summary}\n" in ran.stdout
    assert (
        "Tool 'create_pull_request' is gated behind required tool skills you\n"
        "have not loaded in this session:\n"
        f"- 'mcp:github': {host.summary}\n"
        f"- 'skill:pull_requests': {requests.summary}\n"
        "\n"
        "Call `load_tool_skill(key='mcp:github')` and `load_tool_skill(key='skill:pull_requests')` "
        "to read the required\n"
        "practice(s), then retry 'create_pull_request'. Loading is needed once\n"
        "per session; after that the tool works normally.\n"
    ) in ran.stdout
    assert "Everything we build lives under https://code.harbour.example/harbour." in ran.stdout
    assert ran.stdout.endswith("create_pull_request: allowed\n")


@pytest.mark.covers("TS-08")
def test_an_agent_that_watches_sees_an_edit_of_the_page_within_two_seconds(deployment: Deployment) -> None:
    secret = _token(deployment, "--scopes", "read,write,admin")
    with (
        _watching(deployment) as lines,
        httpx.Client(base_url=f"{deployment.url}/api/v1", headers={"Authorization": f"Bearer {secret}"}) as admin,
    ):
        until(lambda: any("allowed" in line for line in lines))
        page_id = admin.get("/skills/mcp:github").json()["page_id"]
        edit = {"mode": "append", "text": "\nAsk before you rename a branch.\n"}
        answer = admin.patch(f"/pages/{page_id}", json={"edit": edit, "message": "Branches"})
        assert answer.status_code == 200, answer.text
        took = until(lambda: "Ask before you rename a branch.\n" in lines)
        assert took < 2 + 0.5 + 0.5  # the requirement, the agent's own pause between two looks, and a busy machine
        assert any(line.startswith("mcp:github is now version ") for line in lines)


def test_a_wrong_address_or_token_is_one_clear_line(deployment: Deployment) -> None:
    nowhere = subprocess.run(
        [*AGENT, "--url", "http://127.0.0.1:9", "--token", "x"], capture_output=True, text=True, check=False
    )
    assert nowhere.returncode == 1
    assert "Is ./crewlet up running?" in nowhere.stderr
    unknown = subprocess.run(
        [*AGENT, "--url", deployment.url, "--token", "x"], capture_output=True, text=True, check=False
    )
    assert unknown.returncode == 1
    assert "401" in unknown.stderr
    for ran in (nowhere, unknown):
        assert "Traceback" not in ran.stderr
        assert len(ran.stderr.strip().splitlines()) == 1


def test_the_agent_starts_under_a_python_that_has_no_httpx() -> None:
    """Without the packages of the environment it goes on in the environment that ./crewlet made, or says so."""
    bare = [getattr(sys, "_base_executable", sys.executable), "-I", *AGENT[1:], "--help"]
    ran = subprocess.run(bare, capture_output=True, text=True, check=False)
    if (ROOT / ".venv/bin/python").exists():
        assert ran.returncode == 0, ran.stderr
    else:
        assert "Run ./crewlet up once" in ran.stderr
