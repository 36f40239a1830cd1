"""Pages that new pages start from: those with the label `template`, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass

from company import live
from company.rules.actors import Actor
from knowledge.models import Page
from knowledge.reads.visibility import visible_to
from knowledge.rules.authority import Act, Ground, require_act

LABEL = "template"
SHOWN = 24
"""What a person can choose from at a glance. The space's own come first."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """A page to start from."""

    id: int
    title: str
    container: str


def list_templates(*, actor: Actor, container: str) -> tuple[Template, ...]:
    """The templates the actor sees, those of `container` first, then by title; at most 24. Two queries."""
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    company = live.current()
    rows = Page.objects.filter(visible_to(actor, company), labels__contains=[LABEL])
    own = rows.filter(container=container).order_by("address")[:SHOWN]
    found = [Template(id=row[0], title=row[1], container=row[2]) for row in own.values_list("id", "title", "container")]
    if len(found) < SHOWN:
        others = rows.exclude(container=container).order_by("address", "id")[: SHOWN - len(found)]
        found += [
            Template(id=row[0], title=row[1], container=row[2])
            for row in others.values_list("id", "title", "container")
        ]
    return tuple(found)
