"""The bench of many agents asks for what the servers answer."""

from __future__ import annotations

import pytest

from bench import agents
from knowledge.models import Page, PageReading
from skills.models import SkillSession
from tests import loops
from tests.factories import token_for
from tests.mcp.doors import Site
from tests.skills.served import GITHUB, MENTIONS, serve


@pytest.mark.slow
def test_agents_at_work_over_rest_and_mcp_meet_no_error(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(GITHUB, MENTIONS)
    monkeypatch.setattr(agents, "THINK", (0.0, 0.1))
    tokens = [token_for(seat=seat, name=seat) for seat in ("engineer-bot", "lead-bot")]
    told = loops.run(lambda: agents.work_all({"url": site.url, "tokens": tokens, "agents": 4, "seconds": 6}))
    assert told["errors"] == []
    assert {"MCP: list_tool_skills", "MCP: write_page"} < set(told["calls"])
    assert (SkillSession.objects.count(), Page.objects.count()) == (4, 4)
    assert not PageReading.objects.exclude(last_turn_id__startswith="t-").exists()
