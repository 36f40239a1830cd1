"""What an export reads: the pages of a space or a branch as their reader sees them; bodies and files as they stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from company import live
from company.rules.actors import Actor
from company.rules.refusals import Code, Refused
from knowledge.models import Attachment, Page, PageStatus, Waits
from knowledge.reads.attachments import AttachmentView, view_of
from knowledge.reads.containers import get_container, list_containers
from knowledge.reads.pages import get_page
from knowledge.reads.trees import branch_of
from knowledge.reads.visibility import visible_to
from knowledge.rules.exporting import Leaf

AT_ONCE = 25
"""Bodies in memory at a time; of the largest, half a megabyte each."""


@dataclass(frozen=True, kw_only=True)
class ExportedPage:
    """A page as its file tells it."""

    id: int
    title: str
    body: str
    labels: tuple[str, ...]
    draft: bool
    position: int


def spaces_to_export(*, actor: Actor, container: str | None) -> tuple[str, ...]:
    """The keys of the spaces an export goes through: the one asked for (`not_found`), or every one with pages."""
    if container is not None:
        return (get_container(actor=actor, key=container).key,)
    return tuple(row.key for row in list_containers(actor=actor) if row.pages)


def leaves_of(*, actor: Actor, container: str) -> list[Leaf]:
    """The living pages of a space that the actor sees, without their bodies. One query."""
    return _leaves(actor, Page.objects.filter(container=container).values_list("pk", flat=True))


def branch_to_export(*, actor: Actor, page_id: int) -> tuple[str, list[Leaf]]:
    """The space of a page, and the page with all beneath it that the actor sees.

    Refuses as `get_page` does, and a page in the trash (`trashed`).
    """
    page = get_page(actor=actor, page_id=page_id)
    if page.status is PageStatus.TRASHED:
        raise Refused(Code.TRASHED, "This page is in the trash. Restore it first.")
    return page.container, _leaves(actor, [twig.id for twig in branch_of(page_id)])


def bodies_of(ids: Sequence[int]) -> Iterator[ExportedPage]:
    """The pages of these ids with their bodies, in this order, a few at a time. For ids that were narrowed before."""
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        rows = Page.objects.in_bulk(some)
        for page_id in some:
            row = rows.get(page_id)
            if row is not None:  # gone since its place was made
                yield ExportedPage(
                    id=row.pk,
                    title=row.title,
                    body=row.body,
                    labels=tuple(row.labels),
                    draft=row.status == PageStatus.DRAFT,
                    position=row.position,
                )


def files_of(ids: Sequence[int]) -> dict[int, list[AttachmentView]]:
    """The files of these pages by page, in the order they came. For ids that were narrowed before."""
    found: dict[int, list[AttachmentView]] = {}
    for start in range(0, len(ids), 1_000):
        there = Attachment.objects.filter(page_id__in=ids[start : start + 1_000]).exclude(waits=Waits.TO_COME)
        for row in there.order_by("pk"):
            found.setdefault(row.page_id, []).append(view_of(row))
    return found


def address_of(*, actor: Actor, page_id: int) -> tuple[str, str] | None:
    """The space and title of a page the actor sees; None for any other."""
    return Page.objects.filter(visible_to(actor, live.current()), pk=page_id).values_list("container", "title").first()


def _leaves(actor: Actor, ids: Iterable[int]) -> list[Leaf]:
    seen = Page.objects.filter(visible_to(actor, live.current()), pk__in=ids)
    return [
        Leaf(id=page_id, parent_id=parent_id, title=title, address=address, position=position)
        for page_id, parent_id, title, address, position in seen.order_by("pk").values_list(
            "id", "parent_id", "title", "address", "position"
        )
    ]
