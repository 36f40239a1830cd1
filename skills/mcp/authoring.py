"""The tools of whoever writes skills: would a text be one, publish it, and whom the skills reach."""

from __future__ import annotations

import json

from pydantic import Field

from company.mcp.tools import OPERATORS, Arguments, Caller, Said, Tool
from company.rules.actors import Permission, Scope
from company.rules.days import REACH_DAYS, check_days
from company.rules.refusals import Code, Refused
from knowledge.mcp.references import PageRef, page_id_of
from skills.reads.shelf import Wanted, shelf
from skills.reads.usage import usage_of
from skills.reads.validate import Validation, validate_text
from skills.tool_skills.rules.documents import Kind
from skills.writes.publishing import publish_text


class ValidateSkill(Arguments):
    """A text."""

    text: str = Field(description="The whole file: front matter between --- lines, then the body.")


class PublishSkill(ValidateSkill):
    """A text, and the page it was read from."""

    page: PageRef | None = Field(
        default=None,
        description="The page to save it on (id or address). Without it: the page that has its key or name, else a "
        "new one.",
    )
    base_version: int | None = Field(default=None, description="The version of that page you read; needed with `page`.")


class ListSkillUsage(Arguments):
    """Which skill, how far back."""

    key: str | None = Field(default=None, description="A skill's key, for its figures by day; without it, all skills.")
    days: int | None = Field(default=None, description=f"Company days back; {REACH_DAYS} without it.")


def _validate(caller: Caller, given: ValidateSkill) -> Said:
    found = validate_text(actor=caller.actor, text=given.text)
    return Said(text="\n".join(_verdict(found)))


def _verdict(found: Validation) -> list[str]:
    lines = [f"{found.kind.value} · {len(found.problems)} {'problem' if len(found.problems) == 1 else 'problems'}"]
    for problem in found.problems:
        where = f"line {problem.line}: " if problem.line is not None else ""
        lines.append(f"- {where}{problem.field}: {problem.code.value}: {problem.detail}")
    lines += [f"- worth a look: {warning}" for warning in found.warnings]
    lines.append(f"summary {found.sizes.summary} bytes · body {found.sizes.body} bytes")
    if found.skill is not None:
        shown = {name: value for name, value in found.skill.items() if name != "body"}
        lines += ["", "```json", json.dumps(shown, ensure_ascii=False, indent=1), "```"]
    return lines


def _publish(caller: Caller, given: PublishSkill) -> Said:
    page_id = page_id_of(given.page, actor=caller.actor) if given.page is not None else None
    published = publish_text(actor=caller.actor, text=given.text, page_id=page_id, base_version=given.base_version)
    waits = " · waits for review" if published.waits else ""
    return Said(text=f"page {published.page_id} · version {published.version} · {published.outcome.value}{waits}")


def _usage(caller: Caller, given: ListSkillUsage) -> Said:
    days = check_days(given.days) if given.days is not None else REACH_DAYS
    if given.key is None:
        if days != REACH_DAYS:
            raise Refused(Code.INVALID, f"Without a key the figures are those of {REACH_DAYS} days.", attr="days")
        found = shelf(actor=caller.actor, wanted=Wanted(dialect=Kind.TOOL_SKILL)).shown
        lines = [
            f"- {row.name} · offered {row.offered} · loaded {row.loaded} · blocked {row.blocked} · "
            f"seats {len(row.seats)}" + "".join(f" · {flag.value}" for flag in row.flags)
            for row in found
        ]
        return Said(text="\n".join([f"{len(found)} skills · {REACH_DAYS} days", "", *lines]))
    usage = usage_of(actor=caller.actor, key=given.key, days=days)
    lines = [f"{usage.key} · {usage.since} to {usage.until}", ""]
    for seat in usage.seats:
        lines.append(f"- {seat.seat} · offered {seat.offered} · loaded {seat.loaded} · blocked {seat.blocked}")
        lines += [
            f"  - {day.day} · offered {day.offered} · loaded {day.loaded} · blocked {day.blocked}"
            for day in seat.by_day
        ]
    return Said(text="\n".join(lines if usage.seats else [*lines, "No seat was offered it in these days."]))


TOOLS = (
    Tool(
        name="validate_skill",
        title="Check a skill's text",
        description="Say what a text would be as a page of the skills container (a tool skill, a prompt skill, a "
        "skill folder's SKILL.md, or a plain page) and everything that is wrong with it, by line. Changes"
        " nothing.",
        arguments=ValidateSkill,
        call=_validate,
        audiences=OPERATORS,
        reads_only=True,
    ),
    Tool(
        name="publish_skill",
        title="Publish a skill",
        description="Publish a tool skill or a prompt skill: on the page that has its key or name, on the page you "
        "name, or on a new one. It reaches every agent within two seconds. A text with anything wrong is "
        "refused, by line.",
        arguments=PublishSkill,
        call=_publish,
        audiences=OPERATORS,
        permission=Permission.ADMIN,
        scope=Scope.WRITE,
    ),
    Tool(
        name="list_skill_usage",
        title="Whom the skills reach",
        description="How often each skill was offered, loaded and held a call back; of one skill, by seat and company"
        " day.",
        arguments=ListSkillUsage,
        call=_usage,
        audiences=OPERATORS,
        reads_only=True,
    ),
)
