"""Revising a page: whatever its writer wants different about it, in one step."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.reads.pages import get_page, page_to_edit
from knowledge.reads.shapes import PageView
from knowledge.writes.pages.holding import hold_page, hold_tree, require_writer
from knowledge.writes.pages.moving import move_page
from knowledge.writes.pages.saving import save_page
from knowledge.writes.pages.waiting import check_head, head_of
from knowledge.writes.pages.watching import watch_page


def revise_page(
    *,
    actor: Actor,
    page_id: int,
    base_version: int,
    body: str | None = None,
    title: str | None = None,
    move: bool = False,
    parent_id: int | None = None,
    labels: Sequence[str] | None = None,
    message: str | None = None,
    watch: bool | None = None,
) -> PageView:
    """The page with everything that is given done to it, or nothing: saved, labelled, put under another parent where
    `move` says so, watched or no longer.

    Each part is its own verb and refuses as `save_page`, `move_page` and `watch_page` do; the base is checked whatever
    is changed. A text that waits for review is answered as `save_page` answers it. Refuses `required` where nothing is
    given.
    """
    require_writer(actor)
    saves = body is not None or title is not None or labels is not None
    if not saves and not move and watch is None:
        raise Refused(Code.REQUIRED, "Give what to change: body, title, parent, labels or watch.", attr="body")
    with transaction.atomic():
        # the tree before the page, as every verb below takes them
        held = hold_tree(page_id) if move or title is not None else hold_page(page_id)
        if saves:
            save_page(
                actor=actor,
                page_id=page_id,
                base_version=base_version,
                body=body,
                title=title,
                labels=labels,
                message=message,
            )
        else:
            get_page(actor=actor, page_id=page_id)
            check_head(base_version, page=held, head=head_of(held))
        if move:
            move_page(actor=actor, page_id=page_id, parent_id=parent_id)
        if watch is not None:
            watch_page(actor=actor, page_id=page_id, on=watch)
        read = page_to_edit if body is not None else get_page
        return read(actor=actor, page_id=page_id)
