"""What pages link to, kept beside them: put there by the save that wrote the body, and again by a newer rule."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from knowledge.models import Page, PageItemLink, PageLink
from knowledge.rules.links import LINKS_RULE
from knowledge.rules.markdown import links_in

ROWS_A_STATEMENT = 1_000
PAGES_A_STEP = 100


def put_links(page: Page) -> None:
    """Keep exactly the links of the page's body; part of the write that put the body there, inside its transaction."""
    links = links_in(page.body)
    found = {(link.page_id, link.origin) for link in links.pages}
    kept = {(row.target, row.origin): row.pk for row in PageLink.objects.filter(source_id=page.pk)}
    PageLink.objects.filter(pk__in=[pk for link, pk in kept.items() if link not in found]).delete()
    PageLink.objects.bulk_create(
        [PageLink(source_id=page.pk, target=target, origin=origin) for target, origin in sorted(found - kept.keys())],
        batch_size=ROWS_A_STATEMENT,
    )
    named = {(link.key, link.origin) for link in links.items}
    there = {(row.key, row.origin): row.pk for row in PageItemLink.objects.filter(source_id=page.pk)}
    if named != there.keys():
        PageItemLink.objects.filter(pk__in=[pk for link, pk in there.items() if link not in named]).delete()
        PageItemLink.objects.bulk_create(
            [PageItemLink(source_id=page.pk, key=key, origin=origin) for key, origin in sorted(named - there.keys())],
            batch_size=ROWS_A_STATEMENT,
        )


def put_links_of_new(pages: Iterable[Page]) -> None:
    """Keep the links of pages that were just created, many at once."""
    found = [(page.pk, links_in(page.body)) for page in pages]
    PageLink.objects.bulk_create(
        [
            PageLink(source_id=page_id, target=link.page_id, origin=link.origin)
            for page_id, links in found
            for link in links.pages
        ],
        batch_size=ROWS_A_STATEMENT,
    )
    PageItemLink.objects.bulk_create(
        [
            PageItemLink(source_id=page_id, key=link.key, origin=link.origin)
            for page_id, links in found
            for link in links.items
        ],
        batch_size=ROWS_A_STATEMENT,
    )


def find_links_again(*, step: int = PAGES_A_STEP) -> int:
    """Find the links of every page whose links were found by an older rule, a page a transaction; answers how many.

    A duty: it may be stopped anywhere and goes on from there. It holds each page for as long as that one is read,
    so a save at the same moment comes before or after.
    """
    done = 0
    while ids := list(
        Page.objects.filter(links_rule__lt=LINKS_RULE).order_by("pk").values_list("pk", flat=True)[:step]
    ):
        for page_id in ids:
            done += _find_again(page_id)
    return done


@transaction.atomic
def _find_again(page_id: int) -> int:
    page = Page.objects.select_for_update().only("body", "links_rule").filter(pk=page_id).first()
    if page is None or page.links_rule >= LINKS_RULE:
        return 0
    put_links(page)
    Page.objects.filter(pk=page_id).update(links_rule=LINKS_RULE)
    return 1
