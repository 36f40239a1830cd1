"""A company with many skills, for the benches within this process. Imported only after `Site.inside` set Django up."""

from __future__ import annotations

import json

from bench.site import Site
from company.reads.revisions import latest_id
from company.rules.actors import engine_actor
from company.writes.document import apply_document
from knowledge.models import Page
from knowledge.writes.pages import create_page
from skills.registry.sync import SkillSync

ACTOR = engine_actor("bench")
SERVER = "workshop"
SEAT = "worker"
_TEXT = "Look before you act, say what you did, and leave it so that the next one needs no explanation.\n"


def company() -> None:
    """Put a company in force whose one agent reaches a server of many tools; once a run."""
    if latest_id():
        return
    document = {
        "name": "Bench",
        "mcp_servers": [{"name": SERVER, "tools": [tool(number) for number in range(1_000)]}],
        "units": [{"name": "Works", "space": "WORKS", "roles": [{"name": "Worker", "handle": SEAT}]}],
    }
    apply_document(actor=ACTOR, source=json.dumps(document), summary="bench")


def tool(number: int) -> str:
    """The name of a tool."""
    return f"tool_{number:04d}"


def skills(site: Site, wanted: int) -> None:
    """Fill the skills container up to so many skills, each on a tool of its own with a body of about 2 kB."""
    company()
    there = Page.objects.filter(container="TS").count()
    if there < wanted:
        site.say(f"{wanted} skills")
    for number in range(there, wanted):
        front = (
            f"key: tool:{tool(number)}\ntrigger: {{tool: {tool(number)}}}\nphases: [execute]\n"
            f"title: Using {tool(number)}\nsummary: What to look at before you use {tool(number)}, and what to leave.\n"
        )
        create_page(actor=ACTOR, container="TS", title=f"Using {tool(number)}", body=f"---\n{front}---\n\n{_TEXT * 20}")


def synced() -> SkillSync:
    """A sync whose first walk is done, without a thread; what it reports about itself is not kept."""
    sync = SkillSync(report=lambda _: None)
    sync.run_pending()
    return sync
