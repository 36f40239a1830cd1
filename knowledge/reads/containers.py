"""Reads of containers: the spaces somebody browses, and how many pages each shows them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from company import live
from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from knowledge.models import Container, Page
from knowledge.reads.visibility import visible_to
from knowledge.rules.authority import Act, Ground, ground_of, require_act


@dataclass(frozen=True, kw_only=True)
class ContainerRow:
    """A space: its name and purpose, why it exists, whether agents are held back from it, how many pages it shows.

    One that is not `declared` any more is there for the pages it still holds.
    """

    key: str
    name: str
    purpose: str
    kind: str
    reserved: bool
    pages: int
    declared: bool


def list_containers(*, actor: Actor) -> tuple[ContainerRow, ...]:
    """The spaces the company declares, and those it used to that still hold pages, by key. Two queries."""
    company = live.current()
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    counted = _counts(actor, company)
    return tuple(
        _row(container, company=company, pages=counted.get(container.key, 0))
        for container in Container.objects.order_by("key")
        if container.key in company.space_by_key or container.key in counted
    )


def get_container(*, actor: Actor, key: str) -> ContainerRow:
    """One space; `not_found` for a key nobody declares. Two queries."""
    company = live.current()
    require_act(Act.READ, actor=actor, ground=Ground.ORDINARY)
    container = Container.objects.filter(key=key).first()
    if container is None:
        raise Refused(
            Code.NOT_FOUND, f"There is no space '{key}'. Keys are upper case; list the containers to see them."
        )
    return _row(container, company=company, pages=_counts(actor, company, key=key).get(key, 0))


def _counts(actor: Actor, company: Company, *, key: str | None = None) -> dict[str, int]:
    pages = Page.objects.filter(visible_to(actor, company))
    if key is not None:
        pages = pages.filter(container=key)
    return dict(pages.order_by().values_list("container").annotate(number=Count("pk")))


def _row(container: Container, *, company: Company, pages: int) -> ContainerRow:
    return ContainerRow(
        key=container.key,
        name=container.name,
        purpose=container.purpose,
        kind=container.kind,
        reserved=ground_of(company, container.key) is not Ground.ORDINARY,
        pages=pages,
        declared=container.key in company.space_by_key,
    )
