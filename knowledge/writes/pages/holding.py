"""How a write gets hold of what it changes: the locks, and the checks that come before any rule of its own."""

from __future__ import annotations

from django.db import transaction

from company.rules.actors import Actor, ActorKind, Author, Permission, Scope
from company.rules.chart import Company
from company.rules.permissions import require_app
from company.rules.refusals import Code, Refused
from company.rules.undeclared import say_undeclared
from company.writes import locks
from knowledge.models import Page, PageStatus
from knowledge.reads.trees import ancestors_of
from knowledge.rules.authority import Act, Standing, ground_of, may_see, require_act, standing_of
from knowledge.rules.trees import Place


def hold_containers(*keys: str, shared: bool = False) -> None:
    """Hold the trees of these containers, always in the order of their keys."""
    for key in sorted(set(keys)):
        locks.hold(f"knowledge.container:{key}", shared=shared)


def hold_page(page_id: int) -> Page:
    """The page's row, held; `not_found` where there is none (any more)."""
    page = Page.objects.select_for_update(no_key=True).filter(pk=page_id).first()
    if page is None:
        raise not_found()
    return page


def hold_tree(page_id: int, *others: str) -> Page:
    """The page's row and the tree it stands in, held, and the trees of the containers `others` with them.

    Where the page was moved to another container while this waited, the locks are let go and taken anew.
    """
    while True:
        point = transaction.savepoint()
        home = Page.objects.filter(pk=page_id).values_list("container", flat=True).first()
        if home is None:
            raise not_found()
        hold_containers(home, *others)
        page = hold_page(page_id)
        if page.container == home:
            transaction.savepoint_commit(point)
            return page
        transaction.savepoint_rollback(point)


def require_writer(actor: Actor) -> None:
    """Refuse whoever may write no page at all, before anything is looked up."""
    require_app(actor, Permission.KNOWLEDGE, Scope.WRITE)


def sees(page: Page, *, actor: Actor, company: Company) -> bool:
    """Whether a page is there for this actor at all."""
    return may_see(
        actor=actor,
        ground=ground_of(company, page.container),
        standing=_standing(page, actor=actor, company=company),
        draft=page.status == PageStatus.DRAFT,
        trashed=page.status == PageStatus.TRASHED,
    )


def require_seen(page: Page, *, actor: Actor, company: Company) -> Standing:
    """How the actor stands to a page they may see; `not_found` for one they may not."""
    if not sees(page, actor=actor, company=company):
        raise not_found()
    return _standing(page, actor=actor, company=company)


def _standing(page: Page, *, actor: Actor, company: Company) -> Standing:
    return standing_of(actor=actor, company=company, container=page.container, author=author_of(page))


def require_on(page: Page, act: Act, *, actor: Actor, company: Company) -> None:
    """Let an act on a living page through; `not_found`, a refusal of the act, or `trashed`, asked in this order."""
    standing = require_seen(page, actor=actor, company=company)
    require_act(act, actor=actor, ground=ground_of(company, page.container), standing=standing)
    if page.status == PageStatus.TRASHED:
        raise Refused(Code.TRASHED, "This page is in the trash. Restore it first.")


def place_of(page_id: int, *, actor: Actor, company: Company) -> Place | None:
    """A page as a possible parent; None for one that is not there for this actor."""
    page = Page.objects.defer("body").filter(pk=page_id).first()
    if page is None or not sees(page, actor=actor, company=company):
        return None
    above = frozenset(link.id for link in ancestors_of([page_id])[page_id])
    return Place(id=page_id, container=page.container, living=page.status != PageStatus.TRASHED, above=above)


def require_declared(container: str, *, company: Company) -> None:
    """Refuse a container the company does not declare, saying how one is declared (`unknown_container`)."""
    if container not in company.space_by_key:
        raise Refused(
            Code.UNKNOWN_CONTAINER,
            say_undeclared("space", container, declared=company.space_by_key),
            attr="container",
        )


def author_of(page: Page) -> Author:
    """Who created a page."""
    return Author(name=page.author_name, kind=ActorKind(page.author_kind))


def not_found() -> Refused:
    """No such page for this actor."""
    return Refused(Code.NOT_FOUND, "There is no such page, or it is not yours to see. Look for it by search.")
