"""Publishes texts as tool skill pages: a key is one page, and publishing the same text twice changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from company import live
from company.rules.actors import Actor
from company.rules.chart import Backend
from company.rules.refusals import Code, Refused
from knowledge.reads.sources import source_page
from knowledge.writes.pages import create_page, save_page
from skills.reads.fresh import registry_now
from skills.registry import Registry, SourceId, source_of
from skills.tool_skills.rules.documents import ToolSkill


class Outcome(StrEnum):
    """What publishing a text did."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, kw_only=True)
class Published:
    """The page that holds the skill now, and its version."""

    outcome: Outcome
    page_id: int
    version: int


def skills_home() -> SourceId:
    """The container skills are published in.

    Refuses where the company has none (`unknown_container`): skills are off, or kept in a wiki of its own.
    """
    found = source_of(live.current_for_write())
    if found is None:
        raise Refused(
            Code.UNKNOWN_CONTAINER, "Tool skills are off. Name a container in 'knowledge.skills_container' first."
        )
    if found.backend is not Backend.NATIVE:
        raise Refused(
            Code.UNKNOWN_CONTAINER, f"The company keeps its skills in {found.backend.value}. Publish them there."
        )
    return found


def held_now() -> Registry:
    """The container as the database has it now, read afresh: what publishing is decided by."""
    return registry_now(skills_home())


def page_with_key(held: Registry, key: str) -> int | None:
    """The page a key is published on: the lowest that declares it, one that cannot be read included."""
    declaring = (
        page_id
        for page_id, page in sorted(held.pages.items())
        if page.readings.tool is not None and page.readings.tool.key == key
    )
    return next(declaring, None)


def publish_skill(*, actor: Actor, skill: ToolSkill, text: str, held: Registry) -> Published:
    """The page that holds `text`, which reads as `skill`: the one with its key, else a new one named by its title.

    `held` tells which page has the key. Refuses what the writes of pages refuse, `title_taken` above all: two skills
    cannot have one title, because a title is a page's address.
    """
    home = skills_home()
    page_id = page_with_key(held, skill.key)
    before = source_page(page_id) if page_id is not None else None
    if before is None:
        made = create_page(actor=actor, container=home.container, title=skill.title, body=text)
        return Published(outcome=Outcome.CREATED, page_id=made.id, version=made.version)
    saved = save_page(
        actor=actor,
        page_id=before.id,
        base_version=before.version,
        body=text,
        title=skill.title if skill.title != before.title else None,
    )
    outcome = Outcome.UNCHANGED if saved.version == before.version else Outcome.UPDATED
    return Published(outcome=outcome, page_id=saved.id, version=saved.version)
