"""Finding a page by a part of its title, for whoever is about to link to it."""

from __future__ import annotations

from django.db.models import BooleanField, Case, ExpressionWrapper, IntegerField, Q, Value, When

from company.rules.actors import Actor
from knowledge.models import Page
from knowledge.reads.levels import LISTED, can_be_stored, children_of, company_read_by, rows_of
from knowledge.reads.shapes import PageRow
from knowledge.reads.visibility import visible_to
from knowledge.rules.titles import fold

OPTIONS = 8
MAX_WORDS = 12


def pages_titled(*, actor: Actor, words: str, near: str = "", limit: int = OPTIONS) -> tuple[PageRow, ...]:
    """The living pages the actor sees whose title has every one of the words in it, or whose number they are.

    First a title that is exactly this, then those that begin with it, then those of the container `near`; without
    words, the pages of `near` that were saved last. At most two queries.
    """
    company = company_read_by(actor)
    folded = fold(words)
    if not (can_be_stored(folded) and can_be_stored(near)):
        return ()
    shown = visible_to(actor, company)
    pages = Page.objects.filter(shown)
    nearby = ExpressionWrapper(Q(container=near), output_field=BooleanField())
    if not folded:
        pages = pages.order_by(nearby.desc(), "-saved_at", "-id")
    else:
        titled = Q()
        for word in folded.split()[:MAX_WORDS]:
            titled &= Q(address__contains=word)
        number = Q(pk=int(words)) if words.isascii() and words.isdigit() and len(words) < 19 else Q(pk__in=[])
        rank = Case(
            When(number | Q(address=folded), then=Value(0)),
            When(address__startswith=folded, then=Value(1)),
            default=Value(2),
            output_field=IntegerField(),
        )
        pages = pages.filter(titled | number).order_by(rank, nearby.desc(), "address", "id")
    rows = list(pages.values(*LISTED, under=children_of(shown))[:limit])
    return rows_of(rows, trail=None, actor=actor, company=company)
