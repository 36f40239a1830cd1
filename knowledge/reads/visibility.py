"""What an actor sees of the pages, as a condition on a queryset: the decision of `rules.authority.may_see` in SQL."""

from __future__ import annotations

from django.db.models import Q

from company.rules.actors import Actor
from company.rules.chart import Company
from company.rules.refusals import Refused
from knowledge.models import PageStatus
from knowledge.rules.authority import Act, ground_of, require_act


def visible_to(actor: Actor, company: Company) -> Q:
    """Published pages, and the drafts that are the actor's to see. Trashed ones never."""
    return Q(status=PageStatus.PUBLISHED) | (Q(status=PageStatus.DRAFT) & _of_concern_to(actor, company))


def trash_of(actor: Actor, company: Company) -> Q:
    """The trashed pages the actor may restore."""
    concern = _of_concern_to(actor, company)
    if not actor.is_admin and company.skills_container is not None:
        concern &= ~Q(container=company.skills_container)
    return Q(status=PageStatus.TRASHED) & concern


def with_status(status: PageStatus | None, *, actor: Actor, company: Company) -> Q:
    """The pages of one status the actor sees; with None, the living ones."""
    if status is PageStatus.TRASHED:
        return trash_of(actor, company)
    living = visible_to(actor, company)
    return living if status is None else living & Q(status=status)


def _of_concern_to(actor: Actor, company: Company) -> Q:
    if actor.is_admin:
        return Q()
    led = [space.key for space in company.spaces if company.leads(actor.seat, space.key)]
    return Q(author_name=actor.author.name, author_kind=actor.author.kind.value) | Q(container__in=led)


def may_save_in(container: str, *, actor: Actor, company: Company) -> bool:
    """Whether the actor may save the pages of a container, and so see what waits for review there."""
    try:
        require_act(Act.SAVE, actor=actor, ground=ground_of(company, container))
    except Refused:
        return False
    return True
