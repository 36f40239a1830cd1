"""Projects as their readers list them: those the company declares, and those that only have items left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from company.rules.actors import Actor
from company.rules.chart import SpaceKind
from company.rules.refusals import Code, Refused
from tracker.models import Item, Project
from tracker.reads.rows import company_read_by, living
from tracker.rules.vocabulary import OPEN


@dataclass(frozen=True, kw_only=True)
class ProjectView:
    """A project: how many living items it has and how many of them are still to be done. One that is no longer
    `declared` takes no new item."""

    key: str
    name: str
    purpose: str
    kind: SpaceKind
    led_by: str | None
    declared: bool
    items: int
    open: int


def list_projects(*, actor: Actor) -> tuple[ProjectView, ...]:
    """The declared projects in the document's order, then those with items that are declared no more. Two queries."""
    company = company_read_by(actor)
    counts: dict[str, Any] = {
        row["project"]: row
        for row in Item.objects.filter(living())
        .order_by()
        .values("project")
        .annotate(items=Count("pk"), open=Count("pk", filter=Q(status__in=OPEN)))
    }
    declared = [
        ProjectView(
            key=project.key,
            name=project.name,
            purpose=project.purpose,
            kind=project.kind,
            led_by=project.led_by,
            declared=True,
            items=counts.get(project.key, {}).get("items", 0),
            open=counts.get(project.key, {}).get("open", 0),
        )
        for project in company.projects
    ]
    left = Project.objects.filter(key__in=[key for key in counts if key not in company.project_by_key])
    return (
        *declared,
        *(
            ProjectView(
                key=row.key,
                name=row.name,
                purpose=row.purpose,
                kind=SpaceKind(row.kind),
                led_by=None,
                declared=False,
                items=counts[row.key]["items"],
                open=counts[row.key]["open"],
            )
            for row in left
        ),
    )


def get_project(*, actor: Actor, key: str) -> ProjectView:
    """One project; `not_found` for a key that is neither declared nor has items left. Two queries."""
    found = next((project for project in list_projects(actor=actor) if project.key == key), None)
    if found is None:
        raise Refused(Code.NOT_FOUND, f"There is no project '{key[:16]}'. The list of projects has those there are.")
    return found
