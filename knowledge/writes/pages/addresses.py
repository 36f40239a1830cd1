"""Claiming addresses: first writer wins, and an address somebody left leads on until it is claimed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

import psycopg
from django.db import IntegrityError, transaction

from company.rules.refusals import Code, Refused
from knowledge.models import FormerAddress, Page, PageStatus

_ADDRESS_IS_TAKEN = "an_address_is_one_living_pages"
_ATTEMPTS = 5


def claim(*, container: str, address: str, write: Callable[[], object]) -> None:
    """Run `write`, which sets a row at this address; `title_taken` with the `page_id` of whoever stands there.

    The unique constraint decides between two that race. Where its holder is gone by the time it is looked for, the
    write is tried again.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with transaction.atomic():
                write()
        except IntegrityError as error:
            if not _is_a_clash(error):
                raise
            holder = holder_of(container=container, addresses=[address])
            if holder is not None:
                raise taken(holder) from error
            if attempt == _ATTEMPTS:
                raise
        else:
            FormerAddress.objects.filter(container=container, address=address).delete()
            return


def holder_of(*, container: str, addresses: Iterable[str]) -> Page | None:
    """A living page that stands at one of these addresses, if any; the lowest id of them."""
    living = Page.objects.filter(container=container, address__in=list(addresses)).exclude(status=PageStatus.TRASHED)
    return living.only("id", "container", "title").order_by("id").first()


def taken(holder: Page) -> Refused:
    """The refusal that names the page standing where another one wanted to."""
    return Refused(
        Code.TITLE_TAKEN,
        f"{holder.container} already has the page '{holder.title}' (id {holder.pk}). Choose another title, or write "
        "to that page.",
        attr="title",
        extras={"page_id": holder.pk},
    )


def lead_on(*, left: Iterable[tuple[str, str, int]], now: datetime) -> None:
    """Let the addresses pages have left (`container, address, page id`) lead to them until somebody claims them."""
    FormerAddress.objects.bulk_create(
        [
            FormerAddress(container=container, address=address, page_id=page_id, left_at=now)
            for container, address, page_id in left
        ],
        update_conflicts=True,
        unique_fields=["container", "address"],
        update_fields=["page", "left_at"],
    )


def _is_a_clash(error: IntegrityError) -> bool:
    cause = error.__cause__
    return isinstance(cause, psycopg.Error) and cause.diag.constraint_name == _ADDRESS_IS_TAKEN
