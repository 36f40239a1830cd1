"""The trash: taking a page and all beneath it out of every reader's way, and bringing it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from company.writes.ledger import append_changes
from knowledge.models import FormerAddress, Page, PageStatus
from knowledge.reads.pages import get_page
from knowledge.reads.shapes import PageView
from knowledge.reads.trees import Twig, ancestors_of, branch_of
from knowledge.rules.authority import Act, ground_of, require_act
from knowledge.rules.titles import clean_title, fold
from knowledge.rules.trees import fallen_with, living_branch
from knowledge.writes.pages.addresses import claim
from knowledge.writes.pages.holding import hold_tree, require_on, require_seen, require_writer
from knowledge.writes.pages.recording import add_revision, change_of, end_of_level, record_page
from knowledge.writes.pages.waiting import asked_by, next_version, number_anew, supersede, wait, waits_as_draft


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What came back: the page, how many pages with it in all, where it landed, and whether that is another place.

    `left` are the pages that fell with it and stay in the trash, because somebody has their title by now.
    """

    page: PageView
    pages: int
    parent_id: int | None
    moved: bool
    left: tuple[int, ...] = ()


def trash_page(*, actor: Actor, page_id: int) -> PageView:
    """The page in the trash, with every living page beneath it; their addresses are free from now on.

    Refuses: `not_found`, `forbidden`, `reserved_container`, `trashed`.
    """
    require_writer(actor)
    with transaction.atomic():
        company = live.current_for_write()
        page = hold_tree(page_id)
        require_on(page, Act.TRASH, actor=actor, company=company)
        now = timezone.now()
        fallen = living_branch(branch_of(page_id))
        Page.objects.filter(pk__in=fallen).update(
            trashed_from=F("status"),
            status=PageStatus.TRASHED,
            trashed_at=now,
            trashed_by=actor.author.name,
            trashed_with=page_id,
            updated_at=now,
        )
        record_page(
            actor=actor,
            verb="trash_page",
            page=page,
            version_before=page.version,
            news="page.trashed",
            detail={"pages": len(fallen)},
            changed=False,
            beneath=[fallen_id for fallen_id in fallen if fallen_id != page_id],
        )
        append_changes(change_of(Page(pk=fallen_id, container=page.container)) for fallen_id in fallen)
        return get_page(actor=actor, page_id=page_id)


def restore_page(*, actor: Actor, page_id: int, title: str | None = None) -> Restored:
    """The page out of the trash, with the pages that fell with it, under its nearest living ancestor.

    `title` gives it another one, where its own was claimed meanwhile. Refuses: `not_found`, `forbidden`,
    `reserved_container`, `title_taken` (with `page_id`), and `invalid` (409) for a page that is not in the trash.
    """
    require_writer(actor)
    wanted = clean_title(title) if title is not None else None
    with transaction.atomic():
        company = live.current_for_write()
        page = hold_tree(page_id)
        standing = require_seen(page, actor=actor, company=company)
        require_act(Act.RESTORE, actor=actor, ground=ground_of(company, page.container), standing=standing)
        if page.status != PageStatus.TRASHED:
            raise Refused(Code.INVALID, "This page is not in the trash; there is nothing to restore.", status=409)
        before, was_parent, was_title = page.version, page.parent_id, page.title
        back, left = _sort_out(page, title=wanted or page.title)
        _bring_back(page, actor=actor, title=wanted or page.title)
        _bring_back_beneath(page, back)
        moved = page.parent_id != was_parent
        detail: dict[str, object] = {"pages": 1 + len(back), "parent_id": page.parent_id, "moved": moved, "left": left}
        if page.title != was_title:
            detail["was"] = was_title
        record_page(
            actor=actor,
            verb="restore_page",
            page=page,
            version_before=before,
            news="page.restored",
            detail=detail,
            changed=False,
            beneath=[twig.id for twig in back],
        )
        restored = [page_id, *(twig.id for twig in back)]
        append_changes(change_of(Page(pk=restored_id, container=page.container)) for restored_id in restored)
        return Restored(
            page=get_page(actor=actor, page_id=page_id),
            pages=len(restored),
            parent_id=page.parent_id,
            moved=moved,
            left=tuple(left),
        )


def _bring_back(page: Page, *, actor: Actor, title: str) -> None:
    """The page itself out of the trash; under another title it is renamed too, which makes a revision."""
    now, was_parent, renamed, waiting = timezone.now(), page.parent_id, title != page.title, waits_as_draft(page)
    page.status = PageStatus(page.trashed_from or PageStatus.PUBLISHED)
    page.trashed_at, page.trashed_by, page.trashed_with, page.trashed_from = None, "", None, ""
    page.updated_at = now
    page.parent_id = _nearest_living(page)
    if page.parent_id != was_parent:
        page.position = end_of_level(container=page.container, parent_id=page.parent_id)
    if renamed:
        page.title, page.address, page.version = title, fold(title), next_version(page)
        if waiting:
            supersede(page, by=page.version)
            wait(page, by=asked_by(page), now=now)
        page.saved_by_name, page.saved_by_kind, page.saved_at = actor.author.name, actor.author.kind.value, now
    claim(container=page.container, address=page.address, write=page.save)
    if renamed:
        add_revision(actor=actor, page=page, message="", now=now)
        number_anew(page)


def _bring_back_beneath(page: Page, back: Sequence[Twig]) -> None:
    """What fell with the page, each to the status it had; their addresses are theirs again."""
    Page.objects.filter(pk__in=[twig.id for twig in back]).update(
        status=F("trashed_from"),
        trashed_at=None,
        trashed_by="",
        trashed_with=None,
        trashed_from="",
        updated_at=page.updated_at,
    )
    FormerAddress.objects.filter(container=page.container, address__in=[twig.address for twig in back]).delete()


def _sort_out(page: Page, *, title: str) -> tuple[list[Twig], list[int]]:
    """Of the pages that fell with this one: those that come back, and the ids of those whose title is taken.

    A page that stays keeps what fell beneath it, so that restoring it later brings its branch back too.
    """
    fallen = fallen_with(branch_of(page.pk), page_id=page.pk, trashed_with=page.trashed_with)
    claimed = set(
        Page.objects.filter(container=page.container, address__in=[twig.address for twig in fallen])
        .exclude(status=PageStatus.TRASHED)
        .values_list("address", flat=True)
    ) | {fold(title)}
    back: list[Twig] = []
    roots: dict[int, int] = {}
    for twig in fallen:
        above = twig.parent_id or 0
        if above in roots:
            roots[twig.id] = roots[above]
        elif twig.address in claimed:
            roots[twig.id] = twig.id
        else:
            back.append(twig)
    _keep(roots)
    return back, sorted(roots)


def _keep(roots: dict[int, int]) -> None:
    """Let each page that stays in the trash hang together with the page whose title is taken."""
    for root in set(roots.values()):
        kept = [twig_id for twig_id, kept_by in roots.items() if kept_by == root]
        Page.objects.filter(pk__in=kept).update(trashed_with=root)


def _nearest_living(page: Page) -> int | None:
    """The id of the closest page above that is not in the trash; None for the top."""
    living: Sequence[int] = [link.id for link in ancestors_of([page.pk])[page.pk] if link.status != PageStatus.TRASHED]
    return living[-1] if living else None
