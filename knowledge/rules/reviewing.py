"""When a change waits for somebody else's look, and who may let it through. Pure.

Owns the rule of `knowledge.skills_review`: every page of the skills container is put before agents, so each text and
each file of a folder there waits until an administrator other than its writer approves it. A page's title, its labels
and its place among the pages are how people find it and change at once; so does taking a skill out of service by the
trash, and bringing back what was approved before. With review off nothing new is held back, and what waits stays.
"""

from __future__ import annotations

from company.rules.actors import Actor, Author
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from knowledge.rules.authority import Ground, ground_of


def is_reviewed(company: Company, container: str) -> bool:
    """Whether what is written in a container waits for review."""
    return company.skills_review and ground_of(company, container) is Ground.SKILLS


def check_decision(version: int, *, held: int | None, current: int) -> None:
    """Refuse a decision on a version that is not the one that waits (`stale_version`, with `current_version`).

    `current` is the newest version the page has, so that whoever decides can look at it.
    """
    if held == version:
        return
    if held is None:
        detail = (
            f"Version {version} does not wait for review any more. Look at the page's history for what became of it."
        )
    else:
        detail = (
            f"Version {held} is what waits for review now, not version {version}. Look at that one, and decide again."
        )
    raise Refused(
        Code.STALE_VERSION, detail, attr="version", extras={"current_version": current if held is None else held}
    )


def check_second_look(*, actor: Actor, writer: Author, reviewed: bool) -> None:
    """Refuse whoever would approve their own text while review is on (`forbidden`)."""
    if reviewed and actor.author == writer:
        raise Refused(
            Code.FORBIDDEN,
            "You wrote this version, so somebody else has to approve it. Ask another administrator, or withdraw it.",
            attr="version",
        )


def check_leaving(waiting: int) -> None:
    """Refuse to move published pages to another container while changes of them wait (`invalid`, 409)."""
    if waiting:
        raise Refused(
            Code.INVALID,
            "A change of what would be moved waits for review. Approve it or send it back first, then move the page.",
            attr="container",
            status=409,
        )
