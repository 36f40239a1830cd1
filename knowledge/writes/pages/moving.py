"""Moving a page: under another parent, among its siblings, or to another container with all that lies beneath it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.writes.ledger import append_changes
from knowledge.models import FormerAddress, Page, PageStatus
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageView
from knowledge.reads.trees import Twig, branch_of
from knowledge.rules.authority import Act, ground_of, require_act
from knowledge.rules.news import What
from knowledge.rules.reviewing import check_leaving, is_reviewed
from knowledge.rules.trees import check_parent, ordered_with
from knowledge.writes.notifications import tell_administrators
from knowledge.writes.pages.addresses import holder_of, lead_on, taken
from knowledge.writes.pages.holding import hold_tree, place_of, require_declared, require_on, require_writer
from knowledge.writes.pages.recording import change_of, end_of_level, record_page
from knowledge.writes.pages.waiting import let_branch_wait

_RENUMBER = """
UPDATE knowledge_page page SET position = placed.position
FROM unnest(%s::bigint[]) WITH ORDINALITY AS placed (id, position)
WHERE page.id = placed.id AND page.position <> placed.position
"""


def move_page(
    *,
    actor: Actor,
    page_id: int,
    parent_id: int | None,
    container: str | None = None,
    before: int | None = None,
    after: int | None = None,
) -> PageView:
    """The page under `parent_id` (None for the top), in `container`, just before its sibling `before` or just after its
    sibling `after` if one is given.

    Another container takes the whole subtree, trashed pages included, or nothing; the addresses it leaves lead on.
    A move is a create at its target and a save at its source. To where the page stands already it changes nothing.
    Into a reviewed container the pages come as drafts that wait for review.
    Refuses: `not_found`, `forbidden`, `reserved_container`, `trashed`, `unknown_container`, `parent_invalid`,
    `title_taken` (with `page_id`), `invalid` for `before` and `after`, `invalid` (409) while a change of a published
    page among them waits for review.
    """
    require_writer(actor)
    if before is not None and after is not None:
        raise Refused(Code.INVALID, "Give 'before' or 'after', not both.", attr="after")
    with transaction.atomic():
        company = live.current_for_write()
        page = hold_tree(page_id, *([container] if container is not None else []))
        require_on(page, Act.MOVE, actor=actor, company=company)
        target = container if container is not None else page.container
        if target != page.container:
            require_declared(target, company=company)
        require_act(Act.CREATE, actor=actor, ground=ground_of(company, target))
        if parent_id is not None:
            check_parent(place_of(parent_id, actor=actor, company=company), container=target, page_id=page_id)
        if (target, parent_id) != (page.container, page.parent_id) or before is not None or after is not None:
            _move(actor=actor, page=page, target=target, parent_id=parent_id, before=before, after=after)
        return get_page(actor=actor, page_id=page_id)


def _move(
    *, actor: Actor, page: Page, target: str, parent_id: int | None, before: int | None, after: int | None
) -> None:
    now = timezone.now()
    was = {"container": page.container, "parent_id": page.parent_id}
    branch = branch_of(page.pk) if target != page.container else ()
    if branch:
        moving = Page.objects.filter(pk__in=[twig.id for twig in branch])
        check_leaving(moving.exclude(held_version=None).exclude(held_version=F("version")).count())
        _claim_all(branch, source=page.container, target=target)
        moving.update(container=target, updated_at=now)
        if let_branch_wait(moving, reviewed=is_reviewed(live.current(), target), by=actor.author, now=now):
            tell_administrators(actor=actor, page=page, what=What.PROPOSED)
        page.refresh_from_db()
    if (target, parent_id) != (page.container, page.parent_id):
        page.position = end_of_level(container=target, parent_id=parent_id)
    page.container, page.parent_id, page.updated_at = target, parent_id, now
    page.save(update_fields=["container", "parent", "position", "updated_at"])
    if before is not None or after is not None:
        _put_beside(page, before=before, after=after)
    record_page(
        actor=actor,
        verb="move_page",
        page=page,
        version_before=page.version,
        news="page.moved",
        detail={"was": was, "parent_id": parent_id, "pages": max(1, len(branch))},
        changed=not branch,
        quiet=(target, parent_id) == (was["container"], was["parent_id"]),  # another order is no other place
        was_container=str(was["container"]),
    )
    source = str(was["container"])
    append_changes(change_of(Page(pk=twig.id, container=target), was_container=source) for twig in branch)


def _claim_all(branch: Sequence[Twig], *, source: str, target: str) -> None:
    """Make sure every living page of a branch finds its address free in the target, and let the old ones lead on."""
    living = [twig for twig in branch if twig.status != PageStatus.TRASHED]
    addresses = [twig.address for twig in living]
    holder = holder_of(container=target, addresses=addresses)
    if holder is not None:
        raise taken(holder)
    FormerAddress.objects.filter(container=target, address__in=addresses).delete()
    lead_on(left=[(source, twig.address, twig.id) for twig in living], now=timezone.now())


def _put_beside(page: Page, *, before: int | None, after: int | None) -> None:
    """Number the level anew with the page beside its sibling."""
    level = Page.objects.filter(container=page.container, parent_id=page.parent_id).exclude(status=PageStatus.TRASHED)
    siblings = list(level.order_by("position", "address", "id").values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(_RENUMBER, [ordered_with(siblings, page_id=page.pk, before=before, after=after)])
