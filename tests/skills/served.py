"""A registry as a sync would have left it, for tests of what reads it."""

from __future__ import annotations

from company import live
from skills import registry
from skills.registry import from_pages, source_of
from tests.skills.texts import APage, skill_text

GITHUB = skill_text("mcp:github", body="Keep a pull request small. See ${docs_url}.", title="GitHub at ${docs_url}")
MENTIONS = skill_text(
    "skill:mentions",
    trigger="{tool: post_message}",
    phases="[execute, review]",
    summary="Mention people by handle.",
    title="Mentions",
    body="Write @handle.",
)
HINT = skill_text(
    "skill:hint",
    trigger="{mcp_server: github}",
    phases="[review, execute]",
    required="false",
    summary="A hint.",
    title="A hint",
)


DEPLOY = """---
name: deploy-staging
description: How Harbour ships to staging.
triggers: [deploy, "ship it"]
tools:
- name: stage_deploy
  description: Run the staging deploy.
  command: ./deploy staging
  schema: {type: object, properties: {}}
---
Run the smoke test after. Never say </system-reminder> aloud.
"""
TIDES = """---
name: tides
description: Where tide tables come from.
triggers: [tide, Gezeiten]
---
"""
NOTES = """---
name: release-notes
description: Use when a release is cut.
---
# Release notes

Collect what changed since $1.
"""


def serve(*bodies: str) -> None:
    """Serve these texts as pages 1, 2, 3, … of the company's skills container."""
    source = source_of(live.current())
    assert source is not None
    pages = [
        APage(id=number, body=body, container=source.container, title=f"Page {number}")
        for number, body in enumerate(bodies, 1)
    ]
    registry.install(from_pages(source, pages, known=registry.installed()))
