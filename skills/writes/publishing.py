"""Publishes texts as pages of tool skills and prompt skills: a key or name is one page, and once is enough."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from company import live
from company.rules.actors import Actor, Scope
from company.rules.chart import Backend
from company.rules.permissions import require_admin
from company.rules.refusals import Code, Problem, Refused
from knowledge.models import PageStatus
from knowledge.reads.sources import proposal_of
from knowledge.writes.pages import create_page, save_page
from skills.frontmatter import Problem as FrontMatterProblem
from skills.prompts.documents import PromptSkill
from skills.reads.fresh import proposed_registry
from skills.registry import Registry, SourceId, source_of
from skills.registry.dialects import read_dialects
from skills.tool_skills.rules.documents import ToolSkill


class Outcome(StrEnum):
    """What publishing a text did."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, kw_only=True)
class Published:
    """The page that holds the skill now, and its version; of a dry run that would make one, neither. `waits`: the
    version is not served before an administrator has approved it."""

    outcome: Outcome
    page_id: int | None
    version: int | None
    waits: bool = False


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
    """The container as the database has it now with all that waits for review: what publishing is decided by."""
    return proposed_registry(skills_home())


def page_with_key(held: Registry, key: str) -> int | None:
    """The page a key is published on: the lowest that declares it, one that cannot be read included."""
    declaring = (
        page_id
        for page_id, page in sorted(held.pages.items())
        if page.readings.tool is not None and page.readings.tool.key == key
    )
    return next(declaring, None)


def page_with_name(held: Registry, name: str) -> int | None:
    """The page a prompt skill's name is published on: the lowest that declares it, one that cannot be read included.

    A page of a skill folder that is a prompt skill besides is none: it belongs to its folder.
    """
    declaring = (
        page_id
        for page_id, page in sorted(held.pages.items())
        if page.readings.prompt is not None and not page.in_folder and page.readings.name == name
    )
    return next(declaring, None)


def publish_skill(*, actor: Actor, skill: ToolSkill, text: str, held: Registry, dry_run: bool = False) -> Published:
    """The page that holds `text`, which reads as `skill`: the one with its key, else a new one named by its title.

    `held` tells which page has the key. A dry run answers the same and writes nothing. Refuses what the writes of
    pages refuse, `title_taken` above all: two skills cannot have one title, because a title is a page's address.
    """
    return _publish(
        actor=actor, page_id=page_with_key(held, skill.key), title=skill.title, text=text, retitle=True, dry_run=dry_run
    )


def publish_prompt_skill(
    *, actor: Actor, skill: PromptSkill, text: str, held: Registry, dry_run: bool = False
) -> Published:
    """The page that holds `text`, which reads as `skill`: the one with its name, else a new one of that title.

    Answers and refuses as `publish_skill` does; the title of a page that is there stays.
    """
    page_id = page_with_name(held, skill.name)
    return _publish(actor=actor, page_id=page_id, title=skill.name, text=text, retitle=False, dry_run=dry_run)


def _publish(*, actor: Actor, page_id: int | None, title: str, text: str, retitle: bool, dry_run: bool) -> Published:
    home = skills_home()
    before = proposal_of(page_id) if page_id is not None else None
    if before is None:
        if dry_run:
            return Published(outcome=Outcome.CREATED, page_id=None, version=None)
        made = create_page(actor=actor, container=home.container, title=title, body=text)
        return Published(outcome=Outcome.CREATED, page_id=made.id, version=made.version, waits=made.waits)
    wanted = title if retitle and title != before.title else None
    same = before.body == text and wanted is None
    if dry_run or same:
        outcome = Outcome.UNCHANGED if same else Outcome.UPDATED
        return Published(outcome=outcome, page_id=before.id, version=before.version)
    saved = save_page(
        actor=actor,
        page_id=before.id,
        base_version=before.version,
        body=text,
        title=wanted,
        status=PageStatus.PUBLISHED,  # of a draft that was sent back: ask again
    )
    return Published(outcome=Outcome.UPDATED, page_id=saved.id, version=saved.version, waits=saved.waits)


def publish_text(*, actor: Actor, text: str, page_id: int | None = None, base_version: int | None = None) -> Published:
    """The page that holds `text`, whichever of the two dialects it is written in: `page_id` saved on `base_version`, or
    the page that has its key or name, or a new one.

    Refuses a text with anything wrong (each problem with its field), one that is neither a tool skill nor a prompt
    skill (`invalid`), `required` for a page without a base, and what the writes of pages refuse.
    """
    require_admin(actor, Scope.WRITE)
    readings = read_dialects(text)
    problems = tuple(problem for broken in readings.broken() for problem in broken.problems)
    if problems:
        raise Refused.of(tuple(_problem(found) for found in problems))
    skill = readings.tool if isinstance(readings.tool, ToolSkill) else readings.prompt
    if not isinstance(skill, ToolSkill | PromptSkill):
        raise Refused(
            Code.INVALID,
            "This is neither a tool skill (front matter with key and trigger) nor a prompt skill (name, description "
            "and triggers or tools). Folders with a SKILL.md are imported with POST /api/v1/library-import.",
            attr="text",
        )
    if page_id is not None:
        return _publish_on(page_id, actor=actor, text=text, base_version=base_version)
    if isinstance(skill, ToolSkill):
        return publish_skill(actor=actor, skill=skill, text=text, held=held_now())
    return publish_prompt_skill(actor=actor, skill=skill, text=text, held=held_now())


def _publish_on(page_id: int, *, actor: Actor, text: str, base_version: int | None) -> Published:
    home = skills_home()
    page = proposal_of(page_id)
    if page is None or page.container != home.container:
        raise Refused(Code.NOT_FOUND, f"The skills container '{home.container}' has no page {page_id}.", attr="page")
    saved = save_page(actor=actor, page_id=page_id, base_version=base_version, body=text)
    outcome = Outcome.UNCHANGED if saved.version == page.version else Outcome.UPDATED
    return Published(outcome=outcome, page_id=saved.id, version=saved.version, waits=saved.waits)


def _problem(found: FrontMatterProblem) -> Problem:
    where = f"Line {found.line}: " if found.line is not None else ""
    return Problem(code=found.code, detail=f"{where}{found.detail}", attr=found.field)
